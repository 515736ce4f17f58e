import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#base/clock.ts'

export type Leak = 'listener' | 'timer' | 'map' | 'node' | 'deadline'

const PRELUDE = readFileSync(join(import.meta.dirname, 'prelude.js'), 'utf8')

/** The script to prepend to all scripts of a page or Worker. */
export const preludeOf = (realm: 'page' | 'worker', aheadMs: number, leaks: readonly Leak[]): string =>
  `${PRELUDE.replace('SOAK_CONFIG', JSON.stringify({ realm, aheadMs, leaks }))}\n`

/** The service's clock. It runs freely until it is set. */
export type ServiceClock = Clock & {
  readonly set: (atMs: number) => void
  /** Lets the clock run freely from its current time. */
  readonly go: () => void
}

export function createServiceClock(beginsAheadMs: number): ServiceClock {
  let aheadMs = beginsAheadMs
  let stoppedMs: number | undefined
  return {
    wallMs: () => stoppedMs ?? Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    after: (delayMs, run) => {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
    set: (atMs) => {
      stoppedMs = atMs
    },
    go: () => {
      aheadMs = (stoppedMs ?? Date.now()) - Date.now()
      stoppedMs = undefined
    },
  }
}

export type RunOptions = {
  readonly release?: boolean
  readonly hold?: boolean
  readonly networkPatienceMs?: number
  readonly grainMs?: number
  readonly once?: boolean
}

export type RealmState = { readonly nowMs: number; readonly held: number }

/** A page or Worker whose time the test controls. */
export type Realm = {
  readonly now: () => Promise<number>
  readonly stop: (atMs: number) => Promise<unknown>
  readonly go: () => Promise<unknown>
  readonly run: (untilMs: number, options?: RunOptions) => Promise<RealmState>
  readonly measure: () => Promise<Readonly<Record<string, number>>>
  readonly collect: () => Promise<void>
  /** After garbage was collected. */
  readonly heapMb: () => Promise<number>
}

type Send = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>

const MB = 1024 * 1024
/** The second collection frees weakly held objects. */
const COLLECTIONS = 2

export function realmOf(send: Send): Realm {
  let soakId: string | undefined
  const answerOf = (sent: unknown): Remote => {
    const { result, exceptionDetails } = sent as Answer
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? 'no description')
    return result
  }
  /** Uses one source text for all names, because every further one would stay compiled and look like a leak. */
  const call = async (name: string, ...given: readonly unknown[]): Promise<unknown> => {
    soakId ??= answerOf(await send('Runtime.evaluate', { expression: 'soak' })).objectId
    const answer = await send('Runtime.callFunctionOn', {
      objectId: soakId,
      functionDeclaration: 'function (name, ...given) { return this[name](...given) }',
      arguments: [name, ...given].map((value) => ({ value })),
      awaitPromise: true,
      returnByValue: true,
    })
    return answerOf(answer).value
  }
  const collect = async (): Promise<void> => {
    for (let time = 0; time < COLLECTIONS; time++) await send('HeapProfiler.collectGarbage')
  }
  return {
    now: async () => Number(await call('now')),
    stop: (atMs) => call('stop', atMs),
    go: () => call('go'),
    run: async (untilMs, options = {}) => (await call('run', untilMs, options)) as RealmState,
    measure: async () => (await call('measure')) as Readonly<Record<string, number>>,
    collect,
    heapMb: async () => {
      await collect()
      const { usedSize } = (await send('Runtime.getHeapUsage')) as { usedSize: number }
      return usedSize / MB
    },
  }
}

type Remote = { readonly value?: unknown; readonly objectId?: string }
type Answer = {
  readonly result: Remote
  readonly exceptionDetails?: { readonly exception?: { readonly description?: string } }
}
