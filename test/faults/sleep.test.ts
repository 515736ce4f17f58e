import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hero, QUICK, setStage, WAIT, type Stage } from '#test/e2e/stage.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { agoInSeconds } from '#test/support/ages.ts'
import { goTo, journal, openScreen } from './own-screen.ts'
import { expectHistoryKept, keptSamples } from './shared-assertions.ts'

const HOUR_MS = 3_600_000

let stage: Stage
beforeAll(async () => {
  stage = await setStage({ nodes: 2, service: QUICK })
})
afterAll(() => stage.stop())

const node = () => {
  const [first] = stage.nodes
  if (first === undefined) throw new Error('no node')
  return first
}
const asked = (): number => stage.reference.stats().byNode[node().id.toLowerCase()]?.requests ?? 0

/** Seconds since the last answer, as the page says; while no answer is of now. */
const ageOf = async (page: Page): Promise<number> =>
  agoInSeconds(
    (await hero(page)
      .getByText(/^as of /)
      .textContent()) ?? '',
  )

/** Polling goes on at its pace: no stop, no burst. */
async function keepsPace(): Promise<void> {
  const before = asked()
  const startMs = performance.now()
  await expect.poll(asked, WAIT).toBeGreaterThan(before + 2)
  const polls = Math.floor((performance.now() - startMs) / QUICK.pollIntervalMs)
  expect(asked() - before).toBeLessThanOrEqual(polls + 2)
}

type Frame = { readonly text: string; readonly isOld: boolean }

/** What each frame shows of the node from a moment on, until it is asked for. */
async function framesOfHero(page: Page, from: () => Promise<void>): Promise<() => Promise<readonly Frame[]>> {
  await page.evaluate((label) => {
    const frames: Frame[] = []
    let isOver = false
    const look = (): void => {
      const part = document.querySelector(`[aria-label="${label}"]`)
      const frame = { text: part?.textContent ?? '', isOld: part?.querySelector('.state.old') !== null }
      if (frames.at(-1)?.text !== frame.text || frames.at(-1)?.isOld !== frame.isOld) frames.push(frame)
      if (!isOver) requestAnimationFrame(look)
    }
    look()
    Object.assign(globalThis, {
      framesShown: () => {
        isOver = true
        return frames
      },
    })
  }, nodeTexts.hero.label)
  await from()
  return () => page.evaluate<readonly Frame[]>('framesShown()')
}

it('F 78: eight hours of sleep', async () => {
  const byMs = { wall: 8 * HOUR_MS, steady: 8 * HOUR_MS }
  const { page, shiftClocks } = await openScreen(stage)
  const kept = await keptSamples(page)
  // At the wake nothing answers yet, so that what is shown is of before.
  await stage.reference.faults.set('*', { name: 'hang' })
  const shown = await framesOfHero(page, () => shiftClocks(byMs))
  await expect.poll(() => ageOf(page), WAIT).toBeGreaterThanOrEqual((8 * HOUR_MS) / 1_000)
  expect(await hero(page).locator('.state.old').count()).toBe(1)
  // No frame has shown the values of before as of now beside an age of hours.
  const frames = await shown()
  expect(frames.filter(({ text }) => /\b[78].h/.test(text)).length).toBeGreaterThan(0)
  expect(frames.filter(({ text, isOld }) => !isOld && /\b[78].h/.test(text))).toEqual([])
  await stage.reference.faults.clear()
  await hero(page).getByText('Last answer').waitFor()
  await keepsPace()
  await goTo(page, stage, 'journal')
  await journal(page)
    .getByText(/Not watched for 8/)
    .first()
    .waitFor()
  await expectHistoryKept(page, kept)
})
