import type { ByteReader, ByteWriter } from './byte-stream.ts'
import { readNumbers, writeNumbers } from './column-codec.ts'
import type { RolledValues, Rollup, ValueColumns } from '#history/rollup.ts'
import { ANSWERED } from '#history/series.ts'
import { readAgainstTime, writeAgainstTime } from './step-codec.ts'

/** What was rolled up of a value, each column near what those before it let expect. The polls are known already. */
export function writeValues(writer: ByteWriter, rollup: Rollup, rolled: RolledValues): void {
  const { count, first, last, min, max, sum } = rolled.values
  const rows = count.length
  const thousands = grows(rolled)
  writeNumbers(writer, count, 0, rows, answers(rollup))
  if (thousands) writeAgainstTime(writer, last, pollTimes(rollup, 'lastPollMs'), 0, rows, { thousands })
  else writeNumbers(writer, last, 0, rows)
  writeNumbers(writer, first, 0, rows, { near: followers(rollup, rolled), thousands })
  writeNumbers(writer, min, 0, rows, { near: lower(rolled.values), thousands })
  writeNumbers(writer, max, 0, rows, { near: upper(rolled.values), thousands })
  writeNumbers(writer, sum, 0, rows, { near: likelySums(rolled), thousands })
}

export function readValues(reader: ByteReader, rollup: Rollup, rolled: RolledValues): void {
  const { count, first, last, min, max, sum } = rolled.values
  const rows = rollup.startMs.length
  readNumbers(reader, rows, count, answers(rollup))
  if (grows(rolled)) readAgainstTime(reader, rows, last, pollTimes(rollup, 'lastPollMs'))
  else readNumbers(reader, rows, last)
  readNumbers(reader, rows, first, { near: followers(rollup, rolled) })
  readNumbers(reader, rows, min, { near: lower(rolled.values) })
  readNumbers(reader, rows, max, { near: upper(rolled.values) })
  readNumbers(reader, rows, sum, { near: likelySums(rolled) })
}

/** An age grows with time, and falls by whole seconds, in which nodes tell their heartbeats. */
const grows = ({ kind }: RolledValues): boolean => kind === 'timestamp'

/** Mostly every answer has every value. */
const answers = ({ polls }: Rollup): { near?: readonly number[] } => {
  const near = polls.get(ANSWERED)
  return near === undefined ? {} : { near }
}

const pollTimes = (rollup: Rollup, name: 'firstPollMs' | 'lastPollMs'): readonly number[] =>
  rollup.startMs.map((startMs, row) => startMs + (rollup[name][row] ?? 0))

/** A step begins as the last one before it ended in which there was a value. */
function followers(rollup: Rollup, rolled: RolledValues): readonly number[] {
  const { last } = rolled.values
  const [firstMs, lastMs] = [pollTimes(rollup, 'firstPollMs'), pollTimes(rollup, 'lastPollMs')]
  let before = 0
  let beforeMs: number | undefined
  return last.map((value, row) => {
    const passedMs = grows(rolled) && beforeMs !== undefined ? (firstMs[row] ?? 0) - beforeMs : 0
    const expected = before + passedMs
    if (Number.isNaN(value)) return expected
    before = value
    beforeMs = lastMs[row]
    return expected
  })
}

const lower = ({ first, last }: ValueColumns): readonly number[] =>
  first.map((one, row) => Math.min(one, last[row] ?? one))

const upper = ({ first, last }: ValueColumns): readonly number[] =>
  first.map((one, row) => Math.max(one, last[row] ?? one))

/** What is not known to be one of the four lies in the middle, and so does what goes up and down by turns. */
function likelySums(rolled: RolledValues): readonly number[] {
  const { count, first, last, min, max } = rolled.values
  return count.map((many, row) => {
    const [one = 0, other = 0, low = 0, high = 0] = [first[row], last[row], min[row], max[row]]
    if (many < 2) return many * one
    const middle = (low + high) / 2
    if (grows(rolled)) return many === 2 ? one + other : many * middle
    let known = 2
    let sum = one + other
    for (const extreme of [low, high]) {
      if (extreme === one || extreme === other || many === 2) continue
      known++
      sum += extreme
    }
    return sum + (many - known) * middle
  })
}
