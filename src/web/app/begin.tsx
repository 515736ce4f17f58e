import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { surviveForeignChanges } from '#platform/foreign-changes.ts'
import { loadLateScripts } from '#platform/late-scripts.ts'
import { leaveServiceWorkers } from '#platform/service-workers.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { Dashboard, Configuration } from '#react/dashboard.ts'
import { App } from './app.tsx'
import { createDashboard } from './create-dashboard.ts'
import { NotStarted } from './root-boundary.tsx'
import './styles.css'
import type { Store } from '#base/store.ts'
import { applyTheme } from '#ui/theme.ts'

/** Wait before missing chunks are requested again from an unreachable server. */
const FETCH_AGAIN_MS = 30_000

const afterStart = () => import('./after-start.ts')

export async function begin(): Promise<void> {
  const root = document.getElementById('root')
  // Checked before anything starts, because code of another program could answer for the server and receive what a person
  // types.
  const serviceWorkers = await leaveServiceWorkers()
  if (serviceWorkers === 'again' && root !== null) createRoot(root).render(<NotStarted />)
  if (serviceWorkers !== 'none') return

  const { dashboard, start } = createDashboard()
  applyDisplay(dashboard.configuration)
  if (root !== null) {
    surviveForeignChanges(root)
    createRoot(root).render(
      <StrictMode>
        <App
          dashboard={dashboard}
          recover={async (error) => (await afterStart()).recover(dashboard, error)}
        />
      </StrictMode>,
    )
  }
  await start()
  await becomeReady(dashboard)
}

let started: Promise<void> | undefined

/** Loads all chunks, because a tab open for weeks must not fail on its next page after a deploy has removed a chunk. */
async function becomeReady(dashboard: Dashboard): Promise<void> {
  try {
    started ??= afterStart().then(({ startRest }) => startRest(dashboard))
    await started.catch((error: unknown) => {
      started = undefined
      throw error
    })
    await loadLateScripts()
    dashboard.boot.publish('ready')
  } catch {
    // A chunk is missing. The loaded parts work, and the missing ones are requested again later.
    systemClock.after(FETCH_AGAIN_MS, () => void becomeReady(dashboard))
  }
}

/** Applies theme and contrast on each change. `theme.js` has applied the initial values before the first paint. */
function applyDisplay(configuration: Store<Configuration>): void {
  configuration.subscribe(() => {
    const { theme, contrast } = configuration.get().settings.display
    applyTheme(document.documentElement, theme, contrast)
  })
}
