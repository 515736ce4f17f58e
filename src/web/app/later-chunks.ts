import type { Dashboard } from '#react/dashboard.ts'
import { late } from '#ui/late.tsx'

/** What only a person's own act asks of the dashboard's server. */
export const serverServices = () => import('#platform/server-services.ts')
const pageWatch = () => import('./watch-page.ts')

/** Fetched when the first status is on screen: what came before it is kept too. */
export const keepHistory = async (dashboard: Dashboard): Promise<void> =>
  (await import('./keep-history.ts')).keepHistory(dashboard)

/** Notifies people of alarms from then on. To be called once. */
export const startNotifying = async (dashboard: Dashboard): Promise<void> =>
  (await import('./notify-people.ts')).notifyPeople(dashboard)

/** Has this page watch itself from then on. To be called once. */
export const startWatchingPage = async (dashboard: Dashboard): Promise<void> =>
  (await pageWatch()).watchPage(dashboard)

/** Nothing is drawn any more. */
export const recoverFrom = async (dashboard: Dashboard, error: unknown): Promise<void> =>
  (await pageWatch()).recover(dashboard, error)

/** Fetches every chunk that is not in the first one, and starts what needs one of them. Resolves when all are here; rejects when one could not be had. */
export const fetchLaterChunks = async (): Promise<void> =>
  (await import('./every-chunk.ts')).fetchEveryChunk()

export const FleetPage = late(async () => (await import('#features/fleet/fleet-page.tsx')).FleetPage)
export const NodePage = late(async () => (await import('#features/node/node-page.tsx')).NodePage)
export const AlarmsPage = late(async () => (await import('#features/alarms/alarms-page.tsx')).AlarmsPage)
export const AlarmRulesPage = late(
  async () => (await import('#features/alarms/alarm-rules-page.tsx')).AlarmRulesPage,
)
export const ComparePage = late(async () => (await import('#features/compare/compare-page.tsx')).ComparePage)
export const JournalPage = late(async () => (await import('#features/journal/journal-page.tsx')).JournalPage)
export const FirstRunPage = late(
  async () => (await import('#features/first-run/first-run-page.tsx')).FirstRunPage,
)
export const WallPage = late(async () => (await import('#features/wall/wall-page.tsx')).WallPage)
export const TabState = late(async () => (await import('#features/shell/tab-state.tsx')).TabState)
export const SettingsPage = late(
  async () => (await import('#features/settings/settings-page.tsx')).SettingsPage,
)
export const AboutPage = late(async () => (await import('#features/about/about-page.tsx')).AboutPage)
export const Keyboard = late(async () => (await import('#features/shell/keyboard.tsx')).Keyboard)
