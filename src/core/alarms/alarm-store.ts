import * as v from 'valibot'
import { readStored, storedList } from '#base/stored.ts'
import { smallDatabase } from '#history/small-database.ts'
import type { Storage, StorageKey } from '#history/storage.ts'
import { ALARM_SEVERITIES, type AlarmId, type MetricAlarmKind } from './alarm.ts'
import type { Instance } from './instance.ts'
import type { Memory, Point } from './conditions.ts'

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

const finite = v.pipe(v.number(), v.finite())
const serviceId = v.string()

/** Only the members that are computed with: the others are words and values that are merely shown. */
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
  shelved: v.optional(v.looseObject({ untilWallMs: finite, untilAwakeMs: finite })),
  acknowledged: v.optional(v.looseObject({ wallMs: finite })),
})
const isInstance = (value: unknown): value is Instance => v.is(InstanceShape, value)

const AlarmsShape = v.object({
  version: v.literal(1),
  wallMs: finite,
  awakeMs: finite,
  mutedUntilWallMs: v.fallback(v.optional(finite), undefined),
  // Alarms stored before this was recorded had a key.
  hadKey: v.fallback(v.boolean(), true),
  instances: v.pipe(
    v.array(v.unknown()),
    v.transform((all) => all.filter(isInstance)),
  ),
  polls: storedList(v.strictTuple([v.string(), finite])),
  last: v.optional(v.unknown()),
})

/** The stored alarms; undefined unless they have that shape. A damaged alarm is left out and the others are read. */
export function parseStoredAlarms(value: unknown, points?: unknown): StoredAlarms | undefined {
  const read = readStored(AlarmsShape, value)
  if (read === undefined) return undefined
  const { last, mutedUntilWallMs, ...rest } = read
  return { ...rest, mutedUntilWallMs, memory: memoryFrom(last, points) }
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

const metricKind = v.custom<MetricAlarmKind>(
  (value) => typeof value === 'string' && /^[a-zA-Z0-9]+-[a-z0-9-]+$/.test(value),
)
const pairs = v.pipe(
  v.instance(Float64Array),
  v.check((flat) => flat.length % 2 === 0 && flat.every(Number.isFinite)),
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

/** Both kinds of memory without the entries that are damaged. */
export const memoryFrom = (last: unknown, points: unknown): Remembered => [
  ...(readStored(StoredLast, last) ?? []),
  ...(readStored(StoredPoints, points) ?? []).map(([id, { flat, total, ...rest }]): [AlarmId, Memory] => [
    id,
    { ...rest, points: pairsOf(flat), total },
  ]),
]

function pairsOf(flat: Float64Array): readonly Point[] {
  const points: Point[] = []
  for (let place = 0; place < flat.length; place += 2) points.push([flat[place] ?? 0, flat[place + 1] ?? 0])
  return points
}
