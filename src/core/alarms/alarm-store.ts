import type { Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure, StorageKey } from '#history/storage.ts'
import { ALARM_SEVERITIES, type AlarmId } from './alarm.ts'
import type { Instance } from './instance.ts'
import { keptLastOf, keptPointsOf, memoryFrom } from './stored-memory.ts'
import type { Memory } from './operator-rules.ts'

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
  /** Polls that nodes with alarms had when they were last judged, so that none is judged twice. */
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

/** What the machine reckons with is looked at; words and values are only shown. */
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
  let opened: Database | undefined
  const using = async <T>(
    work: (database: Database) => Promise<Result<T, StorageFailure>>,
  ): Promise<T | undefined> => {
    if (opened === undefined) {
      const made = await storage.open(DATABASE)
      if (!made.ok) return undefined
      opened = made.value
    }
    const done = await work(opened)
    if (done.ok) return done.value
    opened.close()
    opened = undefined
    return undefined
  }
  return {
    load: async () => {
      const rows = await using((database) =>
        database.read(
          [KEY, POINTS_KEY].map((key) => ({ table: 'head', from: key, to: [...key, 0], limit: 1 })),
        ),
      )
      return parseStoredAlarms(rows?.[0]?.[0]?.value, rows?.[1]?.[0]?.value)
    },
    save: async (kept, withPoints) => {
      const { document, points } = documentsOf(kept)
      const put = (key: StorageKey, value: unknown) => ({ kind: 'put', table: 'head', key, value }) as const
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
