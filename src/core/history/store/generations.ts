import { err, ok, type Result } from '#base/result.ts'
import type { Database, Storage, StorageFailure, StorageKey } from '#history/storage.ts'
import { HISTORY_PREFIX, segmentOfName } from '#history/tiers.ts'

/** Databases beside those that are in use. They take their place all at once, or not at all. */
export type Stage = {
  readonly open: (name: string) => Promise<Result<Database, StorageFailure>>
  /** From then on these are the databases in use, and no others. */
  readonly commit: () => Promise<Result<undefined, StorageFailure>>
  readonly discard: () => Promise<void>
  /** Whatever comes with what was committed is there too. */
  readonly finish: () => Promise<void>
}

export type StagedStorage = Storage & {
  readonly stage: () => Promise<Result<Stage, StorageFailure>>
  /** A number that is another after each commit. */
  readonly generation: () => number
  /** Removes what is in use no more, or not yet, and says whether a stage was cut off: before its commit or its finish. */
  readonly removeLeftovers: () => Promise<Result<'committed' | 'staged' | 'none', StorageFailure>>
}

/** The first one has no number in its names, and no mark. */
const FIRST = 0

type Place = {
  readonly generation: number
  /** The segment's name; absent for the mark that puts a generation into use. */
  readonly segment?: string
  readonly name: string
}

function placeOf(name: string): Place | undefined {
  if (segmentOfName(name) !== undefined) return { generation: FIRST, segment: name, name }
  const match = /^immune-history-g(\d{1,9})(-[a-z]+--?\d+)?$/.exec(name)
  if (match === null) return undefined
  const generation = Number(match[1])
  if (match[2] === undefined) return { generation, name }
  const segment = `${HISTORY_PREFIX}${match[2]}`
  return segmentOfName(segment) === undefined ? undefined : { generation, segment, name }
}

const markOf = (generation: number): string => `${HISTORY_PREFIX}-g${generation}`
const nameIn = (generation: number, segment: string): string =>
  generation === FIRST || segmentOfName(segment) === undefined
    ? segment
    : `${markOf(generation)}${segment.slice(HISTORY_PREFIX.length)}`

/** A database can't be renamed. That one with a generation's number exists is what puts the generation into use. */
const inUse = (places: readonly Place[]): number =>
  Math.max(
    FIRST,
    ...places.filter(({ segment }) => segment === undefined).map(({ generation }) => generation),
  )

type Found = { readonly places: readonly Place[]; readonly others: readonly string[]; readonly inUse: number }

async function look(storage: Storage): Promise<Result<Found, StorageFailure>> {
  const names = await storage.list()
  if (!names.ok) return names
  const places = names.value.flatMap((name) => placeOf(name) ?? [])
  const others = names.value.filter((name) => placeOf(name) === undefined)
  return ok({ places, others, inUse: inUse(places) })
}

/** Marks last: while one is there, what lies in an older generation is in use no more. */
async function removeAll(storage: Storage, places: readonly Place[]): Promise<void> {
  for (const { name } of places.toSorted(
    (a, b) => Number(b.segment !== undefined) - Number(a.segment !== undefined),
  )) {
    const removed = await storage.remove(name)
    // What can't be removed now can be at another start.
    if (!removed.ok) return
  }
}

/** Segments by their own names, whichever generation of databases they lie in. */
export function createGenerations(storage: Storage): StagedStorage {
  let generation: number | undefined
  /** Asked once, and anew with each list, as at each start. */
  const placed = async (name: string): Promise<Result<string, StorageFailure>> => {
    if (generation === undefined) {
      const found = await look(storage)
      if (!found.ok) return found
      generation = found.value.inUse
    }
    return ok(nameIn(generation, name))
  }

  return {
    ...storage,
    list: async () => {
      const found = await look(storage)
      if (!found.ok) return found
      const { places, others, inUse: now } = found.value
      generation = now
      return ok([
        ...others,
        ...places.flatMap((each) => (each.generation === now ? (each.segment ?? []) : [])),
      ])
    },
    open: async (name) => {
      const there = await placed(name)
      return there.ok ? storage.open(there.value) : there
    },
    remove: async (name) => {
      const there = await placed(name)
      return there.ok ? storage.remove(there.value) : there
    },
    generation: () => generation ?? FIRST,
    stage: () =>
      beginStage(storage, (next) => {
        generation = next
      }),
    removeLeftovers: async () => {
      const found = await look(storage)
      if (!found.ok) return found
      const { places, inUse: now } = found.value
      await removeAll(
        storage,
        places.filter((place) => place.generation !== now),
      )
      if (places.some((place) => place.generation > now)) return ok('staged')
      return ok(now !== FIRST && !(await isFinished(storage, now)) ? 'committed' : 'none')
    },
  }
}

const FINISHED: StorageKey = ['finished']

/** Told once: from then on it is. */
async function isFinished(storage: Storage, generation: number): Promise<boolean> {
  const opened = await storage.open(markOf(generation))
  if (!opened.ok) return true // nothing can be said of it
  const read = await opened.value.read([{ table: 'meta', from: FINISHED, to: [...FINISHED, 0] }])
  opened.value.close()
  const isMarked = !read.ok || (read.value[0] ?? []).length > 0
  if (!isMarked) await markFinished(storage, generation)
  return isMarked
}

async function markFinished(storage: Storage, generation: number): Promise<void> {
  const opened = await storage.open(markOf(generation))
  if (!opened.ok) return
  await opened.value.write([{ kind: 'put', table: 'meta', key: FINISHED, value: true }])
  opened.value.close()
}

async function beginStage(
  storage: Storage,
  use: (generation: number) => void,
): Promise<Result<Stage, StorageFailure>> {
  const found = await look(storage)
  if (!found.ok) return found
  const next = Math.max(FIRST, ...found.value.places.map((place) => place.generation)) + 1
  const staged = new Set<string>()
  return ok({
    open: async (segment) => {
      const opened = await storage.open(nameIn(next, segment))
      if (opened.ok) staged.add(segment)
      return opened
    },
    commit: async () => {
      const there = await look(storage)
      if (!there.ok) return there
      const { places, inUse: now } = there.value
      // Another engine has removed it meanwhile, as what was left of one that died.
      if (now >= next || places.filter((place) => place.generation === next).length !== staged.size)
        return err('taken')
      const marked = await storage.open(markOf(next))
      if (!marked.ok) {
        // It must not come late, when what it marks is gone.
        await storage.remove(markOf(next))
        return marked
      }
      marked.value.close()
      use(next)
      await removeAll(
        storage,
        places.filter((place) => place.generation < next),
      )
      return ok(undefined)
    },
    finish: () => markFinished(storage, next),
    discard: async () => {
      const there = await look(storage)
      if (!there.ok) return
      await removeAll(
        storage,
        there.value.places.filter((place) => place.generation === next),
      )
    },
  })
}
