import { ok, type Result } from '#base/result.ts'
import { loadEvents } from './flush-events.ts'
import { noteCutOff, noteLoss, type StoreState } from './store-state.ts'
import { loadHead } from './wal.ts'
import { gapEntry } from '#history/gap-entry.ts'
import { compareLate, readLastValues } from './last-values.ts'
import { placeAt, type Series } from '#history/series.ts'
import type { StorageFailure } from '#history/storage.ts'
import type { HeadBlock } from './head-block.ts'
import { segmentName } from '#history/tiers.ts'
import type { Segments } from './segments.ts'

/** It is noted this often that somebody watches; */
export const ALIVE_EVERY_MS = 15_000
/** so that being away for less than this may have been a reload. */
const AWAY_MIN_MS = 2 * ALIVE_EVERY_MS

/** Reads back what was kept, says what is missing, and puts what this session brought behind it. */
export async function loadHistory(state: StoreState): Promise<Result<undefined, StorageFailure>> {
  state.segments.unclaim()
  const cutOff = await state.storage.removeLeftovers()
  if (!cutOff.ok) return cutOff
  const listed = await state.segments.refresh()
  if (!listed.ok) return listed
  if (cutOff.value !== 'none' && state.status.get().cutOff === undefined)
    noteCutOff(state, cutOff.value === 'staged' ? 'restore' : 'restore-settings')
  // What is remembered of other databases says nothing of these.
  const isKnown = (state.known?.generation ?? 0) === state.storage.generation()
  const missing = await missingOf(state.segments, (isKnown && state.known?.segments) || {})
  if (!missing.ok) return missing
  if (missing.value && state.status.get().lost === undefined) noteLoss(state, state.known?.lastMs)
  const head = state.newHead()
  const rolledUp = await readRolledUp(state)
  const markUpTo = markRolled(head, rolledUp)
  const read = await loadHead(state, head, markUpTo)
  if (!read.ok) return read
  markUpTo(Number.POSITIVE_INFINITY)
  for (const node of head.nodes.values()) node.flushed = node.series.length
  // Before the clock's way back is noted: that is done once, also where this fails and is tried again.
  const events = await loadEvents(state)
  if (!events.ok) return events
  const known = await readLastValues(state, head)
  const ends = new Map(Array.from(head.nodes, ([node, { series }]) => [node, lastMsOf(series)]))
  state.rolledToMs.minute = endOf(rolledUp, 'minute')
  state.rolledToMs.coarse = endOf(rolledUp, 'coarse')
  adopt(state, head, read.value.aliveMs)
  compareLate(state, known, ends)
  state.lastKey = Math.max(state.lastKey, read.value.lastKey, ...keysOf(rolledUp))
  for (const id of read.value.walSegments) state.walSegments.add(segmentName(id))
  state.isLoaded = true
  return ok(undefined)
}

/** What was read back comes before what this session brought meanwhile. */
function adopt(state: StoreState, head: HeadBlock, aliveMs: number | undefined): void {
  const session = state.head
  const nowMs = state.clock.wallMs()
  const ends = Array.from(head.nodes.values(), ({ series }) => lastMsOf(series))
  const endMs = Math.max(...ends, aliveMs ?? Number.NEGATIVE_INFINITY)
  const starts = Array.from(session.nodes.values(), ({ series }) => series.columns.atMs[0] ?? nowMs)
  const startMs = Math.min(nowMs, ...starts.filter((atMs) => atMs > endMs))
  if (endMs > nowMs) {
    // The clock was set back while nobody watched: what was kept happened earlier than it says.
    const byMs = Math.floor(Math.min(nowMs, ...starts) - endMs) - 1
    head.addGap({ fromMs: -byMs, toMs: 0, reason: 'clock-step' })
    state.shifts.push(byMs)
  } else if (aliveMs !== undefined && startMs - aliveMs > AWAY_MIN_MS) {
    const gap = { fromMs: aliveMs, toMs: startMs, reason: 'closed' } as const
    head.addGap(gap)
    state.events.add([gapEntry(gap)])
  }
  for (const [node, { series }] of session.nodes) {
    // What came late and was kept is there already.
    const from = placeAt(series, lastMsOf(head.nodes.get(node)?.series) + 1)
    head.addRows(node, series, from, series.length, false)
  }
  state.head = head
  state.usual = new Map()
}

/** What a segment's rollups have. */
type RolledUp = {
  readonly kind: 'minute' | 'coarse'
  readonly endMs: number
  /** The rows before this time of the write-ahead records up to this key. */
  readonly toMs: number
  readonly key: number
}

/** In place of a key in what an earlier version wrote: it kept none. */
const OF_ALL_RECORDS = Number.MAX_SAFE_INTEGER

/** In the order in which they were written. */
async function readRolledUp(state: StoreState): Promise<readonly RolledUp[]> {
  const all: RolledUp[] = []
  for (const { kind, index } of state.segments.ids()) {
    if (kind === 'samples') continue
    const meta = await state.segments.use({ kind, index }, async (segment) => ok(segment.meta))
    // Where one can't be read, what was known of all of them before is all there is, and of no row is it known.
    if (!meta.ok) all.push({ kind, endMs: state.rolledToMs[kind], toMs: Number.NEGATIVE_INFINITY, key: 0 })
    else if (meta.value.rolledToMs !== undefined) {
      const { rolledToMs, rolledKeyToMs = rolledToMs, rolledKey = OF_ALL_RECORDS } = meta.value
      all.push({ kind, endMs: rolledToMs, toMs: rolledKeyToMs, key: rolledKey })
    }
  }
  return all.toSorted((a, b) => a.key - b.key)
}

/** New records have later keys, whatever the clock says. */
const keysOf = (rolledUp: readonly RolledUp[]): readonly number[] =>
  rolledUp.map(({ key }) => key).filter((key) => key !== OF_ALL_RECORDS)

/** A restore leaves rollups that end sooner than before. */
const endOf = (rolledUp: readonly RolledUp[], wanted: RolledUp['kind']): number =>
  Math.max(...rolledUp.filter(({ kind }) => kind === wanted).map(({ endMs }) => endMs))

/**
 * A crash between rollups and samples leaves rows whose rollups are there. What is noted of them holds of the rows as they
 * were then: those of the records up to that key, while no later one has set their times back yet.
 */
function markRolled(head: HeadBlock, rolledUp: readonly RolledUp[]): (beforeKey: number) => void {
  let place = 0
  return (beforeKey) => {
    for (let next = rolledUp[place]; next !== undefined && next.key < beforeKey; next = rolledUp[++place])
      for (const { series, rolled } of head.nodes.values())
        rolled[next.kind] = Math.max(rolled[next.kind], placeAt(series, next.toMs))
  }
}

const lastMsOf = (series: Series | undefined): number =>
  series === undefined || series.length === 0
    ? Number.NEGATIVE_INFINITY
    : (series.columns.atMs[series.length - 1] ?? 0)

/** What was remembered of the history and is not there any more; undefined when nothing is missing. */
async function missingOf(
  segments: Segments,
  known: Readonly<Record<string, number>>,
): Promise<Result<boolean, StorageFailure>> {
  const ids = new Map(segments.ids().map((id) => [segmentName(id), id]))
  // The oldest go by retention: only when the newest is gone too was it not this product.
  const newest = Object.keys(known)
    .filter((name) => (known[name] ?? 0) > 0)
    .toSorted((a, b) => indexOf(a) - indexOf(b))
    .at(-1)
  if (newest === undefined) return ok(false)
  const id = ids.get(newest)
  if (id === undefined) return ok(true)
  return segments.use(id, async ({ meta }) => ok(meta.samples === 0))
}

const indexOf = (name: string): number => Number(name.slice(name.lastIndexOf('-') + 1))
