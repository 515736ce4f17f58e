import * as v from 'valibot'
import { documentsOf, parseStoredAlarms, type AlarmStore } from '#alarms/alarm-store.ts'
import { jsonIn, readStored, storedList } from '#base/stored.ts'
import type { OutboxStorage } from '#delivery/delivery-queue.ts'
import { parseKeptReading } from '#monitor/kept-readings.ts'
import type { ReadingStore } from '#pipeline/reading-keeper.ts'
import { openStateFile, type WatchFiles } from './state-file.ts'

const STATE = 'state.json'
/** Larger and less urgent: values in rules' windows, and each node's last answer. */
const POINTS = 'alarm-points.json'
const READINGS = 'readings.json'

const ALARMS_PART = 'alarms'
const WATCHED_PART = 'watched'
const OUTBOX_PART = 'outbox '

/** The state that the watch keeps between two starts, in files of one folder. */
export function openWatchStores(files: WatchFiles, report: (line: string) => void) {
  const state = openStateFile(files, STATE, report)
  const alarms: AlarmStore = {
    load: async () => parseStoredAlarms(state.get(ALARMS_PART), jsonIn(files.read(POINTS) ?? '')),
    save: async (kept, withPoints) => {
      const { document, points } = documentsOf(kept)
      if (withPoints) files.replace(POINTS, JSON.stringify(points, numbersOf))
      return state.put(ALARMS_PART, document)
    },
  }
  const watchedUntilMs = (): number | undefined => readStored(v.number(), state.get(WATCHED_PART))
  const readings: ReadingStore = {
    load: async () => {
      const watchedMs = watchedUntilMs()
      const stored = v.parse(storedList(v.unknown()), jsonIn(files.read(READINGS) ?? ''))
      return watchedMs === undefined
        ? undefined
        : { watchedMs, readings: stored.flatMap((one) => parseKeptReading(one) ?? []) }
    },
    save: async (watchedMs, all) => {
      if (all !== undefined) files.replace(READINGS, JSON.stringify(all))
      await state.put(WATCHED_PART, watchedMs)
    },
  }
  const outbox: OutboxStorage = {
    load: async (id) => state.get(OUTBOX_PART + id),
    save: async (id, value) => void (await state.put(OUTBOX_PART + id, value)),
  }
  return {
    alarms,
    readings,
    outbox,
    watchedUntilMs,
    /** Removes messages for receivers that the configuration no longer names. */
    keepOutboxOf: (ids: readonly string[]): void => {
      const gone = state
        .names()
        .filter((part) => part.startsWith(OUTBOX_PART) && !ids.some((id) => isOutboxOf(part, id)))
      const dropped = gone.reduce((sum, part) => sum + waitingIn(state.get(part)), 0)
      if (dropped > 0)
        report(
          `${dropped} unsent ${dropped === 1 ? 'message' : 'messages'} dropped: the configuration no longer names the receiver, or names it with another address or key.`,
        )
      for (const part of gone) void state.put(part, undefined)
    },
  }
}

const Queue = v.object({ messages: v.array(v.unknown()) })

const waitingIn = (queue: unknown): number => readStored(Queue, queue)?.messages.length ?? 0

/** A receiver may have several queues: `outbox ID silences`. */
const isOutboxOf = (part: string, id: string): boolean =>
  part === OUTBOX_PART + id || part.startsWith(`${OUTBOX_PART}${id} `)

const numbersOf = (_: string, value: unknown): unknown =>
  value instanceof Float64Array ? Array.from(value) : value
