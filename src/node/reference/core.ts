import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '#base/clock.ts'
import { BUILT_IN } from '#signing/presets.ts'
import type { Profile } from '#signing/profile.ts'
import { isLoopbackHost } from '#record/service.ts'
import { LOOPBACK_PAGES } from './cors.ts'
import { createDirectory } from './directory.ts'
import { createFaultState, PRODUCT_FAULTS, type FaultState, type FaultTable } from './faults.ts'
import { createHandler } from './http-handler.ts'
import { createKeyRing, type KeyRing } from './registered-keys.ts'
import { DEFAULT_SEED, demoName, stateAt, type NodeState } from './demo-network.ts'
import { createNonceCache, NONCES_MAX } from './strict-verify.ts'
import { OptionsError, type ReferenceOptions } from './options.ts'
import { seedWords } from './random.ts'
import { createStats, type Stats } from './stats.ts'
import { createProfileCheck, type Authenticate, type Authority } from './profile-check.ts'
import { createTokenCheck } from './token-check.ts'
import { createStatusEndpoint, firstNode } from './status-endpoint.ts'

/** The demo network, as those who run the service see it. */
export type Network = {
  readonly count: number
  readonly idOf: (index: number) => string
  /** A name for a screen; the service itself knows no names. */
  readonly nameOf: (index: number) => string
  readonly stateAt: (index: number, atMs: number) => NodeState
}

/** The service without its sockets. */
export type Core = {
  readonly network: Network
  readonly keys: KeyRing
  readonly faults: FaultState
  readonly faultTable: FaultTable
  readonly stats: Stats
  /** The service's own time, Unix ms, and how far it is off the computer's. */
  readonly nowMs: () => number
  /** The network's: goes on where the service's clock is set. */
  readonly networkMs: () => number
  readonly offsetMs: () => number
  /** The addresses for which signatures are accepted. Nothing fits before they are set. */
  readonly setOrigins: (origins: readonly string[]) => void
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  readonly close: () => void
}

const DEFAULT_PROFILE = { name: 'bearer-v1', profile: BUILT_IN['bearer-v1'].profile }
const NODES = 12
const KEYS_POLL_MS = 1_000

export function createCore(options: ReferenceOptions, clock: Clock, onReload: () => void): Core {
  const { seed = DEFAULT_SEED, nodes = NODES } = options
  const words = seedWords(seed)
  const directory = createDirectory(seed, nodes)
  const { faultTable = PRODUCT_FAULTS } = options
  const faults = createFaultState(faultTable, words)
  const stats = createStats(clock)
  const keys = openKeys(options, onReload)

  const startedMs = clock.wallMs()
  const offsetMs = (): number => Number(faults.valueOf('clock-offset') ?? 0)
  const nowMs = (): number => clock.wallMs() + offsetMs()
  const networkMs = neverBack(clock.wallMs)
  let origins: readonly string[] = []
  const authority: Authority = {
    keys,
    nonces: createNonceCache(() => Math.floor(nowMs() / 1_000), options.noncesMax ?? NONCES_MAX),
    origins: () => origins,
    nowMs,
    startedMs: () => startedMs + offsetMs(),
  }
  const nodeOfKey = (keyHex: string): string | undefined => {
    const entry = keys.find(keyHex)
    if (entry !== undefined) return firstNode(entry, directory)
    return options.enroll === true ? directory.idOf(0) : undefined
  }
  const allowedOrigins = options.allowOrigins ?? LOOPBACK_PAGES
  const { profile: named = DEFAULT_PROFILE } = options
  if (options.profile === undefined && options.token !== undefined)
    throw new OptionsError('--token-file goes with a --profile whose headers send {token}.')
  const check = { name: named.name, authenticate: checkOf(named.profile, options.token) }
  const status = createStatusEndpoint({ directory, seed: words, nowMs: networkMs }, authority, check)
  const requestHeaders = Object.keys(named.profile.headers)

  return {
    network: {
      count: nodes,
      idOf: directory.idOf,
      nameOf: demoName,
      stateAt: (index, atMs) => stateAt(words, index, atMs),
    },
    keys,
    faults,
    faultTable,
    stats,
    nowMs,
    networkMs,
    offsetMs,
    setOrigins: (own) => {
      origins = own
    },
    handle: createHandler({
      status,
      faults,
      stats,
      clock,
      nowMs,
      allowedOrigins,
      requestHeaders,
      nodeOfKey,
    }),
    close: () => {
      keys.close()
      directory.close()
    },
  }
}

/** A clock that goes on from where it was when another one is set back. */
function neverBack(wallMs: () => number): () => number {
  let lastMs = Number.NEGATIVE_INFINITY
  let aheadMs = 0
  return () => {
    aheadMs = Math.max(aheadMs, lastMs - wallMs())
    lastMs = wallMs() + aheadMs
    return lastMs
  }
}

function openKeys(options: ReferenceOptions, onReload: () => void): KeyRing {
  const { host = '127.0.0.1', enroll = false, keysFile, keysPollMs = KEYS_POLL_MS } = options
  if (enroll && !isLoopbackHost(host)) {
    throw new OptionsError(
      '--enroll works on loopback addresses only: others could register keys of their own.',
    )
  }
  const log = options.log ?? (() => undefined)
  return createKeyRing({ file: keysFile, enroll, pollMs: keysPollMs, log, onReload })
}

const checkOf = (profile: Profile, token: string | undefined): Authenticate =>
  token === undefined ? createProfileCheck(profile) : createTokenCheck(profile, token)

const ORIGINS_MAX = 4
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::']

/**
 * The addresses that a request may have been signed for, the one to print first. They come
 * from where the service listens and from its options, never from a request: a signature
 * for another service that forwards it here must not fit.
 */
export function ownOrigins(host: string, port: number, more: readonly string[]): readonly string[] {
  const numeric = host === '::1' || host === '::' ? `http://[::1]:${port}` : `http://127.0.0.1:${port}`
  const elsewhere = !isLoopbackHost(host) && !EVERY_ADDRESS.includes(host)
  const own = elsewhere ? [`http://${host}:${port}`] : [numeric, `http://localhost:${port}`]
  const all = Array.from(new Set([...own, ...more].map((origin) => new URL(origin).origin)))
  if (all.length > ORIGINS_MAX) {
    throw new OptionsError(`More than ${ORIGINS_MAX} own addresses: give fewer with --origin.`)
  }
  return all
}
