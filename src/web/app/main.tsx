import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '#ui/css/index.css'
import { surviveForeignChanges } from '#platform/foreign-changes.ts'
import { leaveServiceWorkers } from '#platform/service-workers.ts'
import { systemClock } from '#platform/system-clock.ts'
import { App } from './app.tsx'
import { applyDisplay } from './apply-display.ts'
import { createDashboard } from './create-dashboard.ts'
import { NotStarted } from './root-boundary.tsx'
import { fetchLaterChunks, keepHistory, startNotifying, startWatchingPage } from './later-chunks.ts'

/** A server that is away just now is asked again for what this tab still lacks. */
const FETCH_AGAIN_MS = 30_000

const root = document.getElementById('root')

// Before anything of it starts: another program's code could answer for the server, and be given what a person types.
const serviceWorkers = await leaveServiceWorkers()
if (serviceWorkers === 'again' && root !== null) createRoot(root).render(<NotStarted />)
if (serviceWorkers !== 'none') await new Promise<never>(() => undefined)

const { dashboard, start } = createDashboard()
applyDisplay(dashboard.configuration)

if (root !== null) {
  surviveForeignChanges(root)
  createRoot(root).render(
    <StrictMode>
      <App dashboard={dashboard} />
    </StrictMode>,
  )
}

await start()
await becomeReady()

let kept: Promise<void> | undefined
/** Once; again where its part could not be fetched. */
function keepingHistory(): Promise<void> {
  kept ??= keepHistory(dashboard)
  kept.catch(() => {
    kept = undefined
  })
  return kept
}

let notifying: Promise<void> | undefined
/** The same for what notifies people of alarms. */
function startedNotifying(): Promise<void> {
  notifying ??= startNotifying(dashboard)
  notifying.catch(() => {
    notifying = undefined
  })
  return notifying
}

let watching: Promise<void> | undefined
/** The same for what has this page watch itself. */
function startedWatching(): Promise<void> {
  watching ??= startWatchingPage(dashboard)
  watching.catch(() => {
    watching = undefined
  })
  return watching
}

/** A tab that is open for weeks must not fail its next page because a deploy took its chunk away. */
async function becomeReady(): Promise<void> {
  try {
    await keepingHistory()
    await startedNotifying()
    await startedWatching()
    await fetchLaterChunks()
    dashboard.boot.publish('ready')
  } catch {
    // A chunk did not come. What is here works, and the status line goes on saying "getting ready".
    systemClock.after(FETCH_AGAIN_MS, () => void becomeReady())
  }
}
