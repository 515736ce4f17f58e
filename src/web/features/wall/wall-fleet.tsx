import { useMemo, useState } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { stageAt, worstCheck } from '#fleet/assessment.ts'
import { networkFigures, type NetworkFigure } from '#fleet/network-metrics.ts'
import { valueNow, type NodeKey, type NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { NodeSeverity } from '#fleet/assessment.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useSteps, useWallNow } from '#react/ticking.tsx'
import { useAlarms, useNow, useFleet } from '#react/use-fleet.ts'
import { useLastEvent } from '#react/use-past-events.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { alarmValue } from '#texts/en-alarms.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatValue } from '#texts/format-metric.ts'
import { networkText } from '#texts/format-network.ts'
import { formatMoment, type Zone } from '#texts/format-time.ts'
import { formatAge, formatCount } from '#texts/format.ts'
import { COUNTED, severityCounts, type SeverityCounts } from '#parts/severity-counts.ts'
import { alarmMarkOf } from '#parts/alarm-marks.ts'
import { subjectOf } from '#parts/alarm-subject.ts'
import { glyphOf, levelOf } from '#parts/severity.ts'
import { nodeNameIn } from '#parts/subject-names.ts'
import { markOf, needsAcknowledgement, titleOf } from '#parts/alarm-words.ts'
import { classNames } from '#ui/class-names.ts'
import { Glyph } from '#ui/glyph.tsx'
import { Mosaic } from '#ui/mosaic.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { cellsOf, countedEvery, createPlaces, type FleetFigures } from '#parts/fleet-figures.ts'

type WallFleetProps = {
  /** What asks for a person, the most urgent first. */
  readonly alarms: readonly AlarmView[]
  readonly zone: Zone
}

/** All nodes: one large figure while all is well, and who is not well otherwise. */
export function WallFleet({ alarms, zone }: WallFleetProps) {
  const evaluation = useEvaluation((now) => now)
  const { severities } = evaluation
  const fleet = useFleet((snapshot) => snapshot)
  const counted = useAlarms((view) => view?.counts)
  const within = useMemo(
    () => Array.from(severities.values()).filter((severity) => severity === 'ok').length,
    [severities],
  )
  const quiet = alarms.length === 0 && within === fleet.nodes.size
  return quiet ? (
    <Quiet fleet={fleet} severities={severities} zone={zone} />
  ) : (
    <Alarmed
      fleet={fleet}
      severities={severities}
      counts={severityCounts(counted, evaluation)}
      within={within}
      alarms={alarms}
    />
  )
}

type PartProps = {
  readonly fleet: FleetSnapshot
  readonly severities: ReadonlyMap<NodeKey, NodeSeverity>
  readonly zone: Zone
}

function Quiet({ fleet, severities, zone }: PartProps) {
  const lastAlarm = useLastEvent('alarm')?.wallMs
  const wallMs = useWallNow() ?? 0
  const { answered } = useFigures(fleet)
  const figures = useNetwork(fleet)
  const all = fleet.nodes.size
  return (
    <>
      <section className="wall-ok">
        <div>
          <Glyph kind="ok" />
          {formatCount(all)}
        </div>
        <p>{words.within(all)}</p>
        <small>
          {lastAlarm !== undefined &&
            words.quietFor(formatAge(wallMs - lastAlarm), formatMoment(lastAlarm, wallMs, zone))}
        </small>
      </section>
      <Nodes fleet={fleet} severities={severities} height={190} />
      <footer className="wall-foot">
        {figures.map((figure) => (
          <span key={figure.metric.id}>
            {words.network(figure)} <b>{networkText(figure, true) ?? words.none}</b>
          </span>
        ))}
        <span>
          {words.answered}
          <b>{formatCount(answered)}</b>
          {words.answeredOf(all)}
        </span>
      </footer>
    </>
  )
}

/** A longer value would push its node away. */
const VALUE_CHARS = 24

const shortened = (value: string): string =>
  value.length > VALUE_CHARS ? `${value.slice(0, VALUE_CHARS)}…` : value

/** Read at the other end of the room, more lines than this are not; under a bar that names the worst there is room for fewer. */
const LINES = { plain: 5, underBar: 3 } as const

type AlarmedProps = Omit<PartProps, 'zone'> & {
  readonly counts: SeverityCounts
  /** Nodes with nothing to say of them. */
  readonly within: number
  readonly alarms: readonly AlarmView[]
}

function Alarmed({ fleet, severities, counts, within, alarms }: AlarmedProps) {
  const { answered } = useFigures(fleet)
  const all = fleet.nodes.size
  const others = useUnexplained(fleet, severities, alarms)
  const hasBar = alarms.some((alarm) => alarm.severity === 'critical' && needsAcknowledgement(alarm))
  const lines = LINES[hasBar ? 'underBar' : 'plain']
  const more = alarms.length + others.length - lines
  return (
    <>
      <section className="wall-tiles">
        {COUNTED.map((shown) => (
          <div
            key={shown}
            className={classNames('wall-tile', counts[shown] === 0 ? 'zero' : shown === 'critical' && 'hot')}
          >
            <Glyph kind={shown === 'no-data' ? 'none' : shown} />
            <b>{formatCount(counts[shown])}</b>
            <span>
              {levelWords[shown]}{' '}
              <small>
                {shown === 'no-data' ? '' : words.onNodes(countOf(severities, shown), counts[shown])}
              </small>
            </span>
          </div>
        ))}
      </section>
      <ul className="wall-list">
        {alarms.slice(0, lines).map((alarm) => (
          <AlarmLine key={alarm.id} alarm={alarm} fleet={fleet} />
        ))}
        {others.slice(0, Math.max(0, lines - alarms.length)).map((key) => (
          <NodeLine key={key} nodeKey={key} fleet={fleet} severity={severities.get(key) ?? 'no-data'} />
        ))}
      </ul>
      <Nodes fleet={fleet} severities={severities} height={70} />
      <footer className="wall-foot">
        <span>
          <b>{formatCount(within)}</b>
          {words.withinOf(all)}
        </span>
        <span>
          {words.answered}
          <b>{formatCount(answered)}</b>
          {words.answeredOf(all)}
        </span>
        {more > 0 && <span>{words.more(more)}</span>}
      </footer>
    </>
  )
}

const countOf = (severities: ReadonlyMap<NodeKey, NodeSeverity>, wanted: NodeSeverity): number =>
  Array.from(severities.values()).filter((severity) => severity === wanted).length

function AlarmLine({ alarm, fleet }: { readonly alarm: AlarmView; readonly fleet: FleetSnapshot }) {
  const { metrics } = useDashboard()
  const wallMs = useWallNow()
  const value = alarmValue(alarm.kind, alarm.value, metrics)
  return (
    <li>
      <Glyph kind={alarm.severity} {...markOf(alarm)} />
      <b>
        <VisibleText text={subjectOf(alarm, fleet)} />
      </b>
      <span>
        {titleOf(alarm, metrics)}
        {wallMs !== undefined && (
          <small> {words.sinceAgo(formatAge(Math.max(0, wallMs - alarm.sinceWallMs)))}</small>
        )}
      </span>
      <em className={alarm.severity}>{shortened(value ?? '')}</em>
    </li>
  )
}

type NodeLineProps = {
  readonly nodeKey: NodeKey
  readonly fleet: FleetSnapshot
  readonly severity: NodeSeverity
}

/** A node of which no alarm speaks, or not yet. */
function NodeLine({ nodeKey, fleet, severity }: NodeLineProps) {
  const { metrics } = useDashboard()
  const nowMs = useNow()
  const node = fleet.nodes.get(nodeKey)
  if (node === undefined) return null
  const check = worstCheck(stageAt(node.assessment, nowMs))
  const metric = metrics.find(({ id }) => id === check?.id)
  const value = metric && valueNow(node, metric, nowMs)
  return (
    <li>
      <Glyph kind={glyphOf(severity)} />
      <b>
        <VisibleText text={nodeNameIn(fleet, nodeKey) ?? words.ownNode} />
      </b>
      <span>
        {check === undefined ? levelWords[severity] : checkText(check, metrics, node.episode?.failure)}
        {node.episode !== undefined && (
          <small> {words.sinceAgo(formatAge(Math.max(0, nowMs - node.episode.sinceMs)))}</small>
        )}
      </span>
      <em className={levelOf(severity)}>
        {metric === undefined || value === undefined ? '' : shortened(formatValue(metric, value))}
      </em>
    </li>
  )
}

const RANK: readonly NodeSeverity[] = ['critical', 'warning', 'no-data', 'info']

/** Nodes that are not as they should be and that no alarm names, worst first: what is counted is named as well. */
function useUnexplained(
  fleet: FleetSnapshot,
  severities: ReadonlyMap<NodeKey, NodeSeverity>,
  alarms: readonly AlarmView[],
): readonly NodeKey[] {
  const view = useAlarms((now) => now)
  return useMemo(() => {
    // Of a large group only its worst are listed by name: the others of its service are explained all the same.
    const cut = alarms.filter(
      ({ memberCount, members, nodeCount, nodes }) =>
        (memberCount > 1 && memberCount > members.length) || (nodeCount > 1 && nodeCount > nodes.length),
    )
    const isOfCut = ({ serviceId }: NodeLive): boolean =>
      cut.some(({ subject }) => !('serviceId' in subject) || subject.serviceId === serviceId)
    const odd = Array.from(severities).filter(([, severity]) => severity !== 'ok')
    return odd
      .filter(([key]) => {
        const node = fleet.nodes.get(key)
        return node !== undefined && !isOfCut(node) && alarmMarkOf(view, key, node.serviceId) === undefined
      })
      .toSorted(([, one], [, other]) => RANK.indexOf(one) - RANK.indexOf(other))
      .map(([key]) => key)
  }, [fleet, severities, alarms, view])
}

const WIDTH = 1_800
const CELL_MAX = 40

type NodesProps = Pick<PartProps, 'fleet' | 'severities'> & { readonly height: number }

function Nodes({ fleet, severities, height }: NodesProps) {
  const { nodes } = fleet
  const places = usePlaces(nodes)
  const groups = useMemo(() => cellsOf(places, severities), [places, severities])
  const abnormal = groups.flatMap(({ cells }) => cells).filter((cell) => cell !== undefined).length
  return (
    <Mosaic
      groups={groups}
      width={WIDTH}
      height={height}
      cellMax={CELL_MAX}
      label={words.mosaic(nodes.size, abnormal)}
    />
  )
}

/** Where a node stands depends on who is watched, and not on how each is. */
function usePlaces(nodes: FleetSnapshot['nodes']): readonly (readonly NodeKey[])[] {
  const [order] = useState(createPlaces)
  return order(nodes)
}

/** Thousands of nodes are counted at most so often. */
const COUNT_EVERY_MS = 2_000

/** As the page of nodes has them. */
function useNetwork(fleet: FleetSnapshot): readonly NetworkFigure[] {
  const { metrics, nowMs } = useDashboard()
  const stepMs = useSteps(COUNT_EVERY_MS)
  const [shown, setShown] = useState<{
    readonly stepMs: number
    readonly figures: readonly NetworkFigure[]
  }>()
  if (shown !== undefined && shown.stepMs === stepMs) return shown.figures
  const figures = networkFigures(fleet, Math.max(stepMs, nowMs()), metrics)
  setShown({ stepMs, figures })
  return figures
}

function useFigures(fleet: FleetSnapshot): FleetFigures {
  const { metrics } = useDashboard()
  const [count] = useState(() => countedEvery(metrics, COUNT_EVERY_MS))
  return count(fleet, useNow())
}
