import { ok, type Result } from '#base/result.ts'
import { gapEntry, type HistoryBatch, type Sample } from '#history/history.ts'
import { createSeries, rowFrom } from '#history/series.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { flushEvents } from './events.ts'
import { lastMsOf, type HeadBlock } from './head-block.ts'
import { compare, readLastValues } from './last-values.ts'
import { giveRoom } from './maintenance.ts'
import { flush, noteAlive, readRecent } from './recent.ts'
import type { StoreState } from './store-state.ts'

/** The longest time that a sample waits in memory, because each write costs as much as several polls. */
const FLUSH_EVERY_MS = 2_000
/** Delays before each retry after a failure. */
const HEAL_AFTER_MS = [5_000, 30_000, 120_000, 600_000] as const
/** How often to store that someone watches. */
const ALIVE_EVERY_MS = 15_000
/** A shorter absence may have been a reload. */
const AWAY_MIN_MS = 2 * ALIVE_EVERY_MS

/** Compares a batch with the last values and appends it to the head block. */
function accept(state: StoreState, { samples, gaps }: HistoryBatch): void {
  for (const gap of gaps) {
    state.head.addGap(gap)
    if (gap.toMs >= gap.fromMs) continue
    state.shiftMs += Math.round(gap.toMs - gap.fromMs)
    state.revision++
  }
  state.head.addSamples(samples.map((sample) => compare(state, sample)))
}

/** With more rows in memory, early batches are no longer collected for comparison. */
const EARLY_MAX = 20_000

/** Collects batches until the stored history is read; shows them until then. */
export function receive(state: StoreState, batch: HistoryBatch): void {
  if (state.early === undefined) return accept(state, batch)
  state.early.push(batch)
  if (state.status.get().state === 'not-kept') show(state, batch)
  if (state.head.size() > EARLY_MAX) state.early = undefined
}

function show({ head }: StoreState, { samples, gaps }: HistoryBatch): void {
  for (const gap of gaps) head.addGap(gap)
  head.addSamples(samples)
}

function acceptEarly(state: StoreState): void {
  const { early = [] } = state
  state.early = undefined
  // Another engine may have stored samples of the same time, and compared them.
  const isNew = ({ node, atMs }: Sample): boolean => {
    const series = state.head.nodes.get(node)?.series
    return series === undefined || Math.round(atMs) > lastMsOf(series)
  }
  for (const { samples, gaps } of early) accept(state, { gaps, samples: samples.filter(isNew) })
}

/** Writes new rows to the store, and retries after failures. `onHealed`: called when it stores again. */
export function createPersistence(state: StoreState, onHealed: () => void) {
  const { clock, status, database } = state
  let fails = 0
  let isHealing = false
  let isScheduled = false
  let lastFlushMs = Number.NEGATIVE_INFINITY

  const stored = (): void => {
    if (state.isEnded) return
    fails = 0
    lastFlushMs = clock.monotonicMs()
    const { state: before } = status.get()
    const savedToMs = clock.wallMs()
    state.known = isEmpty(database, state.head) ? undefined : { version: 2, lastMs: savedToMs }
    state.setStatus({
      state: 'kept',
      failure: undefined,
      notKeptSinceMs: undefined,
      savedToMs,
      sentinel: state.known,
    })
    if (before !== 'kept') state.events.found()
  }

  const trouble = (failure: StorageFailure): void => {
    if (state.isEnded) return
    const { state: before, notKeptSinceMs, savedToMs } = status.get()
    if (before === 'starting') for (const batch of state.early ?? []) show(state, batch)
    // On a full disk nothing was written, so the state is known. After any other failure it is not.
    if (failure !== 'full') {
      database.close()
      state.isLoaded = false
    }
    state.setStatus({
      state: 'not-kept',
      failure,
      notKeptSinceMs: before === 'not-kept' ? notKeptSinceMs : (savedToMs ?? clock.wallMs()),
    })
    // A newer version writes now, so this one must not until the page is reloaded.
    if (failure === 'newer' || isHealing) return
    isHealing = true
    state.after(HEAL_AFTER_MS[Math.min(fails++, HEAL_AFTER_MS.length - 1)] ?? 0, () => {
      isHealing = false
      void begin().then((rows) => rows !== undefined && onHealed())
    })
  }

  const begin = async (): Promise<number | undefined> => {
    const done = await flushAll(state)
    if (done.ok) stored()
    else trouble(done.error)
    return done.ok ? done.value : undefined
  }

  return {
    /** Reads the stored history and starts to store. Resolves to the number of rows; undefined if the store fails. */
    begin,
    schedule: (): void => {
      if (isScheduled || status.get().state !== 'kept') return
      isScheduled = true
      state.after(Math.max(0, lastFlushMs + FLUSH_EVERY_MS - clock.monotonicMs()), () => {
        isScheduled = false
        void begin()
      })
    },
    now: async (): Promise<void> => {
      // Written rows already show that someone watches.
      if (status.get().state === 'kept' && (await begin()) === 0)
        await state.exclusive(() => noteAlive(state))
    },
    /** Stores periodically that someone watches. */
    keepAlive: (): void =>
      state.every(ALIVE_EVERY_MS, () => {
        if (status.get().state !== 'kept' || clock.monotonicMs() - lastFlushMs < ALIVE_EVERY_MS) return
        void state.exclusive(() => noteAlive(state)).then((done) => done.ok || trouble(done.error))
      }),
    /** Publishes the failure and plans a retry. */
    trouble,
  }
}

const isEmpty = ({ sizes }: StoreState['database'], head: HeadBlock): boolean =>
  Array.from(sizes.values()).every(({ id }) => id.kind !== 'samples') && head.size() === 0

/**
 * Stores everything that is unstored. Reads the history first if necessary, and deletes old segments if the
 * disk is full. Resolves to the number of rows.
 */
const flushAll = (state: StoreState): Promise<Result<number, StorageFailure>> =>
  state.exclusive(async () => {
    let done = await flushBoth(state)
    // Reopens a dead connection once.
    const isDead = !done.ok && (done.error === 'closed' || done.error === 'broken')
    if (isDead && state.isLoaded && !state.isEnded) {
      state.isLoaded = false
      done = await flushBoth(state)
    }
    while (!done.ok && done.error === 'full' && (await giveRoom(state))) done = await flushBoth(state)
    return done
  })

async function flushBoth(state: StoreState): Promise<Result<number, StorageFailure>> {
  if (!state.isLoaded) {
    const loaded = await loadHistory(state)
    if (!loaded.ok) return loaded
  }
  const samples = await flush(state)
  if (!samples.ok) return samples
  const events = await flushEvents(state)
  return events.ok ? samples : events
}

/** Reads the stored history, reports losses, and appends the rows of this session. */
async function loadHistory(state: StoreState): Promise<Result<undefined, StorageFailure>> {
  const { database, status } = state
  const found = await database.load()
  if (!found.ok) return found
  const { cutOff, hasOlder } = found.value
  state.setStatus({ hasOlder })
  if (cutOff !== undefined && status.get().cutOff === undefined) {
    const noticedMs = state.note('transfer-cut-off', { task: cutOff })
    state.setStatus({ cutOff: { noticedMs, what: cutOff } })
  }
  const head = state.newHead()
  const read = await readRecent(state, head)
  if (!read.ok) return read
  if (isEmpty(database, head) && state.known !== undefined) {
    const { lastMs } = state.known
    state.setStatus({ lost: { noticedMs: state.note('history-lost', { lastMs }), lastMs } })
    // Only the rows in memory are left, so they are stored again.
    for (const node of state.head.nodes.values()) node.flushed = 0
    state.known = undefined
  }
  state.events.numberFrom(database.meta().eventSeq)
  await readLastValues(state, head)
  adopt(state, head)
  acceptEarly(state)
  state.isLoaded = true
  return ok(undefined)
}

/** Puts the stored rows before those of this session. */
function adopt(state: StoreState, head: HeadBlock): void {
  // Early batches are compared and appended next.
  const session = state.early === undefined ? state.head : state.newHead()
  const { nodes } = state.database
  const { aliveMs = Number.NEGATIVE_INFINITY } = state.database.meta()
  const nowMs = state.clock.wallMs()
  // Nodes whose last row in blocks still held when watching ended.
  for (const [name, { untilMs }] of nodes)
    if (untilMs > aliveMs && !head.nodes.has(name)) head.addRows(name, createSeries([], 1))
  // The clock was set back while the store failed.
  if (state.shiftMs < 0) head.addGap({ fromMs: -state.shiftMs, toMs: 0, reason: 'clock-step' })
  const endMs = Math.max(aliveMs, ...Array.from(head.nodes.values(), ({ series }) => lastMsOf(series)))
  const starts = Array.from(session.nodes.values(), ({ series, flushed }) =>
    flushed < series.length ? (series.columns.atMs[flushed] ?? nowMs) : nowMs,
  )
  for (const { samples } of state.early ?? []) starts.push(samples[0]?.atMs ?? nowMs)
  const startMs = Math.min(nowMs, ...starts.filter((atMs) => atMs > endMs))
  if (endMs > nowMs && state.shiftMs === 0) {
    // The clock was set back while nobody watched, so the stored rows happened earlier than they say.
    const byMs = Math.floor(Math.min(nowMs, ...starts) - endMs) - 1
    head.addGap({ fromMs: -byMs, toMs: 0, reason: 'clock-step' })
    state.shiftMs += byMs
  } else if (aliveMs !== Number.NEGATIVE_INFINITY && startMs - aliveMs > AWAY_MIN_MS) {
    const gap = { fromMs: aliveMs, toMs: startMs, reason: 'closed' } as const
    head.addGap(gap)
    state.events.add([gapEntry(gap)])
  }
  for (const [node, { series, flushed }] of session.nodes) {
    // Skips late rows that were already written.
    const from = Math.max(
      flushed,
      rowFrom(series, lastMsOf(head.nodes.get(node)?.series ?? createSeries([], 1)) + 1),
    )
    head.addRows(node, series, from, series.length)
  }
  state.head = head
  state.revision++
}
