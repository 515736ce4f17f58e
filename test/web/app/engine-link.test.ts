import * as Comlink from 'comlink'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngineLink } from '#app/engine-link.ts'
import type { EngineApi, EngineConfig, EngineState } from '#engine/bridge.ts'
import { EMPTY_SNAPSHOT, wholeFleet } from '#fleet/snapshot.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

const CONFIG: EngineConfig = { serverUrl: 'http://127.0.0.1:7420', services: [], nodes: [] }

/** Lets the event loop deliver messages over real channels. */
const passed = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done))
}

const engines: FakeEngine[] = []
const hanging = new Set<number>()
/** Calls that no engine answers, by the first word it records. */
const unanswered = new Set<string>()

/** A fake engine behind a real channel that records the calls it receives. */
class FakeEngine {
  readonly told: string[] = []
  readonly channel = new MessageChannel()
  isLeft = false
  hangs = hanging.has(engines.length)
  knows = true
  say: (state: EngineState) => void = () => undefined
  wantSigner: () => void = () => undefined
  readonly generation: number
  readonly fail: () => void

  constructor(generation: number, fail: () => void) {
    this.generation = generation
    this.fail = fail
    const answer = async (word: string): Promise<void> => {
      this.told.push(word)
      if (this.hangs || unanswered.has(word.split(' ')[0] ?? '')) await new Promise<never>(() => undefined)
    }
    const api: Partial<EngineApi> = {
      join: async ({ life, steals }, wantSigner) => {
        this.wantSigner = () => wantSigner()
        await answer(`join ${life ?? ''}${steals ? ' steals' : ''}`)
        return `engine ${generation}`
      },
      connectSigner: () => answer('signer'),
      configure: ({ serverUrl }) => answer(`configure ${serverUrl}`),
      watchState: async (listener) => {
        this.say = listener
        listener({ kind: 'running' })
      },
      pollNow: (node) => answer(`poll ${node ?? 'all'}`),
      alarmAct: async () => {
        await answer('act')
        return true
      },
      ping: async () => {
        await answer('ping')
        return this.knows
      },
      leave: () => answer('leave'),
      retire: () => answer('retire'),
      subscribe: async (listener) => {
        this.told.push('subscribe')
        listener({ ...wholeFleet(EMPTY_SNAPSHOT), nowMs: generation })
      },
    }
    Comlink.expose(api, this.channel.port2)
  }
  close = (): void => {
    this.channel.port1.close()
    this.channel.port2.close()
  }
}

afterEach(() => {
  hanging.clear()
  unanswered.clear()
  for (const engine of engines.splice(0)) engine.close()
})

function setUp(openSignerPort: (port: MessagePort) => Promise<void> = async (port) => port.close()) {
  const clock = createFakeClock()
  const events: string[] = []
  const lives = new Map<string, () => void>()
  let number = 0
  let moved: () => void = () => undefined
  const alive = { isAny: true }
  const link = createEngineLink({
    connect: (generation, fail) => {
      const engine = new FakeEngine(generation, fail)
      engines.push(engine)
      return { port: engine.channel.port1, end: () => (engine.isLeft = true) }
    },
    generation: (next) => {
      moved = next
      return {
        now: () => number,
        next: (after) => {
          number = Math.max(number, after + 1)
        },
      }
    },
    clock,
    life: Promise.resolve('page'),
    watchLife: (life, ended) => {
      lives.set(life, ended)
      return () => lives.delete(life)
    },
    engineLives: async () => alive.isAny,
    onUpdate: ({ nowMs }) => void events.push(`update ${nowMs}`),
    onState: ({ kind }) => void events.push(kind),
    onLost: (how) => void events.push(`lost: ${how}`),
    onRestart: () => void events.push('restart'),
    openSignerPort,
  })
  const engine = (place: number): FakeEngine => {
    const found = engines[place]
    if (found === undefined) throw new Error(`no engine ${place}`)
    return found
  }
  return {
    link,
    events,
    engine,
    clock,
    alive,
    /** Releases the engine's lock, as a crash would. */
    die: (place: number) => lives.get(`engine ${engine(place).generation}`)?.(),
    moveTo: (generation: number) => {
      number = generation
      moved()
    },
    seconds: async (count: number) => {
      for (let second = 0; second < count; second++) {
        await clock.advance(1_000)
        await passed()
      }
    },
  }
}

const TOLD = ['join page', 'signer', `configure ${CONFIG.serverUrl}`, 'subscribe']

describe('the engine link', () => {
  it('joins and connects the signer before any other call, and leaves with the page', async () => {
    const { link, engine, events } = setUp()
    await link.api.configure(CONFIG)
    await link.api.pollNow()
    await passed()
    expect(engine(0).told.slice(0, 3)).toEqual(['join page', 'signer', `configure ${CONFIG.serverUrl}`])
    expect(engine(0).told.at(-1)).toBe('poll all')
    expect(events).toEqual(['update 0', 'running'])
    link.leave()
    await passed()
    expect(engine(0).told.at(-1)).toBe('leave')
  })

  it('configures the engine without a signer that fails, and retries when the engine wants one', async () => {
    let opened = 0
    const { link, engine } = setUp(() => {
      opened++
      return Promise.reject(new Error('no answer'))
    })
    await link.api.configure(CONFIG)
    expect(engine(0).told).toContain(`configure ${CONFIG.serverUrl}`)
    engine(0).wantSigner()
    await passed()
    expect([opened, engine(0).told.filter((word) => word === 'signer').length]).toEqual([2, 2])
  })

  it('sets up a new engine after a crash, repeats an open poll, and fails an open alarm action', async () => {
    const { link, engine, events, die } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    engine(0).hangs = true
    const polled = link.api.pollNow()
    const acted = link.api.alarmAct({ act: 'acknowledge', ids: [] })
    await passed()
    die(0)
    await polled
    // The dead engine may have carried out the action, so the link must not repeat it.
    expect(await acted).toBe(false)
    await passed()
    expect([engine(0).isLeft, engine(1).generation]).toEqual([true, 1])
    expect(engine(1).told).toEqual([...TOLD, 'poll all'])
    expect(events).toEqual(['update 0', 'running', 'lost: died', 'restart', 'update 1', 'running'])
  })

  it('subscribes to a new engine only after configuring it', async () => {
    const { link, engine, die } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    unanswered.add('configure')
    die(0)
    await passed()
    expect(engine(1).told.at(-1)).toBe(`configure ${CONFIG.serverUrl}`)
  })

  it.each([
    ['reports its end', (engine: FakeEngine) => engine.say({ kind: 'ended' }), []],
    ['fails to start', (engine: FakeEngine) => engine.fail(), ['lost: died']],
  ])('connects to a new engine when the current one %s', async (_, end, told) => {
    const { link, engine, events } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    end(engine(0))
    await passed()
    expect(engine(1).told.slice(0, 3)).toEqual(TOLD.slice(0, 3))
    // An engine that ends on request does not count as lost.
    expect(events.filter((event) => event.startsWith('lost'))).toEqual(told)
  })

  it('follows another page to a newer engine, and leaves the old one', async () => {
    const { link, engine, moveTo } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    moveTo(4)
    await passed()
    expect([engines.length, engine(1).generation]).toEqual([2, 4])
    expect(engine(0).told.at(-1)).toBe('leave')
  })

  it('steals the lock of an engine that hangs for five pings, with one ping in flight', async () => {
    const { link, engine, seconds } = setUp()
    await link.api.configure(CONFIG)
    await seconds(30)
    expect(engines).toHaveLength(1)
    engine(0).hangs = true
    const pings = () => engine(0).told.filter((word) => word === 'ping').length
    const before = pings()
    await seconds(12)
    expect([engines.length, pings()]).toEqual([1, before + 1])
    await seconds(6)
    expect(engine(1).told[0]).toBe('join page steals')
  })

  it('steals no lock from an engine that was waiting for another version', async () => {
    const { link, engine, seconds } = setUp()
    await link.api.configure(CONFIG)
    engine(0).say({ kind: 'waiting', version: '1' })
    await passed()
    engine(0).hangs = true
    await seconds(18)
    expect(engine(1).told[0]).toBe('join page')
  })

  it('reconnects to an engine that counts the page as gone', async () => {
    const { link, engine, seconds } = setUp()
    await link.api.configure(CONFIG)
    engine(0).knows = false
    await seconds(3)
    expect([engine(1).generation, engine(1).told[0]]).toEqual([0, 'join page'])
  })

  it('replaces three failed engines at once, and the next one after a minute', async () => {
    const { link, engine, clock } = setUp()
    await link.api.configure(CONFIG)
    for (const place of [0, 1, 2, 3]) {
      engine(place).fail()
      await passed()
    }
    expect(engines).toHaveLength(4)
    await clock.advance(60_000)
    expect(engines).toHaveLength(5)
    // A late failure of an abandoned engine must not affect the current one.
    engine(0).fail()
    await passed()
    expect(engines).toHaveLength(5)
  })

  it('retires the engine on restart, and polls through a new one', async () => {
    const { link, engine } = setUp()
    await link.api.configure(CONFIG)
    await link.restart()
    expect(engine(0).told).toContain('retire')
    await link.api.pollNow()
    expect(engine(1).told.at(-1)).toBe('poll all')
  })

  it('replaces a Worker that died with the previous page within two seconds, and retires it', async () => {
    hanging.add(0)
    const { link, engine, events, seconds, alive } = setUp()
    alive.isAny = false
    const configured = link.api.configure(CONFIG)
    await seconds(1)
    expect(engines).toHaveLength(1)
    await seconds(1)
    await configured
    await passed()
    expect([engines.length, engine(1).generation, engine(1).told[0]]).toEqual([2, 1, 'join page'])
    expect(engine(0).told).toEqual(['join page', 'retire', 'leave'])
    // The first engine never ran, so it does not count as lost.
    expect(events).toEqual(['restart', 'update 1', 'running'])
  })

  it.each([
    ['a live engine that is slow to answer', true, 1],
    ['a second engine that is slow to start', false, 2],
  ])('waits for %s', async (_what, isAny, started) => {
    hanging.add(0).add(1)
    const { link, seconds, alive } = setUp()
    alive.isAny = isAny
    void link.api.configure(CONFIG)
    await seconds(10)
    expect(engines).toHaveLength(started)
  })
})
