import { DAY_MS, HOUR_MS } from '#base/time.ts'
import type { Clock } from '#base/clock.ts'
import type { KeyInfo, TokenInfo } from '#signer/api.ts'

export const RELOAD_REASONS = ['version', 'memory', 'failure'] as const
export type ReloadReason = (typeof RELOAD_REASONS)[number]

/** A completed reload; the page that follows shows its reason. */
export type Reloaded = { readonly atMs: number; readonly reason: ReloadReason }

/** Time without operator activity after which nobody is at this screen. */
const IDLE_MS = 600_000
/** Hours of local time in which a reload disturbs nobody. */
const QUIET_HOURS: readonly number[] = [3, 4]
const FAILURES_PER_HOUR = 3

export type ReloadPorts = {
  readonly clock: Clock
  /** This tab's reloads of the last day, oldest first; undefined if it cannot store them. */
  readonly made: () => readonly Reloaded[] | undefined
  /** Returns false if they could not be stored. */
  readonly remember: (made: readonly Reloaded[]) => boolean
  readonly keys: () => Promise<readonly KeyInfo[]>
  readonly tokens: () => Promise<readonly TokenInfo[]>
  readonly hostAnswers: () => Promise<boolean>
  readonly isBusy: () => boolean
  readonly localHour: () => number
  readonly reload: () => void
}

/** Whether all credentials survive an unattended reload, because they are stored on the device or locked anyway. */
export const comesBack = (keys: readonly KeyInfo[], tokens: readonly TokenInfo[]): boolean =>
  keys.every(({ custody, locked }) => custody === 'device' || (custody === 'vault' && locked === true)) &&
  tokens.every(({ place }) => place !== 'session')

/** Reloads the page automatically if that loses no credential and the server answers; `mayNow` says when. */
export function createPlannedReload(ports: ReloadPorts) {
  const { clock } = ports
  let signMs = clock.monotonicMs()
  let isUnderWay = false

  const mayNow = (reason: ReloadReason, made: readonly Reloaded[]): boolean => {
    const wallMs = clock.wallMs()
    if (reason === 'failure')
      return (
        made.filter((one) => one.reason === 'failure' && Math.abs(wallMs - one.atMs) < HOUR_MS).length <
        FAILURES_PER_HOUR
      )
    if (clock.monotonicMs() - signMs < IDLE_MS || ports.isBusy()) return false
    if (made.some((one) => one.reason !== 'failure' && Math.abs(wallMs - one.atMs) < DAY_MS)) return false
    return reason === 'memory' || QUIET_HOURS.includes(ports.localHour())
  }
  const consider = async (reason: ReloadReason): Promise<boolean> => {
    const made = ports.made()
    if (made === undefined || !mayNow(reason, made)) return false
    const [keys, tokens, isThere] = await Promise.all([ports.keys(), ports.tokens(), ports.hostAnswers()])
    if (!isThere || !comesBack(keys, tokens)) return false
    const atMs = clock.wallMs()
    const recent = made.filter((one) => Math.abs(atMs - one.atMs) < DAY_MS)
    if (!ports.remember([...recent, { atMs, reason }])) return false
    ports.reload()
    return true
  }
  return {
    sign: (): void => {
      signMs = clock.monotonicMs()
    },
    /** Reloads if all conditions hold; otherwise does nothing and may be called again. */
    consider: async (reason: ReloadReason): Promise<boolean> => {
      if (isUnderWay) return false
      isUnderWay = true
      try {
        return await consider(reason)
      } catch {
        return false // If the signer does not answer, a reload may lose what it holds.
      } finally {
        isUnderWay = false
      }
    },
  }
}
