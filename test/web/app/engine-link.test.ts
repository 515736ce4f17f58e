import * as Comlink from 'comlink'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngineLink } from '#app/engine-link.ts'
import type { EngineApi, EngineConfig, EngineState } from '#engine/bridge.ts'
import { EMPTY_SNAPSHOT, wholeFleet } from '#fleet/snapshot.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

const CONFIG: EngineConfig = { serverUrl: 'http://127.0.0.1:7420', services: [], nodes: [] }

/** Messages between two ends of a real channel take turns of their own. */
const passed = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn++) await new Promise((done) => setImmediate(done))
}

const engines: FakeEngine[] = []
const hanging = new Set<number>()
/** Calls that no engine answers, by the first word of what it notes. */
const unanswered = new Set<string>()

/** An engine at the other end of a real channel, that notes what it is told. */
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
    /** The engine's lock is free. */
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

describe('the link to the engine', () => {
  it('joins it, and gives it its signer, before anything else, and leaves it with the page', async () => {
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

  it('watches on without a signer that does not answer, and brings one when it is wanted', async () => {
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

  it('tells the next engine what the one that died knew, and asks it what that one left unanswered', async () => {
    const { link, engine, events, die } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    engine(0).hangs = true
    const polled = link.api.pollNow()
    const acted = link.api.alarmAct({ act: 'acknowledge', ids: [] })
    await passed()
    die(0)
    await polled
    // What a person did may or may not have been done; the person is told that it is not known to be.
    expect(await acted).toBe(false)
    await passed()
    expect([engine(0).isLeft, engine(1).generation]).toEqual([true, 1])
    expect(engine(1).told).toEqual([...TOLD, 'poll all'])
    expect(events).toEqual(['update 0', 'running', 'lost: died', 'restart', 'update 1', 'running'])
  })

  it('asks the next engine for the fleet only after it has the configuration', async () => {
    const { link, engine, die } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    unanswered.add('configure')
    die(0)
    await passed()
    expect(engine(1).told.at(-1)).toBe(`configure ${CONFIG.serverUrl}`)
  })

  it.each([
    ['says that it has ended', (engine: FakeEngine) => engine.say({ kind: 'ended' }), []],
    ['could not be started', (engine: FakeEngine) => engine.fail(), ['lost: died']],
  ])('goes on with the next where one %s', async (_, end, told) => {
    const { link, engine, events } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    end(engine(0))
    await passed()
    expect(engine(1).told.slice(0, 3)).toEqual(TOLD.slice(0, 3))
    // An engine that was asked to end is not missed.
    expect(events.filter((event) => event.startsWith('lost'))).toEqual(told)
  })

  it('goes where another page went, without an engine of its own', async () => {
    const { link, engine, moveTo } = setUp()
    await link.api.configure(CONFIG)
    await passed()
    moveTo(4)
    await passed()
    expect([engines.length, engine(1).generation]).toEqual([2, 4])
    expect(engine(0).told.at(-1)).toBe('leave')
  })

  it('takes the lock of one that ran and hangs: five pings in a row stay unanswered, of which one is under way', async () => {
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

  it('takes no lock from one that only waited for another version', async () => {
    const { link, engine, seconds } = setUp()
    await link.api.configure(CONFIG)
    engine(0).say({ kind: 'waiting', version: '1' })
    await passed()
    engine(0).hangs = true
    await seconds(18)
    expect(engine(1).told[0]).toBe('join page')
  })

  it('connects anew to an engine that counts it as gone', async () => {
    const { link, engine, seconds } = setUp()
    await link.api.configure(CONFIG)
    engine(0).knows = false
    await seconds(3)
    expect([engine(1).generation, engine(1).told[0]]).toEqual([0, 'join page'])
  })

  it('starts three engines at once, and further ones a minute apart', async () => {
    const { link, engine, clock } = setUp()
    await link.api.configure(CONFIG)
    for (const place of [0, 1, 2, 3]) {
      engine(place).fail()
      await passed()
    }
    expect(engines).toHaveLength(4)
    await clock.advance(60_000)
    expect(engines).toHaveLength(5)
    // An engine that was left says nothing more about the one that runs.
    engine(0).fail()
    await passed()
    expect(engines).toHaveLength(5)
  })

  it('has the engine save and end where a new one is wanted', async () => {
    const { link, engine } = setUp()
    await link.api.configure(CONFIG)
    await link.restart()
    expect(engine(0).told).toContain('retire')
    await link.api.pollNow()
    expect(engine(1).told.at(-1)).toBe('poll all')
  })

  it('starts another within seconds where a Worker ended with the page before, and has a late one end', async () => {
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
    // It never ran, so none was lost.
    expect(events).toEqual(['restart', 'update 1', 'running'])
  })

  it.each([
    ['an engine that lives and is slow to answer', true, 1],
    ['a second one that starts slowly', false, 2],
  ])('waits for %s', async (_what, isAny, started) => {
    hanging.add(0).add(1)
    const { link, seconds, alive } = setUp()
    alive.isAny = isAny
    void link.api.configure(CONFIG)
    await seconds(10)
    expect(engines).toHaveLength(started)
  })
})
