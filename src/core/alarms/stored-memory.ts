import { OPERATOR_KINDS, type AlarmId } from './alarm.ts'
import type { Memory, Point } from './operator-rules.ts'

type Last = Extract<Memory, { kind: 'last' }>
type Points = Extract<Memory, { kind: 'points' }>
type Remembered = readonly (readonly [AlarmId, Memory])[]

/** What rules saw last of each node; small, and kept with the alarms. */
type KeptLast = readonly (readonly [id: AlarmId, memory: Last])[]
/** What rules saw within their windows: much more, so it is kept apart and less often. Times and values take turns. */
type KeptPoints = readonly (readonly [
  id: AlarmId,
  memory: Omit<Points, 'points'> & { readonly flat: Float64Array<ArrayBuffer> },
])[]

/** Rules times nodes of which something is kept; what is beyond it begins anew after a reload. */
const LAST_MAX = 50_000
/** Single values that are kept, 16 bytes each. */
const POINTS_KEPT_MAX = 500_000

export function keptLastOf(memory: Remembered): KeptLast {
  const found: [AlarmId, Last][] = []
  for (const [id, one] of memory) if (one.kind === 'last' && found.length < LAST_MAX) found.push([id, one])
  return found
}

export function keptPointsOf(memory: Remembered): KeptPoints {
  let count = 0
  const found: KeptPoints[number][] = []
  for (const [id, one] of memory) {
    if (one.kind !== 'points') continue
    count += one.points.length
    if (count > POINTS_KEPT_MAX) break
    const { points, ...rest } = one
    found.push([id, { ...rest, flat: Float64Array.from(points.flat()) }])
  }
  return found
}

/** Both kinds as they were, without what is damaged. */
export function memoryFrom(last: unknown, points: unknown): Remembered {
  const found: (readonly [AlarmId, Memory])[] = []
  for (const [id, one] of entriesOf(last)) {
    const { kind, of, text, before, sinceAwakeMs } = one
    if (kind === 'last' && isCheck(of) && typeof text === 'string' && isNumber(sinceAwakeMs))
      found.push([id, { kind, of, text, ...(typeof before === 'string' && { before }), sinceAwakeMs }])
  }
  for (const [id, one] of entriesOf(points)) {
    const { kind, of, flat, wallMs, total } = one
    const isTotal = total === undefined || (typeof total === 'string' && /^\d{1,80}$/.test(total))
    if (kind === 'points' && isCheck(of) && isNumber(wallMs) && isTotal && isFlat(flat))
      found.push([id, { kind, of, points: pairsOf(flat), wallMs, total }])
  }
  return found
}

const entriesOf = (value: unknown): readonly (readonly [AlarmId, Readonly<Record<string, unknown>>])[] =>
  Array.isArray(value) ? value.filter(isEntry) : []

const isEntry = (value: unknown): value is readonly [AlarmId, Readonly<Record<string, unknown>>] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'object' && value[1] !== null

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isCheck = (value: unknown): value is Memory['of'] => OPERATOR_KINDS.some((kind) => kind === value)

const isFlat = (value: unknown): value is Float64Array =>
  value instanceof Float64Array && value.length % 2 === 0 && value.every(Number.isFinite)

function pairsOf(flat: Float64Array): readonly Point[] {
  const points: Point[] = []
  for (let place = 0; place < flat.length; place += 2) points.push([flat[place] ?? 0, flat[place + 1] ?? 0])
  return points
}
