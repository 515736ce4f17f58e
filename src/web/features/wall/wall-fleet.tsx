import { useMemo } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { failureOf } from '#fleet/cause.ts'
import { isCurrentAt, stageAt, worstCheck, type NodeClass } from '#fleet/assessment.ts'
import { networkFigures } from '#fleet/network-metrics.ts'
import { valueNow, type NodeKey, type NodeLive } from '#fleet/live.ts'
import { countedNodes, type FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useWallNow } from '#react/ticking.tsx'
import { useAlarms, useNow, useFleet } from '#react/use-fleet.ts'
import { useLastEvent } from '#react/use-past-events.ts'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatValue } from '#texts/format-metric.ts'
import { networkText } from '#texts/format-network.ts'
import { formatMoment, type Zone } from '#texts/format-time.ts'
import { formatAge, formatCount } from '#texts/format.ts'
import { nodeNameIn } from '#texts/names.ts'
import { alarmMarkOf } from '#alarms/alarm-marks.ts'
import { subjectOf } from '#parts/alarm-subject.ts'
import { COUNTED, glyphOf, levelOf } from '#parts/severity.ts'
import { markOf, needsAcknowledgement, titleOf } from '#parts/alarm-words.ts'
import { classNames } from '#ui/class-names.ts'
import { Glyph } from '#ui/glyph.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { useCounted } from '#parts/fleet-figures.ts'
import { WallNodes } from './wall-nodes.tsx'

type WallFleetProps = {
  /** Alarms that need attention, most urgent first. */
  readonly alarms: readonly AlarmView[]
  readonly zone: Zone
}

export function WallFleet({ alarms, zone }: WallFleetProps) {
  const areWell = useEvaluation(({ counts }) => counts.ok === counts.all)
  return areWell && alarms.length === 0 ? <Quiet zone={zone} /> : <Alarmed alarms={alarms} />
}

function Quiet({ zone }: Pick<WallFleetProps, 'zone'>) {
  const fleet = useFleet((snapshot) => snapshot)
  const { classes, counts } = useEvaluation((now) => now)
  const { all } = counts
  const lastAlarm = useLastEvent('alarm')?.wallMs
  const wallMs = useWallNow() ?? 0
  const answered = useCounted(answeredIn)
  const figures = useCounted(networkFigures)
  return (
    <>
      <section className={classNames('wall-ok', all <= TILES_AT_MOST && 'compact')}>
        <div className="row">
          <Glyph kind="ok" />
          {formatCount(all)}
        </div>
        <p>{words.within(all)}</p>
        <small>
          {lastAlarm !== undefined &&
            words.quietFor(formatAge(wallMs - lastAlarm), formatMoment(lastAlarm, wallMs, zone))}
        </small>
      </section>
      <WallNodes fleet={fleet} severities={classes} isQuiet />
      <dl className="wall-network">
        {figures.map((figure) => (
          <div key={figure.metric.id}>
            <dt>{words.network(figure)}</dt>
            <dd>{networkText(figure, true) ?? words.none}</dd>
          </div>
        ))}
        <div>
          <dt>{words.answeredLast}</dt>
          <dd>
            {formatCount(answered)} <small>{words.of(all)}</small>
          </dd>
        </div>
      </dl>
    </>
  )
}

/** Up to this many nodes can be shown by name, and they need the space. */
const TILES_AT_MOST = 48

/** A longer value would push its node off the line. */
const VALUE_CHARS = 24

const shortened = (value: string): string =>
  value.length > VALUE_CHARS ? `${value.slice(0, VALUE_CHARS)}…` : value

/** Larger numbers do not fit at full size. */
const WIDE_FROM = 999

/** More lines can't be read from a distance; a bar that names the highest severity leaves space for fewer. */
const LINES = { plain: 5, underBar: 3 } as const

function Alarmed({ alarms }: Pick<WallFleetProps, 'alarms'>) {
  const fleet = useFleet((snapshot) => snapshot)
  const { classes: severities, counts } = useEvaluation((now) => now)
  const answered = useCounted(answeredIn)
  const others = useUnexplained(fleet, severities, alarms)
  const hasBar = alarms.some((alarm) => alarm.severity === 'critical' && needsAcknowledgement(alarm))
  const lines = linesOf(alarms, others, severities, LINES[hasBar ? 'underBar' : 'plain'])
  return (
    <>
      <section className="wall-tiles">
        {TILES.map((shown) => (
          <div
            key={shown}
            className={classNames(
              'wall-tile',
              counts[shown] === 0 ? 'zero' : shown === 'critical' && 'filled critical',
              counts[shown] > WIDE_FROM && 'wide',
            )}
          >
            <Glyph kind={glyphOf(shown)} />
            <b>{formatCount(counts[shown])}</b>
            <span className="truncate">{levelWords[shown]}</span>
          </div>
        ))}
      </section>
      <ul className="wall-list">
        {lines.shown.map((line) =>
          line.alarm === undefined ? (
            <NodeLine key={line.id} nodeKey={line.key} fleet={fleet} severity={line.severity} />
          ) : (
            <AlarmLine key={line.id} alarm={line.alarm} fleet={fleet} />
          ),
        )}
      </ul>
      <WallNodes fleet={fleet} severities={severities} isQuiet={false} />
      <footer className="wall-foot">
        <span>
          <b>{formatCount(counts.ok)}</b>
          {words.withinOf(counts.all)}
        </span>
        <span>
          {words.answered}
          <b>{formatCount(answered)}</b>
          {words.answeredOf(counts.all)}
        </span>
        {counts.shelved > 0 && (
          <span>
            <b>{formatCount(counts.shelved)}</b> {levelWords.shelved}
          </span>
        )}
        {lines.more > 0 && <span>{words.more(lines.more)}</span>}
      </footer>
    </>
  )
}

/** Shelved nodes are listed below the tiles, and only if there are any. */
const TILES = COUNTED.filter((shown) => shown !== 'shelved')

type Line = { readonly id: string; readonly severity: NodeClass } & (
  | { readonly alarm: AlarmView; readonly key?: undefined }
  | { readonly alarm?: undefined; readonly key: NodeKey }
)

/**
 * The lines to show, highest severity first, and how many are left out. An alarm of many nodes is one line unless each node
 * fits.
 */
export function linesOf(
  alarms: readonly AlarmView[],
  others: readonly NodeKey[],
  severities: ReadonlyMap<NodeKey, NodeClass>,
  linesMax: number,
): { readonly shown: readonly Line[]; readonly more: number } {
  const apart = alarms.flatMap(eachOf)
  const canShowAll = apart.length + others.length <= linesMax
  const lines: readonly Line[] = [
    ...(canShowAll ? apart : alarms).map((alarm) => ({ id: alarm.id, severity: alarm.severity, alarm })),
    ...others.map((key) => ({ id: key, key, severity: severities.get(key) ?? ('no-data' as const) })),
  ].toSorted((one, other) => RANK.indexOf(one.severity) - RANK.indexOf(other.severity))
  return { shown: lines.slice(0, linesMax), more: Math.max(0, lines.length - linesMax) }
}

function eachOf(alarm: AlarmView): readonly AlarmView[] {
  const { memberCount, members, subject } = alarm
  if (memberCount < 2 || members.length < memberCount || !('serviceId' in subject)) return [alarm]
  const { serviceId } = subject
  return members.map((member) => ({
    ...alarm,
    ...member,
    subject: { kind: 'node', node: member.node, serviceId },
    memberCount: 1,
    members: [],
  }))
}

function AlarmLine({ alarm, fleet }: { readonly alarm: AlarmView; readonly fleet: FleetSnapshot }) {
  const { metrics } = useDashboard()
  const wallMs = useWallNow()
  const value = alarmValue(alarm.kind, alarm.value, metrics)
  const isRecovering = alarm.phase === 'recovering'
  return (
    <li>
      <Glyph kind={alarm.severity} {...markOf(alarm)} {...(isRecovering && { ring: 'acked' })} />
      <b>
        <VisibleText text={subjectOf(alarm, fleet)} />
      </b>
      <span>
        {titleOf(alarm, metrics)}
        {isRecovering ? (
          <small> {alarmTexts.sub.recovering}</small>
        ) : (
          wallMs !== undefined && (
            <small> {words.sinceAgo(formatAge(Math.max(0, wallMs - alarm.sinceWallMs)))}</small>
          )
        )}
      </span>
      <em className={isRecovering ? undefined : alarm.severity}>{shortened(value ?? '')}</em>
    </li>
  )
}

type NodeLineProps = {
  readonly nodeKey: NodeKey
  readonly fleet: FleetSnapshot
  readonly severity: NodeClass
}

/** A node without an alarm, or whose alarm is not raised yet. */
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
        <VisibleText text={nodeNameIn(fleet, nodeKey)} />
      </b>
      <span>
        {check === undefined
          ? levelWords[severity]
          : checkText(check, metrics, failureOf(node, fleet.causes))}
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

const RANK: readonly NodeClass[] = ['critical', 'warning', 'no-data', 'info']

/** Nodes in alarm state that no alarm names, highest severity first, so that every counted node is also named. */
function useUnexplained(
  fleet: FleetSnapshot,
  severities: ReadonlyMap<NodeKey, NodeClass>,
  alarms: readonly AlarmView[],
): readonly NodeKey[] {
  const view = useAlarms((now) => now)
  const awaited = useEvaluation((evaluation) => evaluation.awaited)
  return useMemo(() => {
    // A large group lists only some members by name, so other nodes of its service count as covered too.
    const cut = alarms.filter(
      ({ memberCount, members, nodeCount, nodes }) =>
        (memberCount > 1 && memberCount > members.length) || (nodeCount > 1 && nodeCount > nodes.length),
    )
    const isOfCut = ({ serviceId }: NodeLive): boolean =>
      cut.some(({ subject }) => !('serviceId' in subject) || subject.serviceId === serviceId)
    // After a start, nodes awaiting their first poll are counted, but not listed.
    const odd = Array.from(severities).filter(
      ([key, severity]) =>
        severity !== 'ok' && severity !== 'shelved' && !(severity === 'no-data' && awaited.has(key)),
    )
    return odd
      .filter(([key]) => {
        const node = fleet.nodes.get(key)
        return node !== undefined && !isOfCut(node) && alarmMarkOf(view, key, node.serviceId) === undefined
      })
      .toSorted(([, one], [, other]) => RANK.indexOf(one) - RANK.indexOf(other))
      .map(([key]) => key)
  }, [fleet, severities, alarms, view, awaited])
}

const answeredIn = (fleet: FleetSnapshot, nowMs: number): number =>
  Array.from(countedNodes(fleet).values()).filter((node) => isCurrentAt(node, nowMs)).length
