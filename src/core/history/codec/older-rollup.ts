import { readByte, readText, readVarint, refuse, type ByteReader } from './byte-stream.ts'
import { readNumbers, ROWS_MAX } from './column-codec.ts'
import { readKeyed } from './keyed-codec.ts'
import { createRollup, VALUES, type Rollup, type SpreadName, type ValueColumns } from '#history/rollup.ts'
import { readSpreads } from './spread-codec.ts'
import { readEveryTime } from './step-codec.ts'

/**
 * A roll-up as older builds wrote it. `hasPollTimes`: false for what the first build wrote, which did not tell when in
 * a step it asked.
 */
export function readOlderRollup(
  reader: ByteReader,
  hasPollTimes: boolean,
  spreads: readonly SpreadName[],
): Rollup {
  const stepMs = readVarint(reader)
  const rows = readVarint(reader)
  if (rows > ROWS_MAX) refuse()
  const rollup = createRollup(stepMs, false)
  readEveryTime(reader, rows, rollup.startMs)
  for (let row = 0; row < rows; row++) rollup.startMs[row] = (rollup.startMs[row] ?? 0) * stepMs
  for (const name of VALUES) readValues(reader, rows, rollup.values[name])
  readKeyed(reader, rows, rollup.polls, readVarint)
  if (hasPollTimes) {
    readNumbers(reader, rows, rollup.firstPollMs)
    readNumbers(reader, rows, rollup.lastPollMs)
  } else guessPollTimes(rollup, rows)
  readKeyed(reader, rows, rollup.outcomeMs, readVarint)
  readKeyed(reader, rows, rollup.statusMs, readText)
  for (const column of [rollup.threatIncrease, rollup.restarts, rollup.proofChanges])
    readNumbers(reader, rows, column)
  const hasSpread = readByte(reader)
  if (hasSpread > 1) refuse()
  return hasSpread === 0 ? rollup : { ...rollup, spread: readSpreads(reader, rows, spreads) }
}

/** Somewhere in the step: one poll in its middle, more over all of it. */
function guessPollTimes({ stepMs, polls, firstPollMs, lastPollMs }: Rollup, rows: number): void {
  for (let row = 0; row < rows; row++) {
    const count = Array.from(polls.values()).reduce((sum, column) => sum + (column[row] ?? 0), 0)
    const margin = count === 1 ? stepMs / 2 : 0
    firstPollMs.push(count === 0 ? Number.NaN : margin)
    lastPollMs.push(count === 0 ? Number.NaN : count === 1 ? margin : stepMs - 1)
  }
}

function readValues(
  reader: ByteReader,
  rows: number,
  { count, first, last, min, max, sum }: ValueColumns,
): void {
  readNumbers(reader, rows, count)
  readNumbers(reader, rows, first)
  for (const column of [last, min, max]) readNumbers(reader, rows, column, { near: first })
  const near = count.map((many, row) => (many === 0 ? 0 : many * (first[row] ?? 0)))
  readNumbers(reader, rows, sum, { near })
}
