import {
  readByte,
  readVarint,
  refuse,
  writeByte,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { readNumbers, writeNumbers, type Expected } from './column-codec.ts'

/** Whole ms, each later than the one before: how their steps differ. */
export function writeTimes(writer: ByteWriter, atMs: ArrayLike<number>, start: number, end: number): void {
  const steps = new Float64Array(end - start)
  let last = 0
  for (let place = start; place < end; place++) {
    const at = atMs[place] ?? 0
    steps[place - start] = at - last
    last = at
  }
  writeNumbers(writer, steps, 0, steps.length)
}

export function readTimes(reader: ByteReader, count: number, atMs: { [place: number]: number }): void {
  readNumbers(reader, count, atMs)
  let last = 0
  for (let place = 0; place < count; place++) atMs[place] = last += atMs[place] ?? 0
  if (Number.isNaN(last)) refuse()
}

/** Numbers as what they are before the time of their row, unless one of them is so big that it would be rounded. */
export function writeAgainstTime(
  writer: ByteWriter,
  values: ArrayLike<number>,
  atMs: ArrayLike<number>,
  start: number,
  end: number,
  expected: Pick<Expected, 'thousands'> = {},
): void {
  const before = new Float64Array(end - start)
  let isExact = true
  for (let place = start; place < end; place++) {
    const at = atMs[place] ?? 0
    const value = values[place] ?? 0
    const difference = at - value
    before[place - start] = difference
    if (at - difference !== value && value === value) isExact = false
  }
  writeByte(writer, isExact ? 1 : 0)
  if (isExact) writeNumbers(writer, before, 0, before.length, expected)
  else writeNumbers(writer, values, start, end)
}

export function readAgainstTime(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  atMs: ArrayLike<number>,
): void {
  const isAgainst = readByte(reader)
  if (isAgainst > 1) refuse()
  readNumbers(reader, count, values)
  if (isAgainst === 0) return
  for (let place = 0; place < count; place++) values[place] = (atMs[place] ?? 0) - (values[place] ?? 0)
}

/** Small whole numbers that stay the same for long: value and length of each run. */
export function writeRuns(writer: ByteWriter, codes: ArrayLike<number>, start: number, end: number): void {
  for (const number of runsOf(codes, start, end)) writeVarint(writer, number)
}

/** Value and length of each run, one behind the other. */
export function runsOf(codes: ArrayLike<number>, start: number, end: number): number[] {
  const runs: number[] = []
  for (let place = start; place < end;) {
    const code = codes[place] ?? 0
    const from = place++
    while (place < end && codes[place] === code) place++
    runs.push(code, place - from)
  }
  return runs
}

/** `codes` below `limit`. */
export function readRuns(
  reader: ByteReader,
  count: number,
  limit: number,
  codes: { [place: number]: number },
): void {
  let place = 0
  while (place < count) {
    const code = readVarint(reader)
    const length = readVarint(reader)
    if (code >= limit || length === 0 || length > count - place) refuse()
    for (const end = place + length; place < end; place++) codes[place] = code
  }
}
