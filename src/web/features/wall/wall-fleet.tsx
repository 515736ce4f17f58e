import { useMemo, useState } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { NodeSeverity } from '#fleet/assessment.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useWallNow } from '#react/ticking.tsx'
import { useAlarms, useNow, useFleet } from '#react/use-fleet.ts'
import { useLastEvent } from '#react/use-past-events.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmValue } from '#texts/en-alarms.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatValue } from '#texts/format-metric.ts'
import { formatMoment, type Zone } from '#texts/format-time.ts'
import { formatAge, formatCount } from '#texts/format.ts'
import { COUNTED, severityCounts, type SeverityCounts } from '#parts/severity-counts.ts'
import { subjectOf } from '#parts/alarm-subject.ts'
import { markOf, titleOf } from '#parts/alarm-words.ts'
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
  const { metrics, answered } = useFigures(fleet)
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
        {metrics.map(({ metric, heading, value }) => (
          <span key={metric.id}>
            {heading} <b>{value === undefined ? words.none : formatValue(metric, value)}</b>
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

/** Read at the other end of the room, more lines than this are not. */
const LINES_MAX = 5

type AlarmedProps = Omit<PartProps, 'zone'> & {
  readonly counts: SeverityCounts
  /** Nodes with nothing to say of them. */
  readonly within: number
  readonly alarms: readonly AlarmView[]
}

function Alarmed({ fleet, severities, counts, within, alarms }: AlarmedProps) {
  const { metrics } = useDashboard()
  const { answered } = useFigures(fleet)
  const all = fleet.nodes.size
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
            <span>{levelWords[shown]}</span>
          </div>
        ))}
      </section>
      <ul className="wall-list">
        {alarms.slice(0, LINES_MAX).map((alarm) => (
          <li key={alarm.id}>
            <Glyph kind={alarm.severity} {...markOf(alarm)} />
            <b>
              <VisibleText text={subjectOf(alarm, fleet)} />
            </b>
            <span>{titleOf(alarm, metrics)}</span>
            <em className={alarm.severity}>
              {shortened(alarmValue(alarm.kind, alarm.value, metrics) ?? '')}
            </em>
          </li>
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
        {alarms.length > LINES_MAX && <span>{words.shown(LINES_MAX, alarms.length)}</span>}
      </footer>
    </>
  )
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

function useFigures(fleet: FleetSnapshot): FleetFigures {
  const { metrics } = useDashboard()
  const [count] = useState(() => countedEvery(metrics, COUNT_EVERY_MS))
  return count(fleet, useNow())
}
