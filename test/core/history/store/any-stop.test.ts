import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { createKept } from './kept-history.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const EVERY_MS = 30 * MINUTE_MS
const NODES = ['a', 'b']
/** Each is answered from rollups of minutes, quarters of an hour and hours. */
const RANGES_MS = [40 * HOUR_MS, 10 * DAY_MS, 30 * DAY_MS] as const

it('wherever it ends, in the middle of whichever write, what was kept is there, and nothing twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 4 }),
      async (sittings, stops) => {
        const storage = createMemoryStorage()
        let kept = createKept(storage)
        await kept.start()
        let polls = 0
        for (const [place, rounds] of sittings.entries()) {
          // Without a look in between, so that all that there is to do is left for those that end.
          for (let round = 0; round < rounds; round++) {
            await kept.history.append({
              samples: NODES.map((node) => ({
                node,
                atMs: kept.clock.wallMs(),
                latencyMs: 1,
                everyMs: EVERY_MS,
                outcome: 'answered' as const,
              })),
              gaps: [],
            })
            kept.clock.sleep(EVERY_MS, 'runs')
          }
          polls += rounds
          await kept.history.saved()
          expect(kept.status().state).toBe('kept')
          kept.clock.sleep(3 * HOUR_MS, 'runs')
          const stop = stops[place % stops.length] ?? 0
          let writes = 0
          let isDead = false
          await new Promise<void>((ended) => {
            storage.fault = (operation) => {
              if (operation === 'write' && writes++ === stop) isDead = true
              if (isDead) ended()
              return isDead ? 'crash' : undefined
            }
            void kept.history.maintain().then(ended)
          })
          kept.history.dispose()
          storage.fault = () => undefined
          const { clock } = kept
          kept = createKept(storage, clock, `writer ${place}`)
          await kept.start()
          expect((await kept.lanes('b', RANGES_MS[0], EVERY_MS)).answered).toBe(polls)
        }
        await kept.history.maintain()
        expect(kept.status()).toMatchObject({ state: 'kept', damaged: 0, lost: undefined })
        for (const rangeMs of RANGES_MS)
          expect([rangeMs, (await kept.lanes('b', rangeMs, EVERY_MS)).answered]).toEqual([rangeMs, polls])
        kept.history.dispose()
      },
    ),
    { numRuns: 15 },
  )
})
