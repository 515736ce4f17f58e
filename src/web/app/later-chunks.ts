import type { Dashboard } from '#react/dashboard.ts'
import { late } from '#ui/late.tsx'

const fleet = () => import('#features/fleet/fleet-page.tsx')
const node = () => import('#features/node/node-page.tsx')
const nodeHistory = () => import('#features/node/node-history.tsx')
const firstRun = () => import('#features/first-run/first-run-page.tsx')
const messages = () => import('#features/shell/message-list.tsx')
const statusFacts = () => import('#features/shell/status-facts.tsx')
const locks = () => import('#features/shell/lock-messages.tsx')
const engineMessage = () => import('#features/shell/engine-message.tsx')
const alarms = () => import('#features/alarms/alarms-page.tsx')
const alarmRules = () => import('#features/alarms/alarm-rules-page.tsx')
const journal = () => import('#features/journal/journal-page.tsx')
const tabState = () => import('#features/shell/tab-state.tsx')
const alarmTiles = () => import('#features/shell/alarm-tiles.tsx')
const alarmBar = () => import('#parts/alarm-bar.tsx')
const toasts = () => import('#features/shell/toasts.tsx')
const rows = () => import('#ui/virtual-rows.tsx')
const wall = () => import('#features/wall/wall-page.tsx')
const settings = () => import('#features/settings/settings-page.tsx')
const about = () => import('#features/about/about-page.tsx')
const qrCode = () => import('#ui/qr-code.tsx')
const consent = () => import('#parts/consent-dialog.tsx')
const signingGrant = () => import('#signing/signing-grant.ts')
const salvage = () => import('#settings/salvage-settings.ts')
/** What only a person's own act asks of the dashboard's server. */
export const serverServices = () => import('#platform/server-services.ts')
const history = () => import('./keep-history.ts')
const notifyPeople = () => import('./notify-people.ts')
const pageWatch = () => import('./watch-page.ts')
const soundMessage = () => import('#features/shell/sound-message.tsx')
const alarmAnnouncer = () => import('#features/shell/alarm-announcer.tsx')
const historyMessages = () => import('#features/shell/history-messages.tsx')
const testReport = () => import('#parts/test-report.ts')
const failureReport = () => import('#parts/failure-report.tsx')
const cutTitles = () => import('#ui/cut-titles.ts')
const chart = () => import('#ui/chart/strip-chart.tsx')

/** Fetched when the first status is on screen: what came before it is kept too. */
export const keepHistory = async (dashboard: Dashboard): Promise<void> =>
  (await history()).keepHistory(dashboard)

/** Notifies people of alarms from then on. To be called once. */
export const startNotifying = async (dashboard: Dashboard): Promise<void> =>
  (await notifyPeople()).notifyPeople(dashboard)

/** Has this page watch itself from then on. To be called once. */
export const startWatchingPage = async (dashboard: Dashboard): Promise<void> =>
  (await pageWatch()).watchPage(dashboard)

/** Nothing is drawn any more. */
export const recoverFrom = async (dashboard: Dashboard, error: unknown): Promise<void> =>
  (await pageWatch()).recover(dashboard, error)

export const FleetPage = late(async () => (await fleet()).FleetPage)
export const NodePage = late(async () => (await node()).NodePage)
export const AlarmsPage = late(async () => (await alarms()).AlarmsPage)
export const AlarmRulesPage = late(async () => (await alarmRules()).AlarmRulesPage)
export const JournalPage = late(async () => (await journal()).JournalPage)
export const FirstRunPage = late(async () => (await firstRun()).FirstRunPage)
export const WallPage = late(async () => (await wall()).WallPage)
export const TabState = late(async () => (await tabState()).TabState)
export const SettingsPage = late(async () => (await settings()).SettingsPage)
export const AboutPage = late(async () => (await about()).AboutPage)

/** Fetches every chunk that is not in the first one, and starts what needs one of them. Resolves when all are here; rejects when one could not be had. */
export const fetchLaterChunks = async (): Promise<void> => {
  const [{ showCutTitles }] = await Promise.all([
    cutTitles(),
    failureReport(),
    fleet(),
    node(),
    nodeHistory(),
    messages(),
    alarms(),
    alarmRules(),
    journal(),
    tabState(),
    alarmTiles(),
    alarmBar(),
    toasts(),
    statusFacts(),
    locks(),
    engineMessage(),
    rows(),
    firstRun(),
    settings(),
    about(),
    wall(),
    chart(),
    testReport(),
    consent(),
    signingGrant(),
    salvage(),
    serverServices(),
    historyMessages(),
    soundMessage(),
    alarmAnnouncer(),
    qrCode(),
  ])
  showCutTitles(document)
}
