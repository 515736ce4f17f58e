import { readByte, refuse, writeByte, type ByteReader, type ByteWriter } from './byte-stream.ts'
import {
  ANSWERED,
  CHANGED,
  KNOWN,
  RESTARTED,
  type MetricColumns,
  type SeriesColumns,
} from '#history/series.ts'
import { readRuns, writeRuns } from './step-codec.ts'

/** Flags as they are, or where they are not as expected: whichever is shorter. */
const AS_THEY_ARE = 0
const AS_EXPECTED = 1
const FLAGS_LIMIT = 4

/** `turn` turns round the flags that are expected of rows; done twice, they are what they were. */
type Turn = (flags: Uint8Array, start: number) => void

export function writeFlags(
  writer: ByteWriter,
  flags: Uint8Array,
  turn: Turn,
  start: number,
  end: number,
): void {
  const turned = flags.slice(start, end)
  turn(turned, start)
  const isShorter = changesIn(turned, 0, turned.length) < changesIn(flags, start, end)
  writeByte(writer, isShorter ? AS_EXPECTED : AS_THEY_ARE)
  if (isShorter) writeRuns(writer, turned, 0, turned.length)
  else writeRuns(writer, flags, start, end)
}

function changesIn(flags: Uint8Array, start: number, end: number): number {
  let changes = 0
  for (let place = start + 1; place < end; place++) if (flags[place] !== flags[place - 1]) changes++
  return changes
}

/** For rows `[0, count)`, of which all that the turn goes by is read already. */
export function readFlags(reader: ByteReader, flags: Uint8Array, turn: Turn, count: number): void {
  const form = readByte(reader)
  if (form > AS_EXPECTED) refuse()
  readRuns(reader, count, FLAGS_LIMIT, flags)
  if (form === AS_EXPECTED) turn(flags.subarray(0, count), 0)
}

/** A total that fell says that the counter began anew. */
export const turnRestarts =
  ({ outcome }: SeriesColumns, { value }: MetricColumns): Turn =>
  (flags, start) => {
    let last = -1
    for (let row = 0; row < flags.length; row++) {
      const place = start + row
      if (outcome[place] !== ANSWERED) continue
      if (last >= 0 && (value[place] ?? 0) < (value[last] ?? 0)) flags[row] = (flags[row] ?? 0) ^ RESTARTED
      last = place
    }
  }

/** A new record brings a new fingerprint; whether there is one at all stays in sight. */
export function turnChanges({ atMs, outcome, metrics }: SeriesColumns): Turn {
  const recorded = metrics.filter(({ metric }) => metric.measured === undefined)
  const ages = recorded.filter(({ metric }) => metric.kind === 'timestamp').map(({ value }) => value)
  const values = recorded
    .filter(({ metric, value }) => metric.kind !== 'timestamp' && value.length > 0)
    .map(({ value }) => value)
  const texts = recorded.filter(({ text }) => text.length > 0).map(({ text }) => text)
  const isNewRecord = (one: number, other: number): boolean => {
    for (const age of ages)
      if ((atMs[one] ?? 0) - (age[one] ?? 0) !== (atMs[other] ?? 0) - (age[other] ?? 0)) return true
    for (const value of values) if (value[one] !== value[other]) return true
    for (const text of texts) if (text[one] !== text[other]) return true
    return false
  }
  return (flags, start) => {
    let last = -1
    for (let row = 0; row < flags.length; row++) {
      const place = start + row
      if (outcome[place] !== ANSWERED) continue
      const flag = flags[row] ?? 0
      if (last >= 0 && (flag & KNOWN) !== 0 && isNewRecord(last, place)) flags[row] = flag ^ CHANGED
      last = place
    }
  }
}
