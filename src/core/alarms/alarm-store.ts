import { smallDatabase } from '#history/small-database.ts'
import type { Storage, StorageKey } from '#history/storage.ts'
import { ALARM_SEVERITIES, type AlarmId, type MetricAlarmKind } from './alarm.ts'
import type { Instance } from './instance.ts'
import type { Memory, Point } from './conditions.ts'

/** Everything about alarms that outlives the tab. */
export type StoredAlarms = {
  readonly version: 1
  /** When this was so: by the computer's clock, and in watched time. */
  readonly wallMs: number
  readonly awakeMs: number
  readonly mutedUntilWallMs: number | undefined
  /** Whether there ever was a key to ask with. */
  readonly hadKey: boolean
  readonly instances: readonly Instance[]
  /** Polls that nodes with alarms had when they were last evaluated, so that none is evaluated twice. */
  readonly polls: readonly (readonly [node: string, polls: number])[]
  /** What the operator's rules remember, by rule and node. */
  readonly memory: readonly (readonly [AlarmId, Memory])[]
}

const PHASES: readonly unknown[] = ['normal', 'pending', 'firing', 'recovering'] satisfies Instance['phase'][]
const SEVERITIES: readonly unknown[] = ALARM_SEVERITIES
const NUMBERS = [
  'watchedMs',
  'evaluatedAwakeMs',
  'freshForMs',
  'sinceWallMs',
  'badSinceWallMs',
] as const satisfies (keyof Instance)[]

/** Reads what was kept; undefined where it is nothing of ours. An alarm that is damaged is left out, the others are read. */
export function parseStoredAlarms(value: unknown, points?: unknown): StoredAlarms | undefined {
  if (!isObject(value) || value['version'] !== 1) return undefined
  const { wallMs, awakeMs, mutedUntilWallMs, instances, polls } = value
  if (!isNumber(wallMs) || !isNumber(awakeMs) || !Array.isArray(instances)) return undefined
  return {
    version: 1,
    wallMs,
    awakeMs,
    mutedUntilWallMs: isNumber(mutedUntilWallMs) ? mutedUntilWallMs : undefined,
    // What was kept before this was noted had one.
    hadKey: value['hadKey'] !== false,
    instances: instances.filter(isInstance),
    polls: Array.isArray(polls) ? polls.filter(isPolls) : [],
    memory: memoryFrom(value['last'], points),
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isPolls = (value: unknown): value is readonly [string, number] =>
  Array.isArray(value) && isText(value[0]) && isNumber(value[1])
const isText = (value: unknown): value is string => typeof value === 'string'

/** Only what is reckoned with is checked; words and values are only shown. */
function isInstance(value: unknown): value is Instance {
  if (!isObject(value)) return false
  const { id, ruleId, kind, subject, phase, side, trail, severity, raises, shelved, acknowledged } = value
  return (
    [id, ruleId, kind].every(isText) &&
    isObject(subject) &&
    ['node', 'service', 'key', 'screen'].includes(String(subject['kind'])) &&
    (subject['kind'] === 'screen' || isText(subject['serviceId'])) &&
    (subject['kind'] !== 'node' || isText(subject['node'])) &&
    PHASES.includes(phase) &&
    (side === 'good' || side === 'bad') &&
    isObject(trail) &&
    isNumber(trail['bits']) &&
    isNumber(trail['count']) &&
    SEVERITIES.includes(severity) &&
    NUMBERS.every((name) => isNumber(value[name])) &&
    Array.isArray(raises) &&
    raises.every(isNumber) &&
    (shelved === undefined ||
      (isObject(shelved) && isNumber(shelved['untilWallMs']) && isNumber(shelved['untilAwakeMs']))) &&
    (acknowledged === undefined || (isObject(acknowledged) && isNumber(acknowledged['wallMs'])))
  )
}

const DATABASE = 'immune-alarms'
const KEY = ['alarms']
const POINTS_KEY = ['alarm-points']

/** As it is written: a small document, and a large one that is written less often. */
export function documentsOf({ memory, ...kept }: StoredAlarms) {
  return { document: { ...kept, last: keptLastOf(memory) }, points: keptPointsOf(memory) }
}

/** Where alarms are kept: documents that are written whole. Neither call throws. */
export type AlarmStore = {
  /** Undefined where there is none, or none can be read. */
  readonly load: () => Promise<StoredAlarms | undefined>
  /** False: it was not kept, and the next call tries anew. Without points those that were kept before stay. */
  readonly save: (kept: StoredAlarms, withPoints: boolean) => Promise<boolean>
}

export function createAlarmStore(storage: Pick<Storage, 'open'>): AlarmStore {
  const using = smallDatabase(storage, DATABASE)
  return {
    load: async () => {
      const rows = await using((database) =>
        database.read(
          [KEY, POINTS_KEY].map((key) => ({ table: 'meta', from: key, to: [...key, 0], limit: 1 })),
        ),
      )
      return parseStoredAlarms(rows?.[0]?.[0]?.value, rows?.[1]?.[0]?.value)
    },
    save: async (kept, withPoints) => {
      const { document, points } = documentsOf(kept)
      const put = (key: StorageKey, value: unknown) => ({ kind: 'put', table: 'meta', key, value }) as const
      const done = await using(async (database) => {
        const written = await database.write([
          put(KEY, document),
          ...(withPoints ? [put(POINTS_KEY, points)] : []),
        ])
        return written.ok ? { ok: true, value: true } : written
      })
      return done === true
    },
  }
}

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

function keptLastOf(memory: Remembered): KeptLast {
  const found: [AlarmId, Last][] = []
  for (const [id, one] of memory) if (one.kind === 'last' && found.length < LAST_MAX) found.push([id, one])
  return found
}

function keptPointsOf(memory: Remembered): KeptPoints {
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
    if (kind === 'last' && isMetricKind(of) && typeof text === 'string' && isNumber(sinceAwakeMs))
      found.push([id, { kind, of, text, ...(typeof before === 'string' && { before }), sinceAwakeMs }])
  }
  for (const [id, one] of entriesOf(points)) {
    const { kind, of, flat, wallMs, total } = one
    const isTotal = total === undefined || (typeof total === 'string' && /^\d{1,80}$/.test(total))
    if (kind === 'points' && isMetricKind(of) && isNumber(wallMs) && isTotal && isFlat(flat))
      found.push([id, { kind, of, points: pairsOf(flat), wallMs, total }])
  }
  return found
}

const entriesOf = (value: unknown): readonly (readonly [AlarmId, Readonly<Record<string, unknown>>])[] =>
  Array.isArray(value) ? value.filter(isEntry) : []

const isEntry = (value: unknown): value is readonly [AlarmId, Readonly<Record<string, unknown>>] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'object' && value[1] !== null

const isMetricKind = (value: unknown): value is MetricAlarmKind =>
  typeof value === 'string' && /^[a-zA-Z0-9]+-[a-z0-9-]+$/.test(value)

const isFlat = (value: unknown): value is Float64Array =>
  value instanceof Float64Array && value.length % 2 === 0 && value.every(Number.isFinite)

function pairsOf(flat: Float64Array): readonly Point[] {
  const points: Point[] = []
  for (let place = 0; place < flat.length; place += 2) points.push([flat[place] ?? 0, flat[place + 1] ?? 0])
  return points
}
