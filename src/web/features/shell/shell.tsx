import { Suspense, useEffect, type ReactNode } from 'react'
import { useLocation } from '#react/location.ts'
import { EvaluationProvider, useEvaluation } from '#react/evaluation.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useStore, useKeys, useAlarms } from '#react/use-fleet.ts'
import { ALARMS_PATH, hrefOf, JOURNAL_PATH, nodeOfPath, NODES_PATH, SETTINGS_PATH } from '#react/routes.ts'
import { levelWords } from '#texts/en-checks.ts'
import { shellTexts as words } from '#texts/en-shell.ts'
import { AppShell, Brand, Tiles, TopBar } from '#ui/app-shell.tsx'
import { Messages } from './messages.tsx'
import { COUNTED, severityCounts } from '#parts/severity-counts.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { Status } from './status.tsx'
import { JumpButton } from './jump-button.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { late } from '#ui/late.tsx'

const TabState = late(async () => (await import('./tab-state.tsx')).TabState)
const LockNow = late(async () => (await import('./lock-messages.tsx')).LockNow)
const AlarmTiles = late(async () => (await import('./alarm-tiles.tsx')).AlarmTiles)
const MutedNote = late(async () => (await import('./alarm-tiles.tsx')).MutedNote)
const Toasts = late(async () => (await import('./toasts.tsx')).Toasts)
const AlarmAnnouncer = late(async () => (await import('./alarm-announcer.tsx')).AlarmAnnouncer)

/** Pages that list what is wrong. */
const LISTING = [ALARMS_PATH, JOURNAL_PATH]

/** What stands around every page: bar, messages, status line, and the tab's own title and icon. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  const node = nodeOfPath(location)
  return (
    <EvaluationProvider>
      <PartBoundary>
        <Suspense>
          <TabState node={node} path={location} />
        </Suspense>
      </PartBoundary>
      <PageTop key={location} />
      <AppShell
        skipLabel={words.skip}
        top={
          <PartBoundary>
            <Top path={location} />
          </PartBoundary>
        }
        status={
          <PartBoundary>
            <Status node={node} />
          </PartBoundary>
        }
      >
        <PartBoundary>
          <IfTelling />
          <Messages path={location} node={node} briefly={LISTING.some((path) => location.startsWith(path))} />
        </PartBoundary>
        {/* A page that failed must not keep the next one from being drawn. */}
        <PartBoundary key={location}>{children}</PartBoundary>
      </AppShell>
      <PartBoundary>
        <IfToasts />
      </PartBoundary>
    </EvaluationProvider>
  )
}

/** Another page begins at its top, however far down the last one was read. */
function PageTop() {
  useEffect(() => {
    document.documentElement.scrollTop = 0
  }, [])
  return null
}

/** Most keys have no lock, so what concerns locks is fetched late. */
function IfVault({ children }: { readonly children: ReactNode }) {
  const { keys } = useKeys()
  return keys.some(({ custody }) => custody === 'vault') ? <Suspense>{children}</Suspense> : null
}

/** What tells people of alarms is fetched late. */
function IfTelling() {
  return useStore(useDashboard().notifier, (now) => now !== undefined) ? (
    <Suspense>
      <AlarmAnnouncer />
    </Suspense>
  ) : null
}

function Top({ path }: { readonly path: string }) {
  const counts = useAlarms((view) => view?.counts)
  const link = (to: string, label: string) => ({ href: hrefOf(to), label, current: path.startsWith(to) })
  const active = counts && counts.critical + counts.warning + counts.info
  return (
    <TopBar
      brand={<Brand name={words.brand} href={hrefOf(NODES_PATH)} />}
      navLabel={words.nav}
      links={[
        link(NODES_PATH, words.nodes),
        { ...link(ALARMS_PATH, words.alarms), count: active },
        link(JOURNAL_PATH, words.journal),
        link(SETTINGS_PATH, words.settings),
      ]}
      jump={<JumpButton />}
      annunciator={<Annunciator />}
      tools={
        <>
          <IfMuted />
          <IfVault>
            <LockNow />
          </IfVault>
          <ThemeToggle />
        </>
      }
    />
  )
}

/** Until alarms are evaluated, what is known of the nodes stands there. */
function Annunciator() {
  const areEvaluated = useAlarms((view) => view !== undefined)
  const counts = severityCounts(
    undefined,
    useEvaluation((now) => now),
  )
  const nodes = (
    <Tiles
      label={words.tiles}
      tiles={COUNTED.map((shown) => ({
        kind: shown === 'no-data' ? 'none' : shown,
        count: counts[shown],
        label: levelWords[shown],
        href: hrefOf(`${NODES_PATH}?condition=${shown}`),
        hot: shown === 'critical' || (shown === 'warning' && counts.critical === 0),
      }))}
    />
  )
  return areEvaluated ? (
    <Suspense fallback={nodes}>
      <AlarmTiles />
    </Suspense>
  ) : (
    nodes
  )
}

function IfMuted() {
  const isMuted = useAlarms((view) => view?.mutedUntilWallMs !== undefined)
  return isMuted ? (
    <Suspense>
      <MutedNote />
    </Suspense>
  ) : null
}

function IfToasts() {
  const isEmpty = useStore(useDashboard().toasts, (toasts) => toasts.length === 0)
  return isEmpty ? null : (
    <Suspense>
      <Toasts />
    </Suspense>
  )
}
