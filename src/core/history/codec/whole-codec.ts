import { putSigned, putVarint, readSigned, readVarint, refuse, type ByteReader } from './byte-stream.ts'

/** Decimals with so many digits after the point, at most, are written as whole numbers. */
export const DIGITS_MAX = 9
/** By their digits. */
export const SCALES = Array.from({ length: DIGITS_MAX + 1 }, (_, digits) => 10 ** digits)
/** Differences of whole numbers up to this are whole. */
const WHOLE_MAX = 2 ** 51
/** More does not fit a varint: that of the least of them to the largest. */
const DIFFERENCE_MAX = 2 ** 52 - 1

/** How numbers are written as whole ones. */
type WholeForm = {
  /** Each is multiplied by this. */
  readonly scale: number
  /** Differences are written as multiples of this, but for the first. */
  readonly grain: number
  /** From these they are the differences, place by place; without, from the number before. */
  readonly near: Float64Array | undefined
}

export function isWholeAt(value: number, scale: number): boolean {
  // Most are whole as they are, and a division takes its time.
  if (scale === 1) return (value | 0) === value || (Math.floor(value) === value && isSmall(value))
  const whole = Math.round(value * scale)
  return whole / scale === value && isSmall(whole)
}

const isSmall = (whole: number): boolean => whole <= WHOLE_MAX && whole >= -WHOLE_MAX

type Put = {
  /** Of the first number that can't be written so; else the end. */
  readonly place: number
  /** Where the next byte goes. */
  readonly at: number
}

/**
 * Writes numbers, but for NaN, as their differences from what is expected; `reserve` must have made room for them.
 * Where there was none twice, the number of times follows that there was none again: columns that mostly go as
 * expected take next to nothing.
 */
export function putWholes(
  bytes: Uint8Array,
  from: number,
  values: Float64Array,
  start: number,
  end: number,
  { scale, grain, near }: WholeForm,
): Put {
  let at = from
  let last = 0
  let same = 0
  let unit = 1
  for (let place = start; place < end; place++) {
    const value = values[place] ?? 0
    if (value !== value) continue
    if (!isWholeAt(value, scale)) return { place, at }
    const whole = scale === 1 ? value : Math.round(value * scale)
    const difference = whole - (near === undefined ? last : nearby(near, place, scale))
    last = whole
    if (difference === 0) {
      if (same++ < 2) bytes[at++] = 0
    } else {
      if (same > 1) at = putVarint(bytes, at, same - 2)
      same = 0
      if (difference > DIFFERENCE_MAX || (unit > 1 && difference % unit !== 0)) return { place, at }
      at = putSigned(bytes, at, unit > 1 ? difference / unit : difference)
    }
    unit = grain
  }
  if (same > 1) at = putVarint(bytes, at, same - 2)
  return { place: end, at }
}

/** Reads into `[0, count)` of the values what `putWholes` wrote; a place that holds NaN before stays as it is. */
export function readWholes(
  reader: ByteReader,
  count: number,
  values: { [place: number]: number },
  { scale, grain, near }: WholeForm,
): void {
  let last = 0
  let same = 0
  let more = 0
  let unit = 1
  for (let place = 0; place < count; place++) {
    const there = values[place] ?? 0
    if (there !== there) continue
    let difference = 0
    if (more > 0) more--
    else {
      difference = readSigned(reader) * unit
      same = difference === 0 ? same + 1 : 0
      if (same === 2) {
        more = readVarint(reader)
        same = 0
      }
    }
    unit = grain
    last = difference + (near === undefined ? last : nearby(near, place, scale))
    values[place] = scale === 1 ? last : last / scale
  }
  if (more > 0) refuse()
}

const nearby = (near: Float64Array, place: number, scale: number): number => {
  const whole = Math.round((near[place] ?? 0) * scale)
  return isSmall(whole) ? whole : 0
}
