import { readByte, refuse, writeByte, type ByteReader, type ByteWriter } from './byte-stream.ts'
import { HAS_PROOF } from '#history/proof-columns.ts'
import { OUTCOMES, PROOF_CHANGED, RESTARTED, type SeriesColumns } from '#history/series.ts'
import { readRuns, writeRuns } from './step-codec.ts'

const ANSWERED = OUTCOMES.indexOf('answered')

/** Flags as they are, or where they are not as expected: whichever is shorter. */
const AS_THEY_ARE = 0
const AS_EXPECTED = 1

export function writeFlags(writer: ByteWriter, columns: SeriesColumns, start: number, end: number): void {
  const turned = columns.flags.slice(start, end)
  turn(turned, columns, start)
  const isShorter = changesIn(turned, 0, turned.length) < changesIn(columns.flags, start, end)
  writeByte(writer, isShorter ? AS_EXPECTED : AS_THEY_ARE)
  if (isShorter) writeRuns(writer, turned, 0, turned.length)
  else writeRuns(writer, columns.flags, start, end)
}

function changesIn(flags: Uint8Array, start: number, end: number): number {
  let changes = 0
  for (let place = start + 1; place < end; place++) if (flags[place] !== flags[place - 1]) changes++
  return changes
}

/** For rows `[0, count)`, of which all else but the proofs is read already. */
export function readFlags(reader: ByteReader, columns: SeriesColumns, count: number): void {
  const form = readByte(reader)
  if (form > AS_EXPECTED) refuse()
  readRuns(reader, count, 256, columns.flags)
  if (form === AS_EXPECTED) turn(columns.flags.subarray(0, count), columns, 0)
}

/**
 * Turns round the flags that are expected of a row: a new record brings a new proof, and a total that fell says that
 * the counter began anew. Done twice, they are what they were: whether there is a proof at all stays in sight.
 */
function turn(flags: Uint8Array, columns: SeriesColumns, start: number): void {
  const { outcome, threatTotal } = columns
  let last = -1
  for (let row = 0; row < flags.length; row++) {
    const place = start + row
    if (outcome[place] !== ANSWERED) continue
    if (last >= 0) {
      let flag = flags[row] ?? 0
      if ((flag & HAS_PROOF) !== 0 && isNewRecord(columns, last, place)) flag ^= PROOF_CHANGED
      if ((threatTotal[place] ?? 0) < (threatTotal[last] ?? 0)) flag ^= RESTARTED
      flags[row] = flag
    }
    last = place
  }
}

function isNewRecord(columns: SeriesColumns, one: number, other: number): boolean {
  const { atMs, heartbeatAgeMs, participation, stake, stakeText, status, threatText, threatTotal } = columns
  return (
    (atMs[one] ?? 0) - (heartbeatAgeMs[one] ?? 0) !== (atMs[other] ?? 0) - (heartbeatAgeMs[other] ?? 0) ||
    participation[one] !== participation[other] ||
    threatTotal[one] !== threatTotal[other] ||
    stake[one] !== stake[other] ||
    status[one] !== status[other] ||
    stakeText[one] !== stakeText[other] ||
    threatText[one] !== threatText[other]
  )
}
