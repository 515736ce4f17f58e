import { createElement, useLayoutEffect, type ComponentType } from 'react'
import { FleetPage } from '#features/fleet/fleet-page.tsx'
import { NodePage } from '#features/node/node-page.tsx'
import { Shell } from '#features/shell/shell.tsx'
import { TabState } from '#features/shell/tab-state.tsx'
import { needsKey } from '#signing/profile-needs.ts'
import { systemClock } from '#platform/system-clock.ts'
import { DashboardContext, type Dashboard } from '#react/dashboard.ts'
import { useLocation } from '#react/location.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { nodeOfPath, PATHS } from '#react/routes.ts'
import { useBoot, useConfiguration, useKeys } from '#react/use-fleet.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import { OnceStarted } from '#parts/once-started.tsx'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { RootBoundary } from './root-boundary.tsx'
import { late } from '#ui/late.tsx'

const Keyboard = late(async () => (await import('#features/shell/shell-rest.ts')).Keyboard)
const FirstRunPage = late(async () => (await import('#features/first-run/first-run-page.tsx')).FirstRunPage)
const WallPage = late(async () => (await import('#features/wall/wall-page.tsx')).WallPage)

/** The page of the nodes comes with the first script; each other one when it is opened. */
const PAGES = new Map<string, ComponentType>([
  [PATHS.nodes, FleetPage],
  [PATHS.alarms, late(async () => (await import('#features/alarms/alarms-page.tsx')).AlarmsPage)],
  [PATHS.rules, late(async () => (await import('#features/alarms/alarm-rules-page.tsx')).AlarmRulesPage)],
  [PATHS.compare, late(async () => (await import('#features/compare/compare-page.tsx')).ComparePage)],
  [PATHS.journal, late(async () => (await import('#features/journal/journal-page.tsx')).JournalPage)],
  [PATHS.report, late(async () => (await import('#features/report/report-page.tsx')).ReportPage)],
  [PATHS.about, late(async () => (await import('#features/about/about-page.tsx')).AboutPage)],
  [PATHS.settings, late(async () => (await import('#features/settings/settings-page.tsx')).SettingsPage)],
])

type AppProps = {
  readonly dashboard: Dashboard
  readonly recover?: (error: unknown) => Promise<void>
}

export function App({ dashboard, recover }: AppProps) {
  return (
    <LiveRegions after={systemClock.after}>
      <RootBoundary onError={(error) => void recover?.(error)}>
        <DashboardContext value={dashboard}>
          <Pages />

          <PartBoundary>
            <OnceStarted>
              <Keyboard />
            </OnceStarted>
          </PartBoundary>
        </DashboardContext>
      </RootBoundary>
    </LiveRegions>
  )
}

function Pages() {
  const boot = useBoot()
  const { effective } = useConfiguration()
  const { keys, failed } = useKeys()
  const [location, navigate] = useLocation()
  const lacksKey = keys.length === 0 && effective.services.every(needsKey)
  const isFirstRun = boot !== 'starting' && !failed && (effective.nodes.length === 0 || lacksKey)
  if (isFirstRun && !/^\/(settings|about)/.test(location))
    return (
      <PartBoundary>
        <FirstRunPage onDone={(path) => navigate(path ?? '/nodes')} />
      </PartBoundary>
    )
  // The wall shows no bar, status line or messages, because nobody is there to close them.
  if (location.startsWith(PATHS.wall))
    return (
      <EvaluationProvider>
        <PartBoundary>
          <TabState node={undefined} path={location} />
        </PartBoundary>
        <PartBoundary key={location}>
          <WallPage />
        </PartBoundary>
      </EvaluationProvider>
    )
  return (
    <Shell>
      <Page path={location} />
    </Shell>
  )
}

function Page({ path }: { readonly path: string }) {
  const node = nodeOfPath(path)
  if (node !== undefined) return <NodePage key={node} nodeKey={node} />
  const plain = path.toLowerCase().replace(/\/$/, '')
  const page = PAGES.get(plain.startsWith(`${PATHS.settings}/`) ? PATHS.settings : plain)
  return createElement(page ?? ToNodes)
}

function ToNodes() {
  const [, navigate] = useLocation()
  useLayoutEffect(() => navigate(PATHS.nodes, { replace: true }), [navigate])
  return null
}
