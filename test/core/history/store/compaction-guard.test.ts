import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createCompactionGuard } from '#history/store/compaction-guard.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

describe('compactions', () => {
  it('have what was read meanwhile read anew, after them', async () => {
    const compaction = createCompactionGuard()
    const reads: string[] = []
    let place = 'memory'
    const read = async (): Promise<string> => {
      const seen = place
      reads.push(seen)
      if (reads.length === 1) {
        await compaction.during(async () => {
          place = 'record'
        })
      }
      return seen
    }
    expect(await compaction.steady(read)).toBe('record')
    expect(reads).toEqual(['memory', 'record'])
  })

  it('that are under way are waited for, also when they fail', async () => {
    const compaction = createCompactionGuard()
    let fail = (): void => undefined
    const moving = compaction.during(
      () =>
        new Promise<void>((_, reject) => {
          fail = () => reject(new Error('disk'))
        }),
    )
    const seen: string[] = []
    const reading = compaction.steady(async () => {
      seen.push('read')
    })
    await Promise.resolve()
    expect(seen).toEqual([])
    fail()
    await expect(moving).rejects.toThrow('disk')
    await reading
    expect(seen).toEqual(['read'])
  })

  it('that never end keep nobody from reading', async () => {
    const compaction = createCompactionGuard()
    let reads = 0
    await compaction.steady(async () => {
      reads++
      await compaction.during(async () => undefined)
    })
    expect(reads).toBe(8)
  })
})

describe('a read that was begun before rows went into records', () => {
  /** A store whose next read after `hold` is answered at `release`, with what was there when it was asked. */
  function heldStorage() {
    const storage = createMemoryStorage()
    let isArmed = false
    let release = (): void => undefined
    const held = async (): Promise<void> => {
      if (!isArmed) return
      isArmed = false
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    const open: typeof storage.open = async (name) => {
      const opened = await storage.open(name)
      if (!opened.ok) return opened
      const { read, ...rest } = opened.value
      const slowly: typeof read = async (ranges) => {
        const found = await read(ranges)
        await held()
        return found
      }
      return ok({ ...rest, read: slowly })
    }
    return {
      storage: { ...storage, open },
      hold: () => {
        isArmed = true
      },
      release: () => {
        expect(isArmed).toBe(false)
        release()
      },
    }
  }

  it.each([
    ['samples', DAY_MS],
    ['sums of minutes', 2 * DAY_MS],
    ['sums of quarters', 7 * DAY_MS],
    ['sums of hours', 30 * DAY_MS],
  ])('finds each of them once, in %s', async (_name, rangeMs) => {
    const held = heldStorage()
    const kept = createKept(held.storage)
    await kept.start()
    await kept.watch(['a'], 200, 60_000)
    await kept.history.maintain()
    await kept.watch(['a'], 50, 60_000)
    held.hold()
    const reading = kept.lanes('a', rangeMs)
    await kept.clock.advance(HOUR_MS)
    await kept.history.maintain()
    held.release()
    expect((await reading).answered).toBe(250)
  })
})
