import { MINUTE_MS } from '#base/time.ts'
import { err, ok, type Result } from '#base/result.ts'
import { PROFILE_TRIES, ROUND_EVERY_MS, TRY_EVERY_MS } from '#signing/profile-tries.ts'
import type { ServiceId } from '#record/service.ts'
import type { KeyStore } from './key-store.ts'

export type TryRounds = ReturnType<typeof createTryRounds>

/** A round that was left alone is over. */
const ROUND_OPEN_MS = 5 * MINUTE_MS

/** Services are few; beyond this many no round is opened. */
const ROUNDS_MAX = 64

/** Where the times of rounds are kept, so that a reload begins no new hour. */
type RoundStore = Pick<KeyStore, 'loadTryRounds' | 'putTryRounds'>

type Round = { readonly openedMs: number; readonly left: Set<string>; takenMs: number }

/** Without a store, or with one that is out of order, the hours are kept in memory alone. */
export function createTryRounds(store?: RoundStore) {
  const rounds = new Map<string, Round>()
  let loaded: Promise<void> | undefined

  const keep = async (): Promise<void> => {
    await store?.putTryRounds(new Map(Array.from(rounds, ([name, { openedMs }]) => [name, openedMs])))
  }

  const load = async (nowMs: number): Promise<void> => {
    const kept = Array.from((await store?.loadTryRounds()) ?? [])
    for (const [name, keptMs] of kept.slice(-ROUNDS_MAX)) {
      // A time that lies ahead is a clock's that was wrong: the hour begins now, once.
      const openedMs = Math.min(keptMs, nowMs)
      rounds.set(name, { openedMs, left: new Set(), takenMs: openedMs })
    }
    if (kept.some(([, keptMs]) => keptMs > nowMs)) await keep()
  }

  return {
    /** `retryInMs`: how long until a round may be opened for this service again. */
    open: async (
      serviceId: ServiceId,
      nowMs: number,
    ): Promise<Result<undefined, { readonly retryInMs: number }>> => {
      loaded ??= load(nowMs)
      await loaded
      for (const [name, { openedMs }] of rounds) if (nowMs >= openedMs + ROUND_EVERY_MS) rounds.delete(name)
      const last = rounds.get(serviceId)
      // A clock that was set back shortens no wait: the hour is counted from the later time.
      const retryInMs = last === undefined ? 0 : last.openedMs + ROUND_EVERY_MS - nowMs
      if (retryInMs > 0) return err({ retryInMs: Math.min(retryInMs, ROUND_EVERY_MS) })
      if (last === undefined && rounds.size >= ROUNDS_MAX) return err({ retryInMs: ROUND_EVERY_MS })
      const left = new Set(PROFILE_TRIES.map(({ id }) => id))
      rounds.set(serviceId, { openedMs: nowMs, left, takenMs: Number.NEGATIVE_INFINITY })
      await keep() // before anything is signed in it
      return ok(undefined)
    },
    /** Whether this way of signing may be used now: each once a round, in a round that is open. */
    take: (serviceId: ServiceId, tryId: string, nowMs: number): boolean => {
      const round = rounds.get(serviceId)
      if (round === undefined || nowMs < round.openedMs || nowMs >= round.openedMs + ROUND_OPEN_MS)
        return false
      if (nowMs < round.takenMs + TRY_EVERY_MS || !round.left.delete(tryId)) return false
      round.takenMs = nowMs
      return true
    },
  }
}
