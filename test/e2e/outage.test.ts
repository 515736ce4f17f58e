import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { FaultName, FaultValue } from '#reference/faults.ts'
import {
  hero,
  message,
  openMessages,
  messages,
  QUICK,
  setStage,
  startWatching,
  statusLine,
  textWhenThere,
  type Stage,
} from './stage.ts'
import { readBuiltFiles } from '#test/support/built-files.ts'
import { browserForTests } from './watched-browser.ts'

/** A service that is not on this computer, as far as the browser can tell. */
const FAR = 'node.example'

const browser = browserForTests([`--host-resolver-rules=MAP ${FAR} 127.0.0.1`])
let stage: Stage
let page: Page

/** A service with one word for all of its nodes, and somebody who looks at one of them. */
beforeAll(async () => {
  stage = await setStage({ nodes: 3, service: QUICK })
  page = await browser.openPage({ viewport: { width: 1440, height: 900 } })
  await startWatching(page, stage)
})
afterAll(async () => {
  await stage.stop()
})
afterEach(async () => {
  await stage.reference.faults.clear()
  // It is there only until the next poll went well, which may be any moment.
  await page.evaluate(() => {
    for (const button of document.querySelectorAll('button'))
      if (button.textContent === 'Try now') button.click()
  })
  await hero(page).getByText('Last answer').waitFor()
  await messages(page).waitFor({ state: 'detached' })
})

const fault = (name: FaultName, value?: FaultValue): Promise<void> =>
  stage.reference.faults.set('*', { name, ...(value !== undefined && { value }) })

/** Requests that reach the service from now until `count` have. */
const nextRequests = async (count: number): Promise<void> => {
  for (let seen = 0; seen < count; seen++) await stage.reference.nextRequest()
}

const pollsIn = (text: string): number => Number(/(\d+) polls?/.exec(text)?.[1])

describe('a service that is dead', () => {
  it.each([
    ['refuses connections', 'refused', /refuses connections/],
    ['drops connections', 'reset', /drops the connection/],
    ['never answers', 'hang', /take longer than 1.s/],
  ] as const)(
    'and %s is told in words within two polls, and recovers by itself',
    async (_how, name, title) => {
      await fault(name)
      const said = await textWhenThere(page, '.bn')
      expect(said).toMatch(title)
      expect(pollsIn(said)).toBeLessThanOrEqual(2)
      await openMessages(page)
      await message(page, title).getByText('all 3 nodes of Test service').waitFor()
      await hero(page)
        .getByText(/^as of \d\d:\d\d:\d\d, /)
        .waitFor()
      await statusLine(page).getByText('Waiting for the service').waitFor()
      // The heartbeat that was known goes on ageing.
      const age = () => hero(page).locator('.big.old').innerText()
      const before = await age()
      await expect.poll(age).not.toBe(before)
      await stage.reference.faults.clear()
      await hero(page).getByText('Last answer').waitFor()
      await messages(page).waitFor({ state: 'detached' })
      await statusLine(page).getByText('Live', { exact: true }).waitFor()
    },
  )

  it('is told without moving anything of the page below the pointer, and so is its end', async () => {
    const address = page.url()
    await page.evaluate(() => {
      location.hash = '/settings'
    })
    const links = page.getByRole('main').getByRole('link')
    await links.first().waitFor()
    const places = () =>
      page.evaluate(() =>
        Array.from(document.querySelectorAll('main > .pg *'), (one) => one.getBoundingClientRect().top),
      )
    // What the browser itself calls a shift of layout, outside of the messages.
    await page.evaluate(() => {
      const seen: string[] = []
      Reflect.set(globalThis, 'shifts', seen)
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          for (const { node, previousRect, currentRect } of Reflect.get(entry, 'sources') ?? [])
            if (previousRect.top !== currentRect.top && node?.parentElement?.closest('.pg') != null)
              seen.push(node.textContent)
      }).observe({ type: 'layout-shift' })
    })
    const before = await places()
    expect(before.length).toBeGreaterThan(20)
    await fault('refused')
    await message(page, /refuses connections/).waitFor()
    expect(await places()).toEqual(before)
    await stage.reference.faults.clear()
    await messages(page).waitFor({ state: 'detached' })
    expect(await places()).toEqual(before)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'shifts'))).toEqual([])
    await page.goto(address)
  })

  it('and a reload meanwhile: the last values come back, old, with the time since when', async () => {
    await fault('status-503')
    const heartbeat = hero(page).locator('.big.old')
    await heartbeat.waitFor()
    const since = async () => {
      await openMessages(page)
      const said = await message(page, /503/).innerText()
      return /since \S+/.exec(said.replaceAll('\u00a0', ' '))?.[0]
    }
    const before = await since()
    await page.reload()
    await hero(page)
      .getByText(/^as of \d\d:\d\d:\d\d, /)
      .waitFor()
    await heartbeat.waitFor()
    await message(page, /503/).waitFor()
    expect(await since()).toBe(before)
    await stage.reference.faults.clear()
    await hero(page).getByText('Last answer').waitFor()
  })

  it('is never asked by more than four requests at once, however long they hang', async () => {
    stage.reference.resetStats()
    await fault('hang')
    await nextRequests(8)
    expect(stage.reference.stats().maxInFlight).toBeLessThanOrEqual(4)
    // What was given up is closed all the way.
    await stage.reference.faults.clear()
    await expect.poll(() => stage.reference.stats().inFlight).toBe(0)
  })
})

describe('a service that refuses everybody', () => {
  it.each([
    ['status-401', 'auth/401', /Signature rejected/],
    ['status-403', 'auth/403', /Not permitted/],
    ['status-403-html', 'auth/403', /Not permitted/],
  ] as const)('with %s is asked ever more rarely, and says what to do', async (name, code, title) => {
    await fault(name)
    const banner = message(page, title)
    await openMessages(page)
    await banner.waitFor()
    await banner.getByRole('button', { name: 'Copy public key' }).waitFor()
    expect(await banner.innerText()).toContain(code)
    // After three refusals in a row one node at a time is asked for all of them, each time after twice as long.
    await banner.getByText(/next try in [5-8].s/).waitFor()
    await hero(page)
      .getByText(/^as of /)
      .waitFor()
    await stage.reference.faults.clear()
    await banner.getByRole('button', { name: 'Try now' }).click()
    await hero(page).getByText('Last answer').waitFor()
  })
})

describe('a service that asks for patience', () => {
  it('with 429 and a time is not asked before, and then again by itself', async () => {
    await fault('status-429', 4)
    const banner = message(page, /Rate limited/)
    await openMessages(page)
    await banner.waitFor()
    // One node may be limited by itself; three in a row are all.
    await banner.getByText('all 3 nodes of Test service').waitFor()
    const said = await banner.innerText()
    expect(said).toContain('service/429')
    expect(said).toMatch(/wait 4.s/)
    const last = stage.reference.stats().recent.at(-1)?.atMs ?? Number.NaN
    await stage.reference.faults.clear()
    const { atMs } = await stage.reference.nextRequest()
    expect(atMs - last).toBeGreaterThanOrEqual(3_900)
    await hero(page).getByText('Last answer').waitFor()
  })

  it.each([
    ['status-429-bare', /named no time/],
    ['status-429-bad', /named no time/],
  ] as const)('with %s slows polling down by itself', async (name, words) => {
    await fault(name)
    await openMessages(page)
    await message(page, /Rate limited/)
      .getByText(words)
      .waitFor()
  })

  it('with 503 and a time is told as down for a while', async () => {
    await fault('status-503', 2)
    const banner = message(page, /answers with an error: 503/)
    await openMessages(page)
    await banner.waitFor()
    expect(await banner.innerText()).toContain('service/503')
    await stage.reference.faults.clear()
    await hero(page).getByText('Last answer').waitFor()
  })
})

/** What a page lacks when its server goes it can't have any more. */
const everyPart = (other: Page) =>
  other.waitForFunction((files) => {
    const here = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1))
    return files.every((file) => here.includes(file))
  }, readBuiltFiles().laterScripts)

describe('this computer', () => {
  it('F 128: whose dashboard server is gone is told that, since nothing is known of the service', async () => {
    const own = await setStage({ nodes: 1, service: QUICK })
    const other = await browser.openPage()
    await startWatching(other, own)
    await everyPart(other)
    await own.stop()
    await message(other, /dashboard server does not answer/).waitFor()
    await hero(other)
      .getByText(/^as of /)
      .waitFor()
  })

  it('that is offline is told that, and goes on by itself when it is back', async () => {
    const own = await setStage({ nodes: 1, service: QUICK, far: FAR })
    const other = await browser.openPage()
    await startWatching(other, own)
    expect(other.url()).toContain(FAR)
    await everyPart(other)
    await own.reference.faults.set('*', { name: 'refused' })
    await other.context().setOffline(true)
    await message(other, /computer is offline/).waitFor()
    await statusLine(other).getByText('This computer is offline').waitFor()
    await own.reference.faults.clear()
    await other.context().setOffline(false)
    await hero(other).getByText('Last answer').waitFor()
    await messages(other).waitFor({ state: 'detached' })
    await own.stop()
  })
})
