import type { AlarmNotification } from '#alarms/alarm.ts'
import { err } from '#base/result.ts'
import { createStore } from '#base/store.ts'
import type { EngineLock } from '#platform/worker-engine-lock.ts'
import type { Transport } from '#protocol/ports.ts'
import type { Signer } from '#signing/signer.ts'
import type { EngineApi, EngineState } from './bridge.ts'
import { createEngine, type Engine, type EnginePorts } from '#pipeline/engine.ts'
import { createPageApi, relayStore, type PageSigner } from './page-api.ts'

/** Without having looked for so long whether this engine still has the lock, it looks before it sends. */
const SURE_FOR_MS = 1_000
/** Notices that wait for a page. */
const WAITING_MAX = 50

type HostPorts = Omit<EnginePorts, 'signer' | 'notify'> & {
  readonly lock: EngineLock
  /** The signer at the other end of a port. */
  readonly openSigner: (port: MessagePort) => PageSigner
}

export type EngineHost = {
  readonly page: Omit<EngineApi, 'testStorage'>
  readonly stop: () => void
}

/** Runs the engine while no other one of this browser does, and serves the page. */
export function createEngineHost(ports: HostPorts): EngineHost {
  const { clock, lock, openSigner, transport, probe } = ports
  const state = createStore<EngineState>({ kind: 'starting' })
  const notices = createNotices()
  let signer: PageSigner | undefined
  let sureMs = Number.NEGATIVE_INFINITY

  /** An engine that hung may have lost its lock, and not know it yet. */
  const maySend = async (): Promise<boolean> => {
    const nowMs = clock.monotonicMs()
    if (nowMs - sureMs <= SURE_FOR_MS) return true
    if (!(await lock.confirm())) return false
    sureMs = nowMs
    return true
  }
  const guarded: Transport = async (request, signal) =>
    (await maySend()) ? transport(request, signal) : err({ kind: 'aborted' })
  const pooled: Signer = {
    signStatusRequest: async (...request) => signer?.signStatusRequest(...request) ?? err('no-answer'),
  }
  const engine: Engine = createEngine({
    ...ports,
    transport: guarded,
    signer: pooled,
    notify: notices.tell,
  })
  const { api } = createPageApi(engine, { clock, transport, probe, signer: () => signer })
  let endState = (): void => undefined

  const release = lock.acquire({
    granted: () => {
      sureMs = clock.monotonicMs()
      state.publish({ kind: 'running' })
      engine.start()
    },
    waits: (version) => state.publish({ kind: 'waiting', version }),
    lost: () => {
      engine.stop('lost')
      state.publish({ kind: 'ended' })
    },
  })

  return {
    page: {
      ...api,
      connectSigner: async (port) => {
        signer = openSigner(port)
        engine.monitor.keyChanged()
      },
      configure: async (config) => engine.configure(config),
      sayOfScreen: async (facts) => engine.alarms.setFacts(facts),
      watchNotices: async (listener) => notices.listen(listener),
      watchState: async (listener) => {
        endState()
        endState = relayStore(state, listener)
      },
    },
    stop: () => {
      engine.stop('ended')
      release()
    },
  }
}

/** Passes on what people are to be notified of; until somebody listens, which is soon, it waits. */
function createNotices() {
  let waiting: readonly AlarmNotification[] = []
  let listener: ((notice: AlarmNotification) => void) | undefined
  return {
    tell: (notice: AlarmNotification): void => {
      if (listener === undefined) waiting = [...waiting, notice].slice(-WAITING_MAX)
      else listener(notice)
    },
    listen: (next: (notice: AlarmNotification) => void): void => {
      listener = next
      for (const notice of waiting) next(notice)
      waiting = []
    },
  }
}
