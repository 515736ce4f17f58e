import { Suspense } from 'react'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { Shell } from '#features/shell/shell.tsx'
import { nodeKeyFromText } from '#monitor/live.ts'
import { DashboardContext, type Dashboard } from '#react/dashboard.ts'
import { hashLocation } from '#react/hash-location.ts'
import { useBoot, useConfiguration, useKeys } from '#react/use-fleet.ts'
import { LiveRegions } from '#ui/live-region.tsx'
import { FirstRunPage, FleetPage, NodePage, SettingsPage } from './later-chunks.ts'
import { RootBoundary } from './root-boundary.tsx'

export function App({ dashboard }: { readonly dashboard: Dashboard }) {
  return (
    <LiveRegions>
      <RootBoundary>
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
  const isFirstRun = boot !== 'starting' && !failed && (effective.nodes.length === 0 || keys.length === 0)
  if (isFirstRun && !location.startsWith('/settings'))
    return <FirstRunPage onDone={(path) => navigate(path ?? '/nodes')} />
  return (
    <Shell>
      <Switch>
        <Route path="/nodes">
          <FleetPage />
        </Route>
        <Route path="/nodes/:key">{({ key }) => <NodePage key={key} nodeKey={nodeKeyFromText(key)} />}</Route>
        <Route path="/settings/*?">
          <SettingsPage />
        </Route>
        <Route>
          <Redirect to="/nodes" replace />
        </Route>
      </Switch>
    </Shell>
  )
}
