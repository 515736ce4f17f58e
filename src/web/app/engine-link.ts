import * as Comlink from 'comlink'
import type { EngineApi, EngineConfig } from '#engine/bridge.ts'
import type { FleetUpdate } from '#monitor/live.ts'

type Wiring = {
  readonly startEngine: () => Worker
  readonly onUpdate: (update: FleetUpdate) => void
  /** Called before a new engine's first update. */
  readonly onRestart: () => void
  /** Gives the engine's end of a channel to the signer. */
  readonly openSignerPort: (port: MessagePort) => Promise<void>
}

/** An engine that threw its way out is started anew, but not in a loop. */
const RESTARTS_MAX = 5

/**
 * The engine Worker behind one object that outlives it: a new engine takes over the
 * configuration, the signer and the listener of the one before.
 */
export function createEngineLink({ startEngine, onUpdate, onRestart, openSignerPort }: Wiring): {
  readonly api: EngineApi
  readonly restart: () => Promise<void>
} {
  let config: EngineConfig | undefined
  let current = open()
  let crashes = 0

  function open(): {
    readonly remote: Comlink.Remote<EngineApi>
    readonly stop: () => void
    readonly ready: Promise<void>
  } {
    const worker = startEngine()
    const remote = Comlink.wrap<EngineApi>(worker)
    worker.addEventListener('error', () => {
      if (current.remote === remote && ++crashes <= RESTARTS_MAX) void restart()
    })
    const { port1, port2 } = new MessageChannel()
    // A signer that does not answer must not keep the engine from watching: polls then say so themselves.
    openSignerPort(port1).catch(() => undefined)
    const ready = (async () => {
      await remote.connectSigner(Comlink.transfer(port2, [port2]))
      await remote.subscribe(Comlink.proxy(onUpdate))
      if (config !== undefined) await remote.configure(config)
    })()
    return { remote, ready, stop: () => worker.terminate() }
  }

  async function restart(): Promise<void> {
    current.stop()
    onRestart()
    current = open()
    await current.ready
  }

  const ready = async (): Promise<Comlink.Remote<EngineApi>> => {
    await current.ready
    return current.remote
  }

  return {
    restart,
    api: {
      connectSigner: async (port) => (await ready()).connectSigner(Comlink.transfer(port, [port])),
      configure: async (next) => {
        config = next
        await (await ready()).configure(next)
      },
      subscribe: async (listener) => (await ready()).subscribe(Comlink.proxy(listener)),
      pollNow: async (node) => (await ready()).pollNow(node),
      keyChanged: async () => (await ready()).keyChanged(),
      readLanes: async (query) => (await ready()).readLanes(query),
      lastExchange: async (node) => (await ready()).lastExchange(node),
      climbLadder: async (draft, report) => (await ready()).climbLadder(draft, Comlink.proxy(report)),
      findProfile: async (draft, report) => (await ready()).findProfile(draft, Comlink.proxy(report)),
      setOffline: async (offline) => (await ready()).setOffline(offline),
    },
  }
}
