import { lazy, Suspense, type ReactNode } from 'react'
import { DEFAULTS } from '#protocol/defaults.ts'
import type { Service } from '#protocol/settings.ts'
import type { LaneData } from '#history/history.ts'
import { isCurrent, type Link } from '#monitor/link.ts'
import type { NodeLive } from '#monitor/live.ts'
import { Ticking } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { useLanes } from '#react/use-history.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { zoneName } from '#texts/format-time.ts'
import { formatAge, percentParts } from '#texts/format.ts'
import type { ChartLane, ChartTexts } from '#ui/chart/chart-types.ts'
import { PlainPanel } from '#ui/panel.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { answeredShare, marksOf, spansOf } from './lane-spans.ts'
import {
  heartbeatLane,
  latencyLane,
  participationLane,
  proofLane,
  stakeLane,
  threatLane,
  type LaneContext,
} from './lane-values.ts'
import { BAR_MS, rangeLabel } from './range.ts'
import type { TimeControl } from './use-time-window.ts'

/** Recharts is larger than everything else together, and not needed for the first status. */
const StripChart = lazy(async () => ({ default: (await import('#ui/chart/strip-chart.tsx')).StripChart }))

const words = nodeHistoryTexts.lanes

/** At least as many columns as any plot has pixels on a usual screen; four points each. */
const COLUMNS = 1_000

type LanesProps = {
  readonly node: NodeLive
  readonly service: Service
  readonly link: Link
  readonly time: TimeControl
}

/** Every value over time, on one axis. */
export function Lanes({ node, service, link, time }: LanesProps) {
  const { data, failed } = useLanes(
    {
      node: node.key,
      fromMs: Math.floor(time.window.fromMs),
      toMs: Math.ceil(time.window.toMs),
      columns: COLUMNS,
      barMs: BAR_MS[time.range],
      bridgeMs: service.pollIntervalMs * DEFAULTS.staleAfterIntervals,
    },
    node.answered + node.failed,
  )
  if (failed) return <PlainPanel label={label(time)}>{words.failed}</PlainPanel>
  const waiting = (
    <PlainPanel label={label(time)}>
      <Skeleton label={words.loading} lines={8} />
    </PlainPanel>
  )
  if (data === undefined) return waiting
  return (
    <Suspense fallback={waiting}>
      <Chart lanes={data} node={node} service={service} link={link} time={time} />
    </Suspense>
  )
}

const label = (time: TimeControl): string => words.label(rangeLabel(time.range))

function Chart({ lanes, node, service, link, time }: LanesProps & { readonly lanes: LaneData }) {
  const zone = useConfiguration().settings.display.timeZone
  const old = !isCurrent(link)
  const context: LaneContext = {
    node,
    service,
    lanes,
    old,
    inRange: time.window.whole ? words.inRange(rangeLabel(time.range)) : words.inSession,
    barMs: BAR_MS[time.range],
  }
  const share = answeredShare(lanes)
  return (
    <StripChart
      label={label(time)}
      fromMs={lanes.fromMs}
      toMs={lanes.toMs}
      timeZone={zone}
      zoneText={words.allTimes(zoneName(zone))}
      {...(time.live && { nowText: words.now })}
      texts={CHART_TEXTS}
      spans={spansOf(lanes)}
      lanes={lanesOf(context)}
      marks={marksOf(lanes)}
      health={{
        title: words.health,
        value: <Health share={share} />,
        label: time.window.whole ? rangeLabel(time.range) : words.session,
      }}
      legendNote={words.points(lanes.points, lanes.samples)}
    />
  )
}

/** The lanes from top to bottom; in place of its note an old one says how old it is. */
function lanesOf(context: LaneContext): readonly ChartLane[] {
  const { node, old } = context
  const { reading, proofSinceMs } = node
  const age: ReactNode =
    old && reading !== undefined ? (
      <Ticking>{(nowMs) => words.old(formatAge(nowMs - reading.startedMs))}</Ticking>
    ) : undefined
  const changed: ReactNode =
    proofSinceMs === undefined ? undefined : (
      <Ticking>{(nowMs) => words.changedAgo(formatAge(nowMs - proofSinceMs))}</Ticking>
    )
  return [
    heartbeatLane(context),
    participationLane(context),
    threatLane(context),
    stakeLane(context),
    latencyLane(context),
    changed === undefined ? proofLane(context) : { ...proofLane(context), note: changed },
  ].map((lane) => (age === undefined ? lane : { ...lane, note: age }))
}

const Health = ({ share }: { readonly share: number | undefined }) =>
  share === undefined ? (
    words.healthUnknown
  ) : (
    <>
      <b>
        {percentParts(share).whole}
        {percentParts(share).fraction}
      </b>
      {words.healthOf}
    </>
  )

const CHART_TEXTS: ChartTexts = {
  crosshair: words.crosshair,
  readout: words.readout,
  noValue: words.noValue,
  usual: words.usual,
  limit: words.limit,
  noAnswer: words.noAnswer,
  notWatched: words.notWatched,
  event: words.event,
  showTable: words.showTable,
  tableLabel: words.table,
  timeHeader: words.time,
  stateHeader: words.state,
  emptyTable: words.emptyTable,
}
