import { Suspense } from 'react'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { Shell } from '#features/shell/shell.tsx'
import { nodeKeyFromText } from '#fleet/live.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { systemClock } from '#platform/system-clock.ts'
import { DashboardContext, type Dashboard } from '#react/dashboard.ts'
import { hashLocation } from '#react/hash-location.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { WALL_PATH } from '#react/routes.ts'
import { useBoot, useConfiguration, useKeys } from '#react/use-fleet.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import {
  AboutPage,
  AlarmRulesPage,
  AlarmsPage,
  FirstRunPage,
  FleetPage,
  JournalPage,
  NodePage,
  recoverFrom,
  SettingsPage,
  TabState,
  WallPage,
} from './later-chunks.ts'
import { RootBoundary } from './root-boundary.tsx'

export function App({ dashboard }: { readonly dashboard: Dashboard }) {
  return (
    <LiveRegions after={systemClock.after}>
      <RootBoundary onError={(error) => void recoverFrom(dashboard, error)}>
        <DashboardContext value={dashboard}>
          <Router hook={hashLocation}>
            <Suspense fallback={null}>
              <Pages />
            </Suspense>
          </Router>
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
    return <FirstRunPage onDone={(path) => navigate(path ?? '/nodes')} />
  // Nothing but the wall: no bar, no line, no message that somebody would have to close.
  if (location.startsWith(WALL_PATH))
    return (
      <EvaluationProvider>
        <Suspense>
          <TabState node={undefined} path={location} />
        </Suspense>
        <WallPage />
      </EvaluationProvider>
    )
  return (
    <Shell>
      <Switch>
        <Route path="/nodes">
          <FleetPage />
        </Route>
        <Route path="/nodes/:key">{({ key }) => <NodePage key={key} nodeKey={nodeKeyFromText(key)} />}</Route>
        <Route path="/alarms">
          <AlarmsPage />
        </Route>
        <Route path="/alarms/rules">
          <AlarmRulesPage />
        </Route>
        <Route path="/journal">
          <JournalPage />
        </Route>
        <Route path="/settings/*?">
          <SettingsPage />
        </Route>
        <Route path="/about">
          <AboutPage />
        </Route>
        <Route>
          <Redirect to="/nodes" replace />
        </Route>
      </Switch>
    </Shell>
  )
}
