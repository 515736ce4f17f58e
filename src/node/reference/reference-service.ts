import { randomBytes } from 'node:crypto'
import type { Clock } from '#base/clock.ts'
import type { Result } from '#base/result.ts'
import { isLoopbackHost } from '#record/service.ts'
import { BUILT_IN } from '#signing/presets.ts'
import { createControlHandler } from './control.ts'
import { LOOPBACK_PAGES } from './cors.ts'
import { DEFAULT_SEED, demoName, stateAt } from './demo-network.ts'
import { createDirectory } from './directory.ts'
import { createFaultState, PRODUCT_FAULTS, type FaultOrder, type FaultValue } from './faults.ts'
import { createHandler } from './http-handler.ts'
import { readKeyHex, readNodes } from './keys-file.ts'
import { createListener, createListeners } from './listener.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { createProfileCheck } from './profile-check.ts'
import { seedWords } from './random.ts'
import { createRegisteredKeys } from './registered-keys.ts'
import { createStats, type SeenRequest, type Stats } from './stats.ts'
import { createStatusEndpoint, firstNode } from './status-endpoint.ts'
import { createNonceCache } from './strict-verify.ts'
import { createTokenCheck } from './token-check.ts'

export type ReferenceAddresses = {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly controlToken: string
}

export type ReferenceService = ReturnType<typeof createReferenceService>

const DEFAULT_PROFILE = { name: 'bearer-v1', profile: BUILT_IN['bearer-v1'].profile }
const NODES = 12

/** The reference service, ready to listen. Throws `OptionsError` for options that exclude each other. */
export function createReferenceService(options: ReferenceOptions = {}) {
  const { host = '127.0.0.1', clock = createSystemClock() } = options
  const controlToken = controlTokenOf(options)
  const originsAt = (port: number): readonly string[] => ownOrigins(host, port, options.origins ?? [])
  originsAt(1) // Reports a mistake in the options before any socket is open.
  const stats = createStats(clock)
  const core = createCore(options, clock, stats)
  const { faults, keys, network, networkMs } = core
  const onBug = (error: unknown): void =>
    options.log?.(`reference service: ${error instanceof Error ? error.message : 'unknown error'}`)
  const setFault = (order: FaultOrder): Promise<void> => {
    faults.set(order, networkMs())
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
    faults: { ...faults, set: setFault, clear: clearFaults },
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
  for (const order of options.faults ?? []) faults.set(order, networkMs())

  return {
    /** Rejects with Node's error if a port is not available. */
    listen: async (): Promise<ReferenceAddresses> => {
      const ports = await listeners.listen()
      controlPort = ports.controlPort
      const origins = originsAt(ports.port)
      core.setOrigins(origins)
      return { baseUrl: origins[0] ?? '', controlUrl: `http://127.0.0.1:${controlPort}`, controlToken }
    },
    close: (): Promise<void> => {
      core.close()
      return listeners.close()
    },
    faults: {
      /** `node`: an id or "*". Throws for a value out of bounds. Resolves once the fault is in force. */
      set: (
        node: string,
        { name, value }: { readonly name: string; readonly value?: FaultValue },
      ): Promise<void> => setFault(checked(faults.read(node, name, value))),
      clear: clearFaults,
      list: faults.list,
    },
    keys: {
      /** `nodes`: "*" or comma-separated ids. Throws for a key that must not be registered. */
      register: (publicKeyHex: string, nodes = '*', notAfterMs?: number): void => {
        const key = checked(readKeyHex(publicKeyHex))
        keys.register({ key, nodes: checked(readNodes(nodes)), notAfterMs, note: '' })
      },
    },
    network,
    stats: stats.snapshot,
    resetStats: stats.reset,
    /** Resolves with the next matching request; lets tests wait for an event instead of a time. */
    nextRequest: (fits: (seen: SeenRequest) => boolean = () => true): Promise<SeenRequest> =>
      stats.next(fits),
  }
}

function controlTokenOf({ controlToken = randomBytes(16).toString('hex') }: ReferenceOptions): string {
  if (!/^\S{8,}$/.test(controlToken))
    throw new OptionsError('The control token must have at least 8 characters and no spaces.')
  return controlToken
}

function createCore(options: ReferenceOptions, clock: Clock, stats: Stats) {
  const { seed = DEFAULT_SEED, nodes = NODES, faultTable = PRODUCT_FAULTS } = options
  if (options.enroll === true && !isLoopbackHost(options.host ?? '127.0.0.1'))
    throw new OptionsError(
      '--enroll works on loopback addresses only: others could register keys of their own.',
    )
  const words = seedWords(seed)
  const directory = createDirectory(seed, nodes)
  const faults = createFaultState(faultTable, words)
  const keys = createRegisteredKeys(options)
  const startedMs = clock.wallMs()
  const offsetMs = (): number => Number(faults.valueOf('clock-offset') ?? 0)
  const nowMs = (): number => clock.wallMs() + offsetMs()
  const networkMs = neverBack(clock.wallMs)
  let origins: readonly string[] = []
  const authority = {
    keys,
    nonces: createNonceCache(() => Math.floor(nowMs() / 1_000), options.noncesMax),
    origins: () => origins,
    nowMs,
    startedMs: () => startedMs + offsetMs(),
  }
  const { profile: named = DEFAULT_PROFILE, token } = options
  if (options.profile === undefined && token !== undefined)
    throw new OptionsError('--token-file requires a --profile whose headers send {token}.')
  const authenticate =
    token === undefined ? createProfileCheck(named.profile) : createTokenCheck(named.profile, token)
  return {
    faults,
    keys,
    network: {
      count: nodes,
      idOf: directory.idOf,
      /** For display; the service itself has no names. */
      nameOf: demoName,
      stateAt: (index: number, atMs: number) => stateAt(words, index, atMs),
    },
    networkMs,
    offsetMs,
    /** The addresses for which signatures are accepted; none until this call. */
    setOrigins: (own: readonly string[]): void => {
      origins = own
    },
    handle: createHandler({
      status: createStatusEndpoint({ directory, seed: words, nowMs: networkMs }, authority, {
        name: named.name,
        authenticate,
      }),
      faults,
      stats,
      clock,
      nowMs,
      allowedOrigins: options.allowOrigins ?? LOOPBACK_PAGES,
      requestHeaders: Object.keys(named.profile.headers),
      nodeOfKey: (keyHex) => {
        const entry = keys.find(keyHex)
        if (entry !== undefined) return firstNode(entry, directory)
        return options.enroll === true ? directory.idOf(0) : undefined
      },
    }),
    close: (): void => {
      keys.close()
      directory.close()
    },
  }
}

/** A clock that continues steadily when the given one is set back. */
function neverBack(wallMs: () => number): () => number {
  let lastMs = Number.NEGATIVE_INFINITY
  let aheadMs = 0
  return () => {
    aheadMs = Math.max(aheadMs, lastMs - wallMs())
    lastMs = wallMs() + aheadMs
    return lastMs
  }
}

const ORIGINS_MAX = 4
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::']

/**
 * Addresses that a request may have been signed for, the one to print first. They come from the listening address and the
 * options, never from a request, because a signature for another service that forwards it here must not be valid.
 */
export function ownOrigins(host: string, port: number, more: readonly string[]): readonly string[] {
  const numeric = host === '::1' || host === '::' ? `http://[::1]:${port}` : `http://127.0.0.1:${port}`
  const elsewhere = !isLoopbackHost(host) && !EVERY_ADDRESS.includes(host)
  const own = elsewhere ? [`http://${host}:${port}`] : [numeric, `http://localhost:${port}`]
  const all = Array.from(new Set([...own, ...more].map((origin) => new URL(origin).origin)))
  if (all.length > ORIGINS_MAX)
    throw new OptionsError(`This service has more than ${ORIGINS_MAX} addresses. Use fewer --origin options.`)
  return all
}

/** Callers in this process wrote the value themselves, so an error is a defect. */
function checked<T>(result: Result<T, string>): T {
  if (!result.ok) throw new Error(result.error)
  return result.value
}

/** Timers do not keep the process alive; the listening sockets do. */
const createSystemClock = (): Clock => ({
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, Math.min(delayMs, 2 ** 31 - 1)).unref()
    return () => clearTimeout(timer)
  },
})
