import * as Comlink from 'comlink'
import { callRemote, callsByName } from '#platform/calls-by-name.ts'
import { createGeneration } from '#platform/page-life.ts'
import { createEnd, ENDED, type WorkerFactory } from '#platform/start-workers.ts'
import { answerWithin, systemClock } from '#platform/system-clock.ts'
import { watchLife } from '#platform/worker-life.ts'
import { SIGNER_CALLS, type SignerAdmin } from '#signer/api.ts'
import { createRestarts } from './restart-pace.ts'

type Connection = {
  readonly remote: Comlink.Remote<SignerAdmin>
  readonly generation: number
  readonly openedMs: number
  readonly end: () => void
  isWatched: boolean
}

/**
 * The page's connection to the signer. A call rejects if the signer cannot start or does not answer; a dead signer is replaced.
 * `restarted` is called after that: session keys are then lost, vaults are locked, and the engine needs a new port.
 */
export function connectSigner(factory: WorkerFactory, url: string, restarted: () => void): SignerAdmin {
  let hasAnswered = false
  const failure = createEnd()
  // Once the script has answered, later failures belong to single calls, which report them.
  const reportFailure = (): void => {
    if (!hasAnswered) failure.come()
  }
  let services: Parameters<SignerAdmin['configure']>[0] = []
  const generation = createGeneration(factory.isShared ? 'immune-signer-generation' : undefined, () => move())
  const open = (): Connection => {
    const number = generation.now()
    const { port, end } = factory.connect(url, `immune-signer-${number}`, () => reportFailure())
    const openedMs = systemClock.monotonicMs()
    return { remote: Comlink.wrap<SignerAdmin>(port), generation: number, openedMs, end, isWatched: false }
  }
  let connection = open()
  const move = (): void => {
    connection.end()
    connection = open()
    connection.remote.configure(services).catch(() => undefined)
    restarted()
  }
  const replace = createRestarts(systemClock, generation, () => connection)
  /** A port does not report that its other end has died. */
  const watch = (life: string | undefined): void => {
    const watched = connection
    if (life === undefined || watched.isWatched) return
    watched.isWatched = true
    watchLife(life, () => replace(watched, move))
  }
  const answer = async (name: keyof SignerAdmin, args: readonly unknown[]): Promise<unknown> => {
    const value = await answerWithin(
      SIGNER_CALLS[name],
      failure.orEnd(callRemote(connection.remote, name, args)),
    )
    if (value === ENDED) throw new Error('the signer did not start')
    hasAnswered = true
    return value
  }
  const calls = callsByName<SignerAdmin>(SIGNER_CALLS, answer)
  return {
    ...calls,
    report: async () => {
      const report = await calls.report()
      watch(report.life)
      return report
    },
    configure: async (next) => {
      services = next
      await calls.configure(next)
    },
    openEnginePort: async (enginePort) => {
      const asked = connection
      try {
        await calls.openEnginePort(enginePort)
      } catch (error) {
        // The signer answered before and no longer does. It died where locks are unavailable, or it hangs.
        if (hasAnswered) replace(asked, move)
        throw error
      }
    },
  }
}
