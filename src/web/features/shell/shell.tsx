import {
  Bell,
  CircleDot,
  FileText,
  LockKeyhole,
  ScrollText,
  Settings,
  type LucideIcon,
  Search,
} from 'lucide-react'
import { useEffect, type ReactNode } from 'react'
import { useLocation } from '#react/location.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { useAlarms, useBoot, useFleet, useKeys, useEngineState, useNow } from '#react/use-fleet.ts'
import { useLockNow } from '#react/use-signer-call.ts'
import { hrefOf, nodeOfPath, PATHS } from '#react/routes.ts'
import { shellTexts as words, shellTexts } from '#texts/en-shell.ts'
import { AppShell, Brand, TopBar, StatusItem, StatusLine } from '#ui/app-shell.tsx'
import { IconButton } from '#ui/button.tsx'
import { OnceStarted } from '#parts/once-started.tsx'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { TabState } from './tab-state.tsx'
import { NodeTiles } from './node-tiles.tsx'
import { late } from '#ui/late.tsx'
import type { NodeKey } from '#fleet/live.ts'
import { watchState } from '#parts/watch-state.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { StatusFacts } from './status-facts.tsx'
import { COMMAND_KEY, openOverlay } from '#react/overlay.ts'
import { KeyHint } from '#ui/key-hint.tsx'

const rest = () => import('./shell-rest.ts')
const Annunciator = late(async () => (await rest()).Annunciator, NodeTiles)
const Messages = late(async () => (await rest()).Messages)
const MutedNote = late(async () => (await rest()).MutedNote)
const Toasts = late(async () => (await rest()).Toasts)

const LISTING = [PATHS.alarms, PATHS.journal]

export function Shell({ children }: { readonly children: ReactNode }) {
  const [location] = useLocation()
  const node = nodeOfPath(location)
  return (
    <EvaluationProvider>
      <PartBoundary>
        <TabState node={node} path={location} />
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
          <OnceStarted>
            <Messages
              path={location}
              node={node}
              briefly={LISTING.some((path) => location.startsWith(path))}
            />
          </OnceStarted>
        </PartBoundary>
        {/* A page that failed must not keep the next one from being drawn. */}
        <PartBoundary key={location}>{children}</PartBoundary>
      </AppShell>
      <PartBoundary>
        <OnceStarted>
          <Toasts />
        </OnceStarted>
      </PartBoundary>
    </EvaluationProvider>
  )
}

/** A new page starts at its top, wherever the previous one was scrolled. */
function PageTop() {
  useEffect(() => {
    document.documentElement.scrollTop = 0
  }, [])
  return null
}

function Top({ path }: { readonly path: string }) {
  const counts = useAlarms((view) => view?.counts)
  const link = (to: string, label: string, Icon: LucideIcon) => ({
    href: hrefOf(to),
    label,
    icon: <Icon className="icon" aria-hidden />,
    current: path.startsWith(to),
  })
  const active = counts === undefined ? 0 : counts.critical + counts.warning + counts.info
  return (
    <TopBar
      brand={<Brand name={words.brand} href={hrefOf(PATHS.nodes)} />}
      navLabel={words.nav}
      links={[
        link(PATHS.nodes, words.nodes, CircleDot),
        { ...link(PATHS.alarms, words.alarms, Bell), count: active > 0 ? active : undefined },
        link(PATHS.journal, words.journal, ScrollText),
        link(PATHS.report, words.report, FileText),
        link(PATHS.settings, words.settings, Settings),
      ]}
      jump={<JumpButton />}
      annunciator={
        <OnceStarted waiting={<NodeTiles />}>
          <Annunciator />
        </OnceStarted>
      }
      tools={
        <>
          <OnceStarted>
            <MutedNote />
          </OnceStarted>
          <LockNow />
          <ThemeToggle />
        </>
      }
    />
  )
}

export function LockNow() {
  const lock = useLockNow()
  return lock && <IconButton label={words.lockNow} icon={LockKeyhole} onClick={lock} />
}

function Status({ node }: { readonly node: NodeKey | undefined }) {
  return (
    <StatusLine label={shellTexts.status.label}>
      <Watching />
      {/* The status line shows whether the dashboard is watching, even if another part fails. */}
      <ErrorBoundary fallback={() => null}>
        <StatusFacts node={node} />
      </ErrorBoundary>
    </StatusLine>
  )
}

function Watching() {
  const fleet = useFleet((snapshot) => snapshot)
  const { text, live } = watchState(fleet, useKeys(), useBoot(), useEngineState(), useNow())
  return (
    <StatusItem dot={{ isLive: live, answers: fleet.screen.answered }}>
      <b>{text}</b>
    </StatusItem>
  )
}

const JumpButton = () => (
  <button
    type="button"
    className="jump-button ink-3"
    title={shellTexts.goTo}
    aria-keyshortcuts={COMMAND_KEY === 'Ctrl' ? 'Control+K' : 'Meta+K'}
    onClick={() => openOverlay('palette')}
  >
    <Search className="icon small" aria-hidden />
    <span className="truncate">{shellTexts.goTo}</span>
    <KeyHint>{`${COMMAND_KEY} K`}</KeyHint>
  </button>
)
