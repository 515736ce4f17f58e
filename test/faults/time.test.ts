import { beforeAll, describe, expect } from 'vitest'
import { hero } from '#test/e2e/stage.ts'
import { engineTarget, type EngineTarget } from './engine-target.ts'
import { answers, faultStage, isLive, messagesDuring } from './fault-stage.ts'
import { agoInSeconds } from '#test/support/ages.ts'

const HOUR_MS = 3_600_000

/** Moves the wall clock of whoever evaluates it by so much more: engine and page each have one. */
const move = (byMs: number): string => `{ const was = Date.now.bind(Date); Date.now = () => was() + ${byMs} }`

/** A clock that was set, or a sleep, makes readings old, which is said; it is nobody's failure. */
const isAboutNodes = (text: string): boolean => !/watch\/|data\/clock/.test(text)

describe('the clocks of this computer', () => {
  const { row, browser } = faultStage({ nodes: 4, browser: 'own' })
  let engine: EngineTarget
  beforeAll(async () => {
    engine = await engineTarget(browser.itself())
  })

  for (const { of, byMs } of [
    { of: 'back by two hours', byMs: -2 * HOUR_MS },
    { of: 'ahead by a year', byMs: 365 * 24 * HOUR_MS },
  ])
    row(77, { of, leaves: 'watch/' }, async (given) => {
      const { page, reference } = given
      for (const step of [byMs, -byMs]) {
        const said = await messagesDuring(page, async () => {
          await Promise.all([engine, page].map((one) => one.evaluate(move(step))))
          await answers(given, 3)
          await isLive(page)
        })
        expect(said.filter(isAboutNodes)).toEqual([])
        expect(agoInSeconds(await hero(page).getByText('Last answer').innerText())).toBeLessThan(10)
        expect(await hero(page).innerText()).not.toMatch(/[-−]\d|NaN/)
      }
      expect(Object.keys(reference.stats().byStatus)).toEqual(['200'])
    })
})
