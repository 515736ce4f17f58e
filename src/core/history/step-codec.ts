import {
  putSigned,
  readSigned,
  readVarint,
  refuse,
  reserve,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'

/** Whole ms, each later than the one before: the differences of the differences, which are mostly small. */
export function writeTimes(writer: ByteWriter, atMs: ArrayLike<number>, start: number, end: number): void {
  reserve(writer, end - start)
  const { bytes } = writer
  let to = writer.at
  let last = 0
  let step = 0
  for (let place = start; place < end; place++) {
    const at = atMs[place] ?? 0
    const next = at - last
    to = putSigned(bytes, to, next - step)
    step = next
    last = at
  }
  writer.at = to
}

export function readTimes(reader: ByteReader, count: number, atMs: { [place: number]: number }): void {
  let last = 0
  let step = 0
  for (let place = 0; place < count; place++) {
    step += readSigned(reader)
    last += step
    atMs[place] = last
  }
}

/** Small whole numbers that stay the same for long: value and length of each run. */
export function writeRuns(writer: ByteWriter, codes: ArrayLike<number>, start: number, end: number): void {
  let place = start
  while (place < end) {
    const code = codes[place] ?? 0
    let next = place + 1
    while (next < end && codes[next] === code) next++
    writeVarint(writer, code)
    writeVarint(writer, next - place)
    place = next
  }
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
