import { err, ok, type Result } from '#base/result.ts'
import { PROFILE_TRIES, ROUND_EVERY_MS, TRY_EVERY_MS } from '#protocol/profile-tries.ts'
import type { ServiceId } from '#protocol/service.ts'

/** Only an operator opens a round; what is signed in it is bounded here, whoever asks. */
export type TryRounds = {
  /** `retryInMs`: how long until a round may be opened for this service again. */
  readonly open: (serviceId: ServiceId, nowMs: number) => Result<undefined, { readonly retryInMs: number }>
  /** Whether this way of signing may be used now: each once a round, in a round that is open. */
  readonly take: (serviceId: ServiceId, tryId: string, nowMs: number) => boolean
}

/** A round that was left alone is over. */
const ROUND_OPEN_MS = 300_000

/** Services are few; beyond this many no round is opened. */
const ROUNDS_MAX = 64

type Round = { readonly openedMs: number; readonly left: Set<string>; takenMs: number }

export function createTryRounds(): TryRounds {
  const rounds = new Map<ServiceId, Round>()
  return {
    open: (serviceId, nowMs) => {
      const last = rounds.get(serviceId)
      // A clock that was set back shortens no wait: the hour is counted from the later time.
      const retryInMs = last === undefined ? 0 : last.openedMs + ROUND_EVERY_MS - nowMs
      if (retryInMs > 0) return err({ retryInMs: Math.min(retryInMs, ROUND_EVERY_MS) })
      if (last === undefined && rounds.size >= ROUNDS_MAX) return err({ retryInMs: ROUND_EVERY_MS })
      const left = new Set(PROFILE_TRIES.map(({ id }) => id))
      rounds.set(serviceId, { openedMs: nowMs, left, takenMs: Number.NEGATIVE_INFINITY })
      return ok(undefined)
    },
    take: (serviceId, tryId, nowMs) => {
      const round = rounds.get(serviceId)
      if (round === undefined || nowMs < round.openedMs || nowMs >= round.openedMs + ROUND_OPEN_MS)
        return false
      if (nowMs < round.takenMs + TRY_EVERY_MS || !round.left.delete(tryId)) return false
      round.takenMs = nowMs
      return true
    },
  }
}
