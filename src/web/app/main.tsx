import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '#ui/css/index.css'
import { App } from './app.tsx'
import { applyDisplay } from './apply-display.ts'
import { createDashboard } from './create-dashboard.ts'
import { fetchLaterChunks } from './later-chunks.ts'

const { dashboard, start } = createDashboard()
applyDisplay(dashboard.configuration)

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App dashboard={dashboard} />
    </StrictMode>,
  )

await start()
// A tab that is open for weeks must not fail its next page because a deploy took its chunk away.
await fetchLaterChunks()
dashboard.boot.publish('ready')
