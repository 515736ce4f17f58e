import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { orUndefined } from '#base/result.ts'
import { readStored, storedList } from '#base/stored.ts'
import { smallDatabase } from '#storage/small-database.ts'
import type { Storage, StorageKey } from '#storage/storage.ts'
import { ALARM_SEVERITIES, type AlarmId, type MetricAlarmKind } from './alarm.ts'
import type { Instance } from './instance.ts'
import type { Memory, Point } from './metric-conditions.ts'

const serviceId = v.string()

/** Validates only members used in computations; the others are only displayed. */
const InstanceShape = v.looseObject({
  id: v.string(),
  ruleId: v.string(),
  kind: v.string(),
  subject: v.variant('kind', [
    v.looseObject({ kind: v.literal('node'), node: v.string(), serviceId }),
    v.looseObject({ kind: v.picklist(['service', 'key']), serviceId }),
    v.looseObject({ kind: v.literal('screen') }),
  ]),
  phase: v.picklist(['normal', 'pending', 'firing', 'recovering']),
  side: v.picklist(['good', 'bad']),
  trail: v.looseObject({ bits: finite, count: finite }),
  severity: v.picklist(ALARM_SEVERITIES),
  watchedMs: finite,
  evaluatedAwakeMs: finite,
  freshForMs: finite,
  sinceWallMs: finite,
  badSinceWallMs: finite,
  raises: v.array(finite),
  raisedAwakeMs: v.optional(finite),
  clearedAwakeMs: v.optional(finite),
  goodSinceAwakeMs: v.optional(finite),
  notifiedAwakeMs: v.optional(finite),
  shelved: v.optional(v.looseObject({ untilWallMs: finite, untilAwakeMs: finite })),
  acknowledged: v.optional(v.looseObject({ wallMs: finite })),
})
const isInstance = (value: unknown): value is Instance => v.is(InstanceShape, value)

const AlarmsShape = v.object({
  version: v.literal(1),
  /** Time of the last evaluation or action, by the wall clock and in watched time. */
  wallMs: finite,
  awakeMs: finite,
  mutedUntilWallMs: v.fallback(v.optional(finite), undefined),
  // Alarms stored before this member existed had a key.
  hadKey: v.fallback(v.boolean(), true),
  instances: v.pipe(
    v.array(v.unknown()),
    v.transform((all): readonly Instance[] => all.filter(isInstance)),
  ),
  /** Number of polls of each node with alarms at its last evaluation, so that no poll is evaluated twice. */
  polls: storedList(v.pipe(v.strictTuple([v.string(), finite]), v.readonly())),
  /** The nodes that each alarm concerns, so that an alarm that another one explains stays inhibited. */
  reach: storedList(
    v.pipe(v.strictTuple([v.string(), v.pipe(v.array(v.string()), v.readonly())]), v.readonly()),
  ),
  last: v.optional(v.unknown()),
})

type Remembered = readonly (readonly [AlarmId, Memory])[]
export type StoredAlarms = Readonly<Omit<v.InferOutput<typeof AlarmsShape>, 'last'>> & {
  readonly memory: Remembered
}

/** Undefined unless the document is valid. Damaged alarms are left out. */
export function parseStoredAlarms(value: unknown, points?: unknown): StoredAlarms | undefined {
  const read = readStored(AlarmsShape, value)
  if (read === undefined) return undefined
  const { last, mutedUntilWallMs, ...rest } = read
  return { ...rest, mutedUntilWallMs, memory: memoryFrom(last, points) }
}

const DATABASE = 'immune-alarms'
const KEY = ['alarms']
const POINTS_KEY = ['alarm-points']

export function documentsOf({ memory, ...kept }: StoredAlarms) {
  return { document: { ...kept, last: keptLastOf(memory) }, points: keptPointsOf(memory) }
}

/** Documents are written as a whole. Neither call throws. */
export type AlarmStore = {
  readonly load: () => Promise<StoredAlarms | undefined>
  /** False: nothing was stored, and the next call tries again. Without points the stored points stay. */
  readonly save: (kept: StoredAlarms, withPoints: boolean) => Promise<boolean>
}

export function createAlarmStore(storage: Pick<Storage, 'open'>): AlarmStore {
  const database = smallDatabase(storage, DATABASE)
  return {
    load: async () => {
      const ranges = [KEY, POINTS_KEY].map((key) => ({ table: 'meta' as const, from: key, to: [...key, 0] }))
      const [alarms, points] = orUndefined(await database.read(ranges)) ?? []
      return parseStoredAlarms(alarms?.[0]?.value, points?.[0]?.value)
    },
    save: async (kept, withPoints) => {
      const { document, points } = documentsOf(kept)
      const put = (key: StorageKey, value: unknown) => ({ kind: 'put', table: 'meta', key, value }) as const
      const changes = [put(KEY, document), ...(withPoints ? [put(POINTS_KEY, points)] : [])]
      return (await database.write(changes)).ok
    },
  }
}

/** Rules times nodes; the memory beyond this restarts after a reload. */
const LAST_MAX = 50_000
/** 16 bytes each. */
const POINTS_KEPT_MAX = 500_000

const keptLastOf = (memory: Remembered): Remembered =>
  memory.filter(([, { kind }]) => kind === 'last').slice(0, LAST_MAX)

/**
 * Values within rule windows. They are much larger, so they are stored separately and less often. Times and values alternate.
 */
function keptPointsOf(memory: Remembered) {
  let count = 0
  return memory.flatMap(([id, one]) => {
    if (one.kind !== 'points') return []
    const { points, ...rest } = one
    count += points.length
    return count > POINTS_KEPT_MAX ? [] : [[id, { ...rest, flat: Float64Array.from(points.flat()) }] as const]
  })
}

const metricKind = v.custom<MetricAlarmKind>(
  (value) => typeof value === 'string' && /^[a-zA-Z0-9]+-[a-z0-9-]+$/.test(value),
)
/** Files hold them as JSON, which has no typed arrays. */
const pairs = v.pipe(
  v.union([v.instance(Float64Array), v.array(v.number())]),
  v.check((flat) => flat.length % 2 === 0 && Array.from(flat).every(Number.isFinite)),
)
const StoredLast = storedList(
  v.strictTuple([
    v.string(),
    v.object({
      kind: v.literal('last'),
      of: metricKind,
      text: v.string(),
      before: v.fallback(v.optional(v.string()), undefined),
      sinceAwakeMs: finite,
    }),
  ]),
)
const StoredPoints = storedList(
  v.strictTuple([
    v.string(),
    v.object({
      kind: v.literal('points'),
      of: metricKind,
      flat: pairs,
      wallMs: finite,
      total: v.optional(v.pipe(v.string(), v.regex(/^\d{1,80}$/))),
    }),
  ]),
)

export const memoryFrom = (last: unknown, points: unknown): Remembered => [
  ...(readStored(StoredLast, last) ?? []),
  ...(readStored(StoredPoints, points) ?? []).map(([id, { flat, total, ...rest }]): [AlarmId, Memory] => [
    id,
    { ...rest, points: pairsOf(flat), total },
  ]),
]

function pairsOf(flat: ArrayLike<number>): readonly Point[] {
  const points: Point[] = []
  for (let index = 0; index < flat.length; index += 2) points.push([flat[index] ?? 0, flat[index + 1] ?? 0])
  return points
}
