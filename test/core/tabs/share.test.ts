import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import type { HistoryBatch } from '#history/history.ts'
import { createMonitor, type Monitor } from '#monitor/monitor.ts'
import { channelOf, type OpenTabChannel } from '#tabs/channel.ts'
import { createRebase } from '#tabs/rebase.ts'
import { createTabs, type Tabs, type TabsPorts } from '#tabs/tabs.ts'
import { wholeFleet } from '#monitor/publish.ts'
import { createFakeClock, settle, type FakeClock } from '#test/support/fake-clock.ts'
import { BASE, keyOf, nodes, record, service } from '#test/core/monitor/watch.ts'

const CONFIG = { serverOrigin: 'http://127.0.0.1:7420', services: [service()], nodes: nodes(3) }

type Lock = NonNullable<TabsPorts['lock']>
type Waiting = { readonly tab: string; readonly told: Parameters<Lock['request']>[1] }

/** Two whole tabs, engine and all, in a browser whose messages a test can lose. */
function browser(clock: FakeClock) {
  const channels = new Map<string, Set<(data: unknown) => void>>()
  let queue: Waiting[] = []
  let holder: Waiting | undefined
  const tabs = new Set<string>()
  const world = { lose: (_channel: string, _data: unknown): boolean => false, asked: [] as string[] }

  const openChannel: OpenTabChannel = (name, hear) => {
    const listeners = channels.get(name) ?? new Set()
    channels.set(name, listeners)
    listeners.add(hear)
    return {
      post: (message) => {
        const copy: unknown = structuredClone(message)
        if (world.lose(name, copy)) return
        for (const other of listeners) if (other !== hear) queueMicrotask(() => other(copy))
      },
      close: () => listeners.delete(hear),
    }
  }
  const grant = (next: Waiting | undefined): void => {
    holder = next
    if (next !== undefined) queueMicrotask(next.told.granted)
  }
  const lockOf = (tab: string): Lock => ({
    request: (how, told) => {
      const mine = { tab, told }
      if (how === 'steal') {
        const robbed = holder
        grant(mine)
        if (robbed !== undefined) queueMicrotask(robbed.told.lost)
      } else if (holder === undefined) grant(mine)
      else queue.push(mine)
      return () => {
        queue = queue.filter((one) => one !== mine)
        if (holder === mine) grant(queue.shift())
      }
    },
    look: (told) => queueMicrotask(() => told({ mine: holder?.tab === tab, tabs: new Set(tabs) })),
  })

  const open = (id: string, build = 'a'): Tab => {
    tabs.add(id)
    const batches: HistoryBatch[] = []
    const monitor: Monitor = createMonitor({
      clock,
      follows: true,
      transport: async ({ url }) => {
        if (!(await shared.confirm())) throw new Error('asked without the lead')
        const node = new URL(url).searchParams.get('node_id') ?? ''
        world.asked.push(`${id.slice(0, 1)} ${node}`)
        return ok({ status: 200, body: record(node) })
      },
      signer: {
        signStatusRequest: async (_, node) => ok({ headers: {}, query: `node_id=${node ?? ''}` }),
      },
      history: {
        append: async (batch) => shared.samples(batch),
        readLanes: () => Promise.reject(new Error('not here')),
        forget: async () => undefined,
      },
    })
    const words: string[] = []
    const shared: Tabs = createTabs({
      clock,
      id,
      build,
      random: () => 0,
      lock: lockOf(id),
      openChannel,
      monitor,
      answer: async (call) => ({ from: id, what: call.what }),
      takeSamples: (batch) => batches.push(batch),
      hearEvents: () => undefined,
      hearWord: (word) => words.push(word),
    })
    monitor.configure(CONFIG)
    shared.configured()
    return { monitor, tabs: shared, batches, words, close: () => (shared.end(), tabs.delete(id)) }
  }
  return { world, open }
}

type Tab = {
  readonly monitor: Monitor
  readonly tabs: Tabs
  readonly batches: HistoryBatch[]
  readonly words: readonly string[]
  readonly close: () => unknown
}

const A = 'a'.repeat(16)
const B = 'b'.repeat(16)
const answered = ({ monitor }: Tab, index = 0) => monitor.snapshot().nodes.get(keyOf(index))?.answered

async function two(buildOfSecond = 'a') {
  const clock = createFakeClock()
  const { world, open } = browser(clock)
  const first = open(A)
  await clock.advance(20_000)
  const second = open(B, buildOfSecond)
  await clock.advance(1_000)
  return { clock, world, first, second }
}

describe('a tab that follows', () => {
  it('asks nothing, has everything at once, and then what changes', async () => {
    const { clock, world, first, second } = await two()
    expect(second.tabs.state.get()).toMatchObject({ role: 'following', leader: A, otherBuild: false })
    expect(answered(second)).toBe(answered(first))
    await clock.advance(60_000)
    expect(answered(second)).toBe(answered(first))
    expect(answered(second)).toBeGreaterThan(4)
    expect(world.asked.filter((one) => one.startsWith('b'))).toEqual([])
    expect(second.monitor.snapshot().screen.answered).toBe(first.monitor.snapshot().screen.answered)
    expect(second.batches.flatMap(({ samples }) => samples).length).toBeGreaterThan(8)
  })

  it('tells ages by its own clock, not younger than they are', async () => {
    const { first, second } = await two()
    const ageIn = ({ monitor }: Tab): number =>
      monitor.nowMs() - (monitor.snapshot().nodes.get(keyOf(0))?.reading?.startedMs ?? 0)
    expect(ageIn(second)).toBeGreaterThanOrEqual(ageIn(first))
    expect(ageIn(second)).toBeLessThan(ageIn(first) + 5)
  })

  it('asks for everything when a message is missing', async () => {
    const { clock, world, first, second } = await two()
    const isBatch = (channel: string, data: unknown): boolean =>
      channel === channelOf(B) && JSON.stringify(data).includes('"kind":"batch"')
    const batches = { count: 0 }
    // The first one after this is lost; the next one shows that it is.
    world.lose = (channel, data) => isBatch(channel, data) && ++batches.count === 1
    while (batches.count < 2) await clock.advance(100)
    expect(answered(first)).toBeGreaterThan(0)
    for (const index of [0, 1, 2])
      expect(second.monitor.snapshot().nodes.get(keyOf(index))).toMatchObject({
        answered: answered(first, index),
        failed: 0,
      })
    await clock.advance(250)
    expect(second.monitor.snapshot().screen).toEqual(first.monitor.snapshot().screen)
  })

  it('says that the other runs another version, and shows nothing of it', async () => {
    const { clock, second } = await two('b')
    await clock.advance(10_000)
    expect(second.tabs.state.get().otherBuild).toBe(true)
    expect(answered(second)).toBe(0)
  })

  it('has what a person wants done by the one that asks', async () => {
    const { clock, world, second } = await two()
    await clock.advance(3_000)
    const before = world.asked.length
    second.tabs.command({ what: 'poll', node: keyOf(1) })
    await clock.advance(200)
    expect(world.asked.slice(before)).toContain('a 0x0002')
    expect(await second.tabs.ask({ what: 'exchange', node: keyOf(1) })).toEqual({ from: A, what: 'exchange' })
  })

  it('waits for an answer for two seconds, and a leader does not ask', async () => {
    const { clock, world, first, second } = await two()
    world.lose = () => true
    const answer = second.tabs.ask({ what: 'exchange', node: keyOf(0) })
    await clock.advance(2_000)
    expect(await answer).toBeUndefined()
    expect(await first.tabs.ask({ what: 'exchange', node: keyOf(0) })).toBeUndefined()
  })

  it('hears words for the pages of all tabs', async () => {
    const { first, second } = await two()
    first.tabs.say('lock')
    await settle()
    expect(second.words).toEqual(['lock'])
    expect(first.words).toEqual([])
  })

  it('goes on where the other stopped: no node waits for more than its interval and a half, none is asked twice', async () => {
    const { clock, world, first, second } = await two()
    await clock.advance(30_000)
    const count = answered(second) ?? 0
    const gaps = second.monitor.snapshot().screen.gaps
    expect([first, second].map(({ tabs }) => tabs.state.get().tookOver)).toEqual([false, false])
    first.close()
    world.asked.length = 0
    await clock.advance(22_500)
    expect(second.tabs.state.get()).toMatchObject({ role: 'leading', leader: B, tookOver: true })
    for (const index of [0, 1, 2]) {
      const asked = world.asked.filter((one) => one.endsWith(`0x000${index + 1}`))
      expect(asked.length, world.asked.join()).toBeGreaterThanOrEqual(1)
      expect(asked.length, world.asked.join()).toBeLessThanOrEqual(2)
    }
    expect(world.asked.every((one) => one.startsWith('b'))).toBe(true)
    expect(answered(second)).toBeGreaterThan(count)
    expect(second.monitor.snapshot().screen.gaps).toEqual(gaps)
  })
})

describe('times of another tab', () => {
  const made = () => {
    const clock = createFakeClock()
    const monitor = createMonitor({
      clock,
      transport: async () => ok({ status: 200, body: record('0x0001') }),
      signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
      history: {
        append: async () => undefined,
        readLanes: () => Promise.reject(new Error('not here')),
        forget: async () => undefined,
      },
    })
    monitor.configure({ ...CONFIG, services: [service({ baseUrl: BASE })] })
    return { clock, monitor }
  }

  it('do not get younger by a message that waited', async () => {
    const { clock, monitor } = made()
    await clock.advance(1_000)
    const update = wholeFleet(monitor.snapshot())
    const startedMs = update.changed[0]?.reading?.startedMs ?? Number.NaN
    let ownMs = 500_000
    const rebase = createRebase(clock, () => ownMs)
    ownMs += 600_000
    await clock.advance(600_000)
    const late = rebase(update, 7)
    const ageMs = ownMs - (late.update.changed[0]?.reading?.startedMs ?? Number.NaN)
    expect(ageMs).toBeGreaterThanOrEqual(600_000 + update.nowMs - startedMs)
    expect(late.gridMs - 7).toBe(late.update.nowMs - update.nowMs)
  })
})
