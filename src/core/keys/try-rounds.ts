import { MINUTE_MS } from '#base/time.ts'
import { err, ok, type Result } from '#base/result.ts'
import { PROFILE_TRIES, ROUND_EVERY_MS, TRY_EVERY_MS } from '#signing/profile-tries.ts'
import type { ServiceId } from '#record/service.ts'
import type { KeyStore } from './key-store.ts'

export type TryRounds = ReturnType<typeof createTryRounds>

/** A round ends after this time, even if it is unfinished. */
const ROUND_OPEN_MS = 5 * MINUTE_MS

/** Beyond this number of services no round is opened. */
const ROUNDS_MAX = 64

/** Stores the times of rounds, so that a reload does not reset the hour. */
type RoundStore = Pick<KeyStore, 'loadTryRounds' | 'putTryRounds'>

type Round = { readonly openedMs: number; readonly left: Set<string>; takenMs: number }

/** Without a working store, the times are in memory only. */
export function createTryRounds(store?: RoundStore) {
  const rounds = new Map<string, Round>()
  let loaded: Promise<void> | undefined

  const keep = async (): Promise<void> => {
    await store?.putTryRounds(new Map(Array.from(rounds, ([name, { openedMs }]) => [name, openedMs])))
  }

  const load = async (nowMs: number): Promise<void> => {
    const kept = Array.from((await store?.loadTryRounds()) ?? [])
    for (const [name, keptMs] of kept.slice(-ROUNDS_MAX)) {
      // A time in the future comes from a wrong clock; the hour then starts now.
      const openedMs = Math.min(keptMs, nowMs)
      rounds.set(name, { openedMs, left: new Set(), takenMs: openedMs })
    }
    if (kept.some(([, keptMs]) => keptMs > nowMs)) await keep()
  }

  return {
    /** `retryInMs`: time until a round may be opened for this service again. */
    open: async (
      serviceId: ServiceId,
      nowMs: number,
    ): Promise<Result<undefined, { readonly retryInMs: number }>> => {
      loaded ??= load(nowMs)
      await loaded
      for (const [name, { openedMs }] of rounds) if (nowMs >= openedMs + ROUND_EVERY_MS) rounds.delete(name)
      const last = rounds.get(serviceId)
      // Setting the clock back does not shorten the wait, because the hour counts from the later time.
      const retryInMs = last === undefined ? 0 : last.openedMs + ROUND_EVERY_MS - nowMs
      if (retryInMs > 0) return err({ retryInMs: Math.min(retryInMs, ROUND_EVERY_MS) })
      if (last === undefined && rounds.size >= ROUNDS_MAX) return err({ retryInMs: ROUND_EVERY_MS })
      const left = new Set(PROFILE_TRIES.map(({ id }) => id))
      rounds.set(serviceId, { openedMs: nowMs, left, takenMs: Number.NEGATIVE_INFINITY })
      await keep() // Stored before the round signs anything.
      return ok(undefined)
    },
    /** Whether this profile may be tried now: once per round, in an open round. */
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
