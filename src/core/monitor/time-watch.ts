import { MINUTE_MS } from '#base/time.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { SteadyClock } from '#base/steady.ts'
import type { WatchGap } from '#fleet/live.ts'
import { gapEntry } from '#history/history.ts'
import { offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import { clockSetBack } from './node-state.ts'
import { plan } from './asking.ts'
import type { MonitorParts } from './ports.ts'
import { offsetOf, voidOffsets } from './service-clock.ts'
import type { TrackedService } from './tracked.ts'

/** The engine wakes at least this often, however rare the polls, so that it notices and dates a sleep. */
export const WAKE_EVERY_MS = 15_000
/** A longer interruption counts as a gap, however long the poll intervals are. */
const GAP_MAX_MS = MINUTE_MS
/** A shorter delay is a busy computer, however short the poll intervals are. */
const GAP_MIN_MS = 5_000

export const unwatchedAfterMs = (shortestIntervalMs: number): number =>
  Math.max(GAP_MIN_MS, Math.min(DEFAULTS.gapAfterIntervals * shortestIntervalMs, GAP_MAX_MS))

/**
 * Reads the time and detects whether the engine slept or the clock was set since the last reading. `wakeMs` is when the timer
 * should have fired. On some systems both clocks run during sleep, so the delay shows it; on others the monotonic clock stops,
 * so the step shows it.
 */
export function readTime(steady: SteadyClock, wakeMs: number | undefined, shortestIntervalMs: number) {
  const nowMs = steady.nowMs()
  const { forwardMs, backwardMs } = steady.takeSteps()
  const lateMs = wakeMs === undefined ? 0 : nowMs - wakeMs
  const awayMs = Math.max(forwardMs, lateMs)
  return {
    nowMs,
    /** How long watching was interrupted, up to now; 0 if the engine was awake throughout. */
    unwatchedMs: awayMs > unwatchedAfterMs(shortestIntervalMs) ? awayMs : 0,
    /** Only the wall clock shows the gap. */
    byWallAlone: forwardMs > 0 && forwardMs >= awayMs - GAP_MIN_MS,
    setBackMs: backwardMs,
    /** How far the wall clock was set ahead, in ms; also above 0 if the computer slept. */
    setAheadMs: forwardMs,
  }
}

type TimeNotice = ReturnType<typeof readTime>

const GAPS_MAX = 50

/** Corrects the effects of a sleep or a set clock. Cheap if there was neither. */
export function mindTime(parts: MonitorParts, notice: TimeNotice): void {
  const { setAheadMs, setBackMs } = notice
  if (setAheadMs > 0 || setBackMs > 0) voidOffsets(parts.fleet, notice.byWallAlone, setAheadMs - setBackMs)
  if (setBackMs > 0) moveBack(parts, setBackMs)
  if (notice.unwatchedMs > 0) wakeUp(parts, notice)
}

/** Shifts stored wall times to the set-back clock; otherwise they would lie in the future. */
function moveBack(parts: MonitorParts, byMs: number): void {
  const wallMs = parts.clock.wallMs()
  const { nodes, screen } = parts.fleet
  for (const node of nodes.values()) clockSetBack(parts.fleet, node, byMs)
  screen.startedWallMs -= byMs
  screen.gaps = screen.gaps.map((gap) => ({
    ...gap,
    fromWallMs: gap.fromWallMs - byMs,
    toWallMs: gap.toWallMs - byMs,
  }))
  addGap(parts, { fromWallMs: wallMs + byMs, toWallMs: wallMs, reason: 'clock-step' })
}

/**
 * After a gap, aborts polls in flight, because an answer that waited for hours is not a current reading. Every missed node is
 * polled once at its next slot, not in a burst.
 */
function wakeUp(parts: MonitorParts, { nowMs, unwatchedMs, byWallAlone }: TimeNotice): void {
  const { clock, fleet, schedule } = parts
  const wallMs = clock.wallMs()
  addGap(parts, {
    fromWallMs: wallMs - unwatchedMs,
    toWallMs: wallMs,
    reason: 'asleep',
    ...(byWallAlone && { set: 'maybe' }),
  })
  for (const node of fleet.nodes.values()) {
    node.unwatched = true
    const missed = node.live.nextPollMs !== undefined && node.live.nextPollMs < nowMs
    if (node.flight !== undefined) node.flight.abort.abort()
    else if (missed || schedule.isQueued(node)) plan(parts, node, nowMs)
  }
}

/** Tolerance in addition to the uncertainty of the two offsets. */
const SAME_WITHIN_MS = 2_000

/**
 * The clock offset of the service or of its nodes before and after a gap shows whether the computer slept or its clock was set
 * ahead.
 */
export function explainGap(
  { fleet: { screen, changes }, log, clock }: MonitorParts,
  service: TrackedService,
): void {
  const { offsetBefore } = service.clock
  const gap = screen.gaps.at(-1)
  const offset = offsetBefore && offsetOf(service)
  if (offset === undefined || offsetBefore === undefined) return
  service.clock.offsetBefore = undefined
  if (gap?.set !== 'maybe') return
  const lengthMs = gap.toWallMs - gap.fromWallMs
  const movedMs = offsetMs(offsetBefore) - offsetMs(offset)
  const withinMs = SAME_WITHIN_MS + offsetUncertaintyMs(offsetBefore) + offsetUncertaintyMs(offset)
  const hasSlept = Math.abs(movedMs) <= withinMs
  const isSet = Math.abs(movedMs - lengthMs) <= withinMs
  // Undecided: the offset fits both explanations or neither.
  if (hasSlept === isSet) return
  const { set: _unknown, ...known } = gap
  screen.gaps = [...screen.gaps.slice(0, -1), isSet ? { ...known, set: 'ahead' } : known]
  log({
    wallMs: clock.wallMs(),
    area: 'watching',
    what: 'gap-explained',
    facts: { reason: isSet ? 'set-ahead' : 'asleep', fromMs: gap.fromWallMs, toMs: gap.toWallMs },
  })
  changes.screen()
}

function addGap({ fleet: { screen, changes }, records, log }: MonitorParts, gap: WatchGap): void {
  screen.gaps = [...screen.gaps, gap].slice(-GAPS_MAX)
  const kept = { fromMs: gap.fromWallMs, toMs: gap.toWallMs, reason: gap.reason }
  records.gap(kept)
  const entry = gapEntry(kept)
  log(gap.set === 'maybe' ? { ...entry, facts: { ...entry.facts, reason: 'asleep-or-set' } } : entry)
  changes.screen()
}
