import {
  clocksOf,
  mostAllow,
  type ByHeartbeats,
  type ComparedClocks,
  isFarApart,
  type ClockOffset,
} from '#record/clock-offset.ts'
import { correctionOf } from '#signing/status-request.ts'
import { CONDITIONS } from './conditions.ts'
import { NO_POLLS, type Cause } from '#fleet/cause.ts'
import type { NodeKey, NodeLive, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

type Apart = {
  readonly service: ServiceLive
  readonly offset: ClockOffset
  readonly corrected: boolean
} & ByHeartbeats

/**
 * Clocks that are apart. This computer has one clock, so it is wrong only by what more than half of the services say: then
 * it is one cause, and whoever says otherwise is wrong too. A service that is alone against others which agree with
 * this computer is wrong itself; where they all differ, nobody knows who is right.
 */
export function clockCauses(
  { services }: FleetSnapshot,
  nodes: ReadonlyMap<string, readonly NodeLive[]>,
): readonly Cause[] {
  const watched = Array.from(services.values()).filter(({ id }) => (nodes.get(id) ?? []).length > 0)
  const apart = watched.flatMap((service) => apartOf(service) ?? [])
  const keysOf = ({ service }: Apart): readonly NodeKey[] =>
    (nodes.get(service.id) ?? []).map(({ key }) => key)
  const ofService = (one: Apart, whose?: 'service' | 'unknown'): Cause => ({
    ...causeOf(one, 1, whose),
    id: `data/clock@${one.service.id}/offset`,
    scope: 'service',
    serviceId: one.service.id,
    nodes: keysOf(one),
  })
  if (apart.length === 0) return []
  if (watched.length === 1) return apart.map((one) => ofService(one))
  const compared = watched.flatMap((service) => clocksOf(service) ?? [])
  const most = compared.length > 1 ? mostAllow(compared.map(({ offset }) => offset)) : undefined
  const alike = most === undefined ? [] : apart.filter(({ offset }) => meets(offset, most))
  const common = alike.length > 1 ? commonOf(alike) : undefined
  const others = common === undefined ? apart : apart.filter((one) => !alike.includes(one))
  const doesMostAgree = most !== undefined && (common !== undefined || !isFarApart(most))
  const byService = others.map((one) => ofService(one, doesMostAgree ? 'service' : whoseAmong(compared)))
  if (common === undefined) return byService
  return [
    {
      ...causeOf(common, alike.length),
      id: 'data/clock@screen',
      scope: 'screen',
      serviceId: undefined,
      nodes: alike.flatMap(keysOf),
    },
    ...byService,
  ]
}

/** Several that differ from each other can't all be right; one alone is as likely as this computer. */
const whoseAmong = (compared: readonly ComparedClocks[]): 'unknown' | undefined =>
  compared.length > 1 ? 'unknown' : undefined

const meets = (one: ClockOffset, other: ClockOffset): boolean =>
  one.lowMs <= other.highMs && other.lowMs <= one.highMs

function apartOf(service: ServiceLive): Apart | undefined {
  const { correction } = service
  const clocks = clocksOf(service)
  // Where somebody has to be asked first, the refusal itself says all of this.
  if (clocks === undefined || correction?.state === 'ask') return undefined
  const { offset } = clocks
  const corrected = correction?.state === 'used' && correctionOf(offset) !== undefined
  return corrected || isFarApart(offset) ? { service, corrected, ...clocks } : undefined
}

/** What all of them allow; undefined where they exclude each other. */
function commonOf(apart: readonly Apart[]): Omit<Apart, 'service'> | undefined {
  const lowMs = Math.max(...apart.map(({ offset }) => offset.lowMs))
  const highMs = Math.min(...apart.map(({ offset }) => offset.highMs))
  const corrected = apart.some((one) => one.corrected)
  if (lowMs > highMs) return undefined
  const isByHeartbeats = apart.every(({ by }) => by === 'heartbeats')
  return { offset: { lowMs, highMs }, corrected, ...(isByHeartbeats && { by: 'heartbeats' }) }
}

const causeOf = (
  { offset, corrected, by }: Omit<Apart, 'service'>,
  services: number,
  whose?: 'service' | 'unknown',
) =>
  ({
    code: 'data/clock',
    severity: corrected ? 'info' : CONDITIONS['clock-skew'].severity,
    ...NO_POLLS,
    evidence: {
      kind: 'clock-offset',
      offset,
      services,
      corrected,
      ...(by && { by }),
      ...(whose && { whose }),
    },
  }) as const
