import { randomBytes } from 'node:crypto'
import type { Result } from '#base/result.ts'
import { createControlHandler } from './control.ts'
import { createCore, ownOrigins, type Network } from './core.ts'
import { readFaultOrder, type FaultOrder, type FaultValue } from './faults.ts'
import { readKeyHex, readNodes } from './keys-file.ts'
import { createListener, createListeners } from './listener.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import type { SeenRequest, StatsSnapshot } from './stats.ts'
import type { Clock } from '#base/clock.ts'

export type ReferenceAddresses = {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly controlToken: string
}

export type ReferenceService = {
  /** Rejects with Node's error when a port can't be had. */
  readonly listen: () => Promise<ReferenceAddresses>
  /** Ends all connections, those that hang too. */
  readonly close: () => Promise<void>
  readonly faults: {
    /** `node`: an id or "*". Throws for a value out of bounds. Resolves when the fault is in force. */
    readonly set: (
      node: string,
      fault: { readonly name: string; readonly value?: FaultValue },
    ) => Promise<void>
    readonly clear: (node?: string, name?: string) => Promise<void>
    readonly list: () => readonly FaultOrder[]
  }
  readonly keys: {
    /** `nodes`: "*" (default) or ids with commas between. Throws for a key that must not be registered. */
    readonly register: (publicKeyHex: string, nodes?: string, notAfterMs?: number) => void
    readonly reload: () => void
    /** Resolves after the next reload of the file. */
    readonly nextReload: () => Promise<void>
  }
  readonly network: Network
  readonly stats: () => StatsSnapshot
  readonly resetStats: () => void
  /** The next request that fits; for tests that wait for an event instead of for a time. */
  readonly nextRequest: (fits?: (seen: SeenRequest) => boolean) => Promise<SeenRequest>
}

/** The reference service, ready to listen. Throws `OptionsError` for options that can't go together. */
export function createReferenceService(options: ReferenceOptions = {}): ReferenceService {
  const { host = '127.0.0.1', controlToken = randomBytes(16).toString('hex') } = options
  const originsAt = (port: number): readonly string[] => ownOrigins(host, port, options.origins ?? [])
  if (!/^\S{8,}$/.test(controlToken))
    throw new OptionsError('The control token takes at least 8 characters without spaces.')
  originsAt(1) // a mistake in the options shows now, not when the sockets are open
  const reloads = new Set<() => void>()
  const core = createCore(options, options.clock ?? createSystemClock(), () => {
    for (const done of reloads) done()
    reloads.clear()
  })
  const { faults, faultTable, network, stats } = core
  const onBug = (error: unknown): void =>
    options.log?.(`reference service: ${error instanceof Error ? error.message : 'unknown error'}`)

  const setFault = (order: FaultOrder): Promise<void> => {
    faults.set(order, core.networkMs())
    return listeners.sync()
  }
  const clearFaults = (node?: string, name?: string): Promise<void> => {
    faults.clear(node, name)
    return listeners.sync()
  }
  let controlPort = 0
  const control = createControlHandler({
    token: controlToken,
    port: () => controlPort,
    faultTable,
    faults: { hasRoom: faults.hasRoom, set: setFault, clear: clearFaults, list: faults.list },
    stats,
    network,
    clockOffsetMs: core.offsetMs,
  })
  const listeners = createListeners(
    createListener(host, core.handle, onBug),
    createListener('127.0.0.1', control, onBug),
    { port: options.port ?? 0, controlPort: options.controlPort ?? 0 },
    () => faults.valueOf('refused') !== undefined,
  )
  for (const order of options.faults ?? []) faults.set(order, core.networkMs())

  return {
    listen: async () => {
      const ports = await listeners.listen()
      controlPort = ports.controlPort
      const origins = originsAt(ports.port)
      core.setOrigins(origins)
      return { baseUrl: origins[0] ?? '', controlUrl: `http://127.0.0.1:${controlPort}`, controlToken }
    },
    close: () => {
      core.close()
      return listeners.close()
    },
    faults: {
      set: (node, { name, value }) => setFault(checked(readFaultOrder(faultTable, node, name, value))),
      clear: clearFaults,
      list: faults.list,
    },
    keys: {
      register: (publicKeyHex, nodes = '*', notAfterMs) => {
        const key = checked(readKeyHex(publicKeyHex))
        core.keys.register({ key, nodes: checked(readNodes(nodes)), notAfterMs, note: '' })
      },
      reload: core.keys.reload,
      nextReload: () => new Promise((done) => reloads.add(done)),
    },
    network,
    stats: stats.snapshot,
    resetStats: stats.reset,
    nextRequest: (fits = () => true) => stats.next(fits),
  }
}

/** Callers in this process wrote the value themselves, so a wrong one is a bug. */
function checked<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

/** The computer's own clocks. Timers do not keep the process alive: the listening sockets do. */
const createSystemClock = (): Clock => ({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1)).unref()
    return () => clearTimeout(timer)
  },
})
