import { describe, expect, it } from 'vitest'
import type { Database } from '#history/storage.ts'
import { createGenerations } from '#history/store/generations.ts'
import { createMemoryStorage, type MemoryStorage } from '#test/support/memory-storage.ts'

const SAMPLES = 'immune-history-samples-5'
const COARSE = 'immune-history-coarse--1'
const OTHER = 'immune-history-import'
const MARK = 'immune-history-g1'

/** A store in which these databases are, without anything in them. */
const storeWith = (...names: readonly string[]): MemoryStorage => {
  const storage = createMemoryStorage()
  for (const name of names) storage.databases.set(name, new Map())
  return storage
}
const namesIn = ({ databases }: MemoryStorage) => Array.from(databases.keys()).toSorted()
const valueOf = async <T>(
  asked: Promise<{ readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string }>,
): Promise<T> => {
  const found = await asked
  if (!found.ok) throw new Error(found.error)
  return found.value
}
const put = async (database: Database, value: unknown) =>
  valueOf(database.write([{ kind: 'put', table: 'rows', key: ['a'], value }]))
const heldIn = async (database: Database) =>
  (await valueOf(database.read([{ table: 'rows', from: [''], to: ['b'] }])))[0]?.[0]?.value

/** What is kept, and a stage beside it with the same segment. */
async function staged(storage = storeWith(SAMPLES, COARSE, OTHER)) {
  const generations = createGenerations(storage)
  await put(await valueOf(generations.open(SAMPLES)), 'old')
  const stage = await valueOf(generations.stage())
  await put(await valueOf(stage.open(SAMPLES)), 'new')
  return { storage, generations, stage }
}

describe('databases that were never replaced', () => {
  it('have the names of their segments', async () => {
    const storage = createMemoryStorage()
    const generations = createGenerations(storage)
    await valueOf(generations.open(SAMPLES))
    expect([namesIn(storage), generations.generation()]).toEqual([[SAMPLES], 0])
    expect(await generations.list()).toEqual({ ok: true, value: [SAMPLES] })
    expect(await generations.removeLeftovers()).toEqual({ ok: true, value: 'none' })
    expect((await generations.remove(SAMPLES)).ok).toBe(true)
    expect(namesIn(storage)).toEqual([])
  })

  it('are told from those of a stage by their names alone', async () => {
    const strange = [
      'immune-history-g1-minute',
      'immune-history-g1-other-5',
      'immune-history-gx',
      'immune-history-g1234567890',
      'immune-history-g1-samples-5-more',
      'my-immune-history-g1',
    ]
    const storage = storeWith(...strange, OTHER, SAMPLES)
    const generations = createGenerations(storage)
    expect(await generations.list()).toEqual({ ok: true, value: [...strange, OTHER, SAMPLES] })
    expect(await generations.removeLeftovers()).toEqual({ ok: true, value: 'none' })
    expect(namesIn(storage)).toEqual([...strange, OTHER, SAMPLES].toSorted())
  })
})

describe('databases that are written beside those in use', () => {
  it('are nobody’s until they take their place: those in use are as they were', async () => {
    const { storage, generations } = await staged()
    expect(namesIn(storage)).toEqual([COARSE, 'immune-history-g1-samples-5', OTHER, SAMPLES])
    expect(await generations.list()).toEqual({ ok: true, value: [OTHER, SAMPLES, COARSE] })
    expect(await heldIn(await valueOf(generations.open(SAMPLES)))).toBe('old')
    expect(generations.generation()).toBe(0)
  })

  it('take their place all at once, and what was in use before is gone', async () => {
    const { storage, generations, stage } = await staged()
    expect((await stage.commit()).ok).toBe(true)
    expect(generations.generation()).toBe(1)
    expect(namesIn(storage)).toEqual([MARK, 'immune-history-g1-samples-5', OTHER])
    expect(await generations.list()).toEqual({ ok: true, value: [OTHER, SAMPLES] })
    expect(await heldIn(await valueOf(generations.open(SAMPLES)))).toBe('new')
  })

  it('are those in use for whoever comes later, whichever it asks first', async () => {
    const { storage, stage } = await staged()
    await stage.commit()
    const second = await staged(storage)
    await second.stage.commit()
    expect(namesIn(storage)).toEqual(['immune-history-g2', 'immune-history-g2-samples-5', OTHER])
    const opened = createGenerations(storage)
    expect(await heldIn(await valueOf(opened.open(SAMPLES)))).toBe('new')
    expect(opened.generation()).toBe(2)
    // What is none of history's segments has no generation.
    await valueOf(opened.open(OTHER))
    await valueOf(opened.open(COARSE))
    expect(namesIn(storage)).toEqual([
      'immune-history-g2',
      'immune-history-g2-coarse--1',
      'immune-history-g2-samples-5',
      OTHER,
    ])
    const removed = createGenerations(storage)
    expect((await removed.remove(SAMPLES)).ok).toBe(true)
    expect(namesIn(storage)).toEqual(['immune-history-g2', 'immune-history-g2-coarse--1', OTHER])
  })

  it('are found by an engine that began before, once it lists them', async () => {
    const { storage, stage } = await staged()
    const other = createGenerations(storage)
    await valueOf(other.open(SAMPLES))
    await stage.commit()
    expect(other.generation()).toBe(0)
    await other.list()
    expect(other.generation()).toBe(1)
    expect(await heldIn(await valueOf(other.open(SAMPLES)))).toBe('new')
  })

  it('go where they are given up, and nothing else does', async () => {
    const { storage, stage } = await staged()
    storage.databases.set('immune-history-g2-samples-5', new Map())
    await stage.discard()
    expect(namesIn(storage)).toEqual([COARSE, 'immune-history-g2-samples-5', OTHER, SAMPLES])
  })

  it('have a number of their own beside what an earlier stage left', async () => {
    const storage = storeWith(SAMPLES, 'immune-history-g41-samples-2943')
    const stage = await valueOf(createGenerations(storage).stage())
    await valueOf(stage.open(SAMPLES))
    expect(namesIn(storage)).toEqual([
      'immune-history-g41-samples-2943',
      'immune-history-g42-samples-5',
      SAMPLES,
    ])
  })
})

describe('databases that can not take their place', () => {
  const TAKEN = { ok: false, error: 'taken' }

  it('because another engine removed one of them', async () => {
    const { storage, generations, stage } = await staged()
    storage.databases.delete('immune-history-g1-samples-5')
    expect(await stage.commit()).toEqual(TAKEN)
    expect([namesIn(storage), generations.generation()]).toEqual([[COARSE, OTHER, SAMPLES], 0])
  })

  it.each([MARK, 'immune-history-g2'])('because another engine’s did meanwhile: %s', async (mark) => {
    const { storage, generations, stage } = await staged()
    storage.databases.set(mark, new Map())
    // As many as there should be.
    if (mark === MARK) storage.databases.delete('immune-history-g1-samples-5')
    expect(await stage.commit()).toEqual(TAKEN)
    expect(namesIn(storage)).toContain(SAMPLES)
    expect(generations.generation()).toBe(0)
  })

  it('because the store does not list, or open: what was in use is, and a mark that comes late is gone', async () => {
    const { storage, generations, stage } = await staged()
    storage.fault = (operation) => (operation === 'list' ? 'no-answer' : undefined)
    expect(await stage.commit()).toEqual({ ok: false, error: 'no-answer' })
    const removed: string[] = []
    storage.fault = (operation, name) => {
      if (operation === 'remove') removed.push(name)
      if (operation !== 'open') return undefined
      storage.databases.set(name, new Map())
      return 'blocked'
    }
    expect(await stage.commit()).toEqual({ ok: false, error: 'blocked' })
    expect(removed).toEqual([MARK])
    storage.fault = () => undefined
    expect(namesIn(storage)).toEqual([COARSE, 'immune-history-g1-samples-5', OTHER, SAMPLES])
    expect(await heldIn(await valueOf(generations.open(SAMPLES)))).toBe('old')
  })

  it('since they did not all open: they are not counted', async () => {
    const { storage, stage } = await staged()
    storage.fault = (operation) => (operation === 'open' ? 'full' : undefined)
    expect(await stage.open(COARSE)).toEqual({ ok: false, error: 'full' })
    storage.fault = () => undefined
    expect((await stage.commit()).ok).toBe(true)
  })
})

describe('what a stage that was cut off left', () => {
  const cutOff = async (storage: MemoryStorage) => (await createGenerations(storage).removeLeftovers()).ok

  it('goes, and that it was is said, where it was not in use yet', async () => {
    const { storage } = await staged()
    const generations = createGenerations(storage)
    expect(await generations.removeLeftovers()).toEqual({ ok: true, value: 'staged' })
    expect(namesIn(storage)).toEqual([COARSE, OTHER, SAMPLES])
    expect(await generations.removeLeftovers()).toEqual({ ok: true, value: 'none' })
  })

  const LEFT = [
    'immune-history-g1',
    'immune-history-g1-samples-5',
    'immune-history-g2',
    'immune-history-g2-minute-7',
  ]

  it.each([
    ['as it lies there', LEFT],
    ['the other way round', LEFT.toReversed()],
    ['with segments first', LEFT.toSorted((a, b) => b.length - a.length)],
    ['with marks first', LEFT.toSorted((a, b) => a.length - b.length)],
  ])('is what was in use before, where it is in use: marks go last, listed %s', async (_how, left) => {
    const storage = storeWith(...left, SAMPLES, OTHER, 'immune-history-g3', 'immune-history-g3-samples-5')
    const removed: string[] = []
    storage.fault = (operation, name) => {
      if (operation === 'remove') removed.push(name)
      return undefined
    }
    expect(await createGenerations(storage).removeLeftovers()).toMatchObject({ ok: true })
    expect(namesIn(storage)).toEqual(['immune-history-g3', 'immune-history-g3-samples-5', OTHER])
    expect(removed.toSorted()).toEqual([...left, SAMPLES].toSorted())
    expect(removed.slice(-2).toSorted()).toEqual(['immune-history-g1', 'immune-history-g2'])
  })

  it('stays from the first on that can not be removed: its mark is the last', async () => {
    const storage = storeWith('immune-history-g1', 'immune-history-g1-samples-5', 'immune-history-g2')
    storage.fault = (operation) => (operation === 'remove' ? 'blocked' : undefined)
    expect(await cutOff(storage)).toBe(true)
    expect([namesIn(storage).length, storage.counts.remove]).toEqual([3, 1])
  })

  it('may be only that what comes with it was not taken: that is said once', async () => {
    const { storage, stage } = await staged()
    await stage.commit()
    expect(await createGenerations(storage).removeLeftovers()).toEqual({ ok: true, value: 'committed' })
    expect(await createGenerations(storage).removeLeftovers()).toEqual({ ok: true, value: 'none' })
  })

  it('is nothing where all that comes with it was taken', async () => {
    const { storage, stage } = await staged()
    await stage.commit()
    await stage.finish()
    expect(Array.from(storage.databases.get(MARK)?.get('meta')?.values() ?? [])).toEqual([
      { key: ['finished'], value: true },
    ])
    expect(await createGenerations(storage).removeLeftovers()).toEqual({ ok: true, value: 'none' })
  })

  it.each(['open', 'read'] as const)(
    'is said of nothing where that can not be told: %s',
    async (operation) => {
      const { storage, stage } = await staged()
      await stage.commit()
      storage.fault = (asked) => (asked === operation ? 'no-answer' : undefined)
      expect(await createGenerations(storage).removeLeftovers()).toEqual({ ok: true, value: 'none' })
      storage.fault = () => undefined
      expect(storage.databases.get(MARK)?.size).toBe(0)
      expect(await createGenerations(storage).removeLeftovers()).toEqual({ ok: true, value: 'committed' })
    },
  )
})

describe('a store that does not list', () => {
  it.each<[string, (generations: ReturnType<typeof createGenerations>) => Promise<unknown>]>([
    ['lists', async ({ list }) => list()],
    ['opens', async ({ open }) => open(SAMPLES)],
    ['removes', async ({ remove }) => remove(SAMPLES)],
    ['stages', async ({ stage }) => stage()],
    ['removes what is left over', async ({ removeLeftovers }) => removeLeftovers()],
  ])('fails as it is asked what it %s', async (_what, ask) => {
    const storage = storeWith(SAMPLES)
    storage.fault = (operation) => (operation === 'list' ? 'none' : undefined)
    expect(await ask(createGenerations(storage))).toEqual({ ok: false, error: 'none' })
    expect(namesIn(storage)).toEqual([SAMPLES])
  })

  it('keeps no stage from being given up', async () => {
    const { storage, stage } = await staged()
    storage.fault = (operation) => (operation === 'list' ? 'none' : undefined)
    await stage.discard()
    expect(namesIn(storage)).toHaveLength(4)
  })
})

describe('a store', () => {
  it('is asked once what is in use, however much is opened and removed', async () => {
    const storage = storeWith(SAMPLES)
    const { open, remove } = createGenerations(storage)
    await valueOf(open(SAMPLES))
    await valueOf(open(COARSE))
    await remove(SAMPLES)
    expect(storage.counts.list).toBe(1)
  })

  it('that does not open keeps no restore from its end', async () => {
    const { storage, stage } = await staged()
    await stage.commit()
    storage.fault = (operation) => (operation === 'open' ? 'blocked' : undefined)
    await stage.finish()
    expect(storage.databases.get(MARK)?.size).toBe(0)
  })
})
