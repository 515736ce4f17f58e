import * as Comlink from 'comlink'
import { afterEach, describe, expect, it } from 'vitest'
import { createEngineLink } from '#app/engine-link.ts'
import type { EngineApi, EngineConfig } from '#engine/bridge.ts'
import { EMPTY_SNAPSHOT } from '#fleet/live.ts'
import { wholeFleet } from '#fleet/live.ts'

const CONFIG: EngineConfig = { serverOrigin: 'http://127.0.0.1:7420', services: [], nodes: [] }

/** An engine at the other end of a real channel, that notes what it is told. */
class FakeEngine extends EventTarget {
  readonly told: string[] = []
  isEnded = false
  private readonly channel = new MessageChannel()

  constructor(nowMs: number) {
    super()
    const api: Pick<EngineApi, 'connectSigner' | 'subscribe' | 'watchState' | 'configure' | 'pollNow'> = {
      connectSigner: async () => void this.told.push('signer'),
      configure: async ({ serverOrigin }) => void this.told.push(`configure ${serverOrigin}`),
      watchState: async () => undefined,
      pollNow: async (node) => void this.told.push(`poll ${node ?? 'all'}`),
      subscribe: async (listener) => {
        this.told.push('subscribe')
        listener({ ...wholeFleet(EMPTY_SNAPSHOT), nowMs })
      },
    }
    Comlink.expose(api, this.channel.port2)
  }
  postMessage = (message: unknown, transfer: Transferable[] = []): void =>
    this.channel.port1.postMessage(message, transfer)
  override addEventListener(type: string, listener: EventListenerOrEventListenerObject): void {
    if (type === 'message') {
      this.channel.port1.addEventListener(type, listener)
      this.channel.port1.start()
    } else super.addEventListener(type, listener)
  }
  terminate = (): void => {
    this.isEnded = true
    this.close()
  }
  close = (): void => {
    this.channel.port1.close()
    this.channel.port2.close()
  }
}

const engines: FakeEngine[] = []
afterEach(() => engines.splice(0).forEach((engine) => engine.close()))

function setUp(openSignerPort: (port: MessagePort) => Promise<void> = async (port) => port.close()) {
  const events: string[] = []
  const link = createEngineLink({
    startEngine: () => {
      const engine = new FakeEngine(1_000 * (engines.length + 1))
      engines.push(engine)
      return engine as unknown as Worker
    },
    onUpdate: ({ nowMs }) => void events.push(`update ${nowMs}`),
    onState: () => undefined,
    onRestart: () => void events.push('restart'),
    openSignerPort,
  })
  return { link, events }
}

describe('the link to the engine', () => {
  it('gives it its signer and its listener before anything else', async () => {
    const { link, events } = setUp()
    await link.api.configure(CONFIG)
    await link.api.pollNow()
    const told = engines[0]?.told ?? []
    expect(told.slice(0, 2)).toEqual(['signer', 'subscribe'])
    expect(told.slice(-2)).toEqual([`configure ${CONFIG.serverOrigin}`, 'poll all'])
    expect(events).toEqual(['update 1000'])
  })

  it('gives a new engine what the one before had, and ends that one', async () => {
    const { link, events } = setUp()
    await link.api.configure(CONFIG)
    await link.restart()
    expect(engines.map(({ isEnded }) => isEnded)).toEqual([true, false])
    expect(engines[1]?.told).toEqual(['signer', 'subscribe', `configure ${CONFIG.serverOrigin}`])
    expect(events).toEqual(['update 1000', 'restart', 'update 2000'])
    await link.api.pollNow()
    expect(engines[1]?.told.at(-1)).toBe('poll all')
    expect(engines[0]?.told).not.toContain('poll all')
  })

  it('starts an engine anew that threw its way out, five times and no more', async () => {
    const { link } = setUp()
    await link.api.configure(CONFIG)
    for (let crash = 0; crash < 8; crash++) {
      engines.at(-1)?.dispatchEvent(new Event('error'))
      await link.api.pollNow()
    }
    expect(engines).toHaveLength(6)
    // An engine that was ended before says nothing more about the one that runs.
    engines[0]?.dispatchEvent(new Event('error'))
    await link.api.pollNow()
    expect(engines).toHaveLength(6)
  })

  it('watches on without a signer that does not answer', async () => {
    const { link } = setUp(() => Promise.reject(new Error('no answer')))
    await link.api.configure(CONFIG)
    expect(engines[0]?.told).toContain(`configure ${CONFIG.serverOrigin}`)
  })
})
