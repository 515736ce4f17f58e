import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { toVisibleText } from '#base/visible-text.ts'
import { keepAwake, type WakeState } from '#react/platform.ts'
import { useEffect, useState } from 'react'
import { useLocation, useSearch } from '#react/location.ts'
import { isActive, type AlarmView } from '#alarms/alarm.ts'
import type { NodeLive, NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import {
  useAlarms,
  useBoot,
  useConfiguration,
  useFleet,
  useKeys,
  useEngineState,
  useNow,
} from '#react/use-fleet.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatClock, type Zone } from '#texts/format-time.ts'
import { formatAge } from '#texts/format.ts'
import { nodeNameIn } from '#texts/names.ts'
import { needsAcknowledgement, titleOf } from '#parts/alarm-words.ts'
import { watchState, type WatchState } from '#parts/watch-state.ts'
import { Glyph } from '#ui/glyph.tsx'
import { applyTheme } from '#ui/theme.ts'
import { VisibleText } from '#ui/visible-text.tsx'
import { silenceOf } from './silence.ts'
import { useTurn } from './use-turn.ts'
import { WallControls } from './wall-controls.tsx'
import { WallFleet } from './wall-fleet.tsx'
import { WallBar, WallFrame, WallHead } from './wall-frame.tsx'
import { WallNode } from './wall-node.tsx'
import { wallOptionsOf, type WallOptions, type WallView } from './wall-options.ts'
import type { NodeClass } from '#fleet/assessment.ts'
import { onlyNodeOf } from '#parts/alarm-subject.ts'

export function WallPage() {
  const [path] = useLocation()
  const options = wallOptionsOf(path, useSearch())
  useTheme(options.theme)
  const { metrics } = useDashboard()
  const fleet = useFleet((snapshot) => snapshot)
  const zone = useZone(options)
  const nowMs = useNow()
  const state = watchState(fleet, useKeys(), useBoot(), useEngineState(), nowMs)
  const silentMs = silenceOf(fleet, nowMs)
  const all = useAlarms((view) => view?.alarms) ?? NONE
  const mutedUntil = useAlarms((view) => view?.mutedUntilWallMs)
  const severities = useEvaluation((evaluation) => evaluation.classes)
  const turn = useTurn(options)
  const alarms = all.filter((alarm) => isActive(alarm) && concerns(alarm, options, fleet))
  const urgent = alarms.filter((alarm) => alarm.severity === 'critical' && needsAcknowledgement(alarm))
  const [first] = urgent
  const view = first === undefined ? turn.view : viewOfAlarms(alarms, severities, options)
  return (
    <WallFrame
      options={options}
      alarmed={first !== undefined}
      controls={<WallControls turn={turn} urgent={urgent} />}
    >
      {first !== undefined ? (
        <WallBar kind="critical" glyph="critical">
          {titleOf(first, metrics)}
        </WallBar>
      ) : (
        <NotWatching silentMs={silentMs} state={state} />
      )}
      <WallHead
        title={<Title view={view} fleet={fleet} />}
        link={{
          ...(silentMs === undefined ? state : { text: words.notWatching, live: false }),
          answers: fleet.screen.answered,
        }}
        zone={zone}
        remark={mutedUntil === undefined ? undefined : words.muted(formatClock(mutedUntil, zone))}
      />
      <Body view={view} state={state} fleet={fleet} alarms={alarms} zone={zone} />
      <WallFoot odd={options.odd} />
    </WallFrame>
  )
}

/** The URL sets the theme while the wall is shown; leaving it restores the theme of the settings. */
function useTheme(theme: WallOptions['theme']): void {
  const { theme: set, contrast } = useConfiguration().settings.display
  useEffect(() => {
    if (theme === undefined) return undefined
    applyTheme(document.documentElement, theme, contrast)
    return () => applyTheme(document.documentElement, set, contrast)
  }, [theme, set, contrast])
}

const NONE: readonly AlarmView[] = []

/** The last values stay on screen, and this message says that they are not current. */
function NotWatching({
  silentMs,
  state,
}: {
  readonly silentMs: number | undefined
  readonly state: WatchState
}) {
  if (silentMs === undefined && state.lacks === undefined) return null
  return (
    <WallBar kind="none" glyph="none">
      {silentMs === undefined ? state.text : words.silent(formatAge(silentMs))}
    </WallBar>
  )
}

function useZone({ zone }: WallOptions): Zone {
  const { timeZone } = useConfiguration().settings.display
  return zone ?? timeZone
}

function Title({ view, fleet }: { readonly view: WallView; readonly fleet: FleetSnapshot }) {
  if (view.kind === 'fleet') return words.allNodes
  return <VisibleText text={nodeNameIn(fleet, view.node)} />
}

type BodyProps = {
  readonly view: WallView
  readonly state: WatchState
  readonly fleet: FleetSnapshot
  readonly alarms: readonly AlarmView[]
  readonly zone: Zone
}

function Body({ view, state, fleet, alarms, zone }: BodyProps) {
  // Last values stay on screen, visibly outdated; without any, the reason is shown.
  if (state.lacks !== undefined && !hasReadings(fleet.nodes.values()))
    return <InWords title={words.lacks[state.lacks].title} text={words.lacks[state.lacks].text} />
  if (fleet.nodes.size === 0) return <InWords title={state.text} text="" />
  if (view.kind === 'fleet') return <WallFleet alarms={alarms} zone={zone} />
  const node = fleet.nodes.get(view.node)
  const service = node === undefined ? undefined : fleet.services.get(node.serviceId)
  if (node === undefined || service === undefined)
    return <InWords title={words.notWatched} text={words.notWatchedHelp} />
  const alarmed = alarms.some(({ severity }) => severity !== 'info')
  return <WallNode key={view.node} node={node} service={service} alarmed={alarmed} />
}

function hasReadings(nodes: Iterable<NodeLive>): boolean {
  for (const { reading } of nodes) if (reading !== undefined) return true
  return false
}

const InWords = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <section className="wall-ok">
    <div className="row words">
      <Glyph kind="none" />
      {title}
    </div>
    <small>{text}</small>
  </section>
)

function WallFoot({ odd }: { readonly odd: readonly string[] }) {
  const [awake, setAwake] = useState<WakeState>('off')
  useEffect(() => keepAwake(setAwake), [])
  const remarks = [
    ...(awake === 'refused' || awake === 'unsupported' ? [words.awake[awake]] : []),
    ...(odd.length > 0 ? [words.odd(toVisibleText(odd.join(', '), 80))] : []),
  ]
  return remarks.length === 0 ? null : (
    <footer className="wall-foot">
      {remarks.map((remark) => (
        <span key={remark}>{remark}</span>
      ))}
    </footer>
  )
}

/** Whether an alarm concerns a shown node or its service, or the screen itself. */
function concerns({ subject }: AlarmView, { views }: WallOptions, { nodes }: FleetSnapshot): boolean {
  if (subject.kind === 'screen' || views.some(({ kind }) => kind === 'fleet')) return true
  const shown = views.flatMap((view) => (view.kind === 'node' ? [view.node] : []))
  return subject.kind === 'node'
    ? shown.includes(subject.node)
    : shown.some((key) => nodes.get(key)?.serviceId === subject.serviceId)
}

/** The node's view if all alarms concern that node; otherwise the list. */
function viewOfAlarms(
  active: readonly AlarmView[],
  severities: ReadonlyMap<NodeKey, NodeClass>,
  { views }: WallOptions,
): WallView {
  const isShown = (node: NodeKey): boolean =>
    views.some((view) => view.kind === 'fleet' || view.node === node)
  const wrong = Array.from(severities).flatMap(([key, severity]) =>
    (severity === 'critical' || severity === 'warning') && isShown(key) ? [key] : [],
  )
  const [first, ...others] = [...active.map(onlyNodeOf), ...wrong]
  if (first !== undefined && others.every((other) => other === first)) return { kind: 'node', node: first }
  const alone: WallView | undefined = views.length === 1 ? views[0] : undefined
  return alone ?? { kind: 'fleet' }
}
