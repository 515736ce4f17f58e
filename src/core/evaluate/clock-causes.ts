import { clocksOf, mostAllow, overlap, isFarApart, type ComparedClocks } from '#record/clock-offset.ts'
import { correctionOf } from '#signing/status-request.ts'
import { CONDITIONS } from './conditions.ts'
import { NO_POLLS, type Cause } from '#fleet/cause.ts'
import type { NodeLive, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'

type Apart = ComparedClocks & { readonly service: ServiceLive; readonly corrected: boolean }

/**
 * Clock offsets between this computer and the services. This computer's clock is wrong only if more than half of the services
 * agree on its offset; that is one cause, and services that disagree are wrong themselves. A service that differs while the
 * others agree with this computer is wrong. If all differ, it is unknown whose clock is right, unless the engine saw one being
 * set.
 */
export function clockCauses(
  { services }: FleetSnapshot,
  nodes: ReadonlyMap<string, readonly NodeLive[]>,
): readonly Cause[] {
  const watched = Array.from(services.values()).filter(({ id }) => (nodes.get(id) ?? []).length > 0)
  const apart = watched.flatMap((service) => apartOf(service) ?? [])
  const nodesOf = ({ service }: Apart): readonly NodeLive[] => nodes.get(service.id) ?? []
  const ofService = (one: Apart, whose: 'service' | 'unknown' | undefined): Cause => ({
    ...causeOf(one, nodesOf(one), 1, whose),
    id: `data/clock@${one.service.id}/offset`,
    scope: 'service',
    serviceId: one.service.id,
  })
  const compared = watched.flatMap((service) => clocksOf(service) ?? [])
  const most = compared.length > 1 ? mostAllow(compared.map(({ offset }) => offset)) : undefined
  // A service's clock that was seen to jump is wrong, even if others jumped by the same amount.
  const isAlike = ({ offset, service: { clockSet } }: Apart): boolean =>
    most !== undefined && overlap(offset, most) && clockSet !== 'service'
  const alike = apart.filter(isAlike)
  const common = alike.length > 1 ? commonOf(alike) : undefined
  const others = common === undefined ? apart : apart.filter((one) => !alike.includes(one))
  const doesMostAgree = most !== undefined && (common !== undefined || !isFarApart(most))
  // Services that differ from each other cannot all be right; a single service is as likely to be right as this computer.
  const whose = doesMostAgree ? 'service' : compared.length > 1 ? 'unknown' : undefined
  const byService = others.map((one) => ofService(one, whose))
  if (common === undefined) return byService
  return [
    {
      ...causeOf(common, alike.flatMap(nodesOf), alike.length),
      id: 'data/clock@screen',
      scope: 'screen',
      serviceId: undefined,
    },
    ...byService,
  ]
}

function apartOf(service: ServiceLive): Apart | undefined {
  const { correction } = service
  const clocks = clocksOf(service)
  // If the operator's consent is needed first, the refusal itself reports the offset.
  if (clocks === undefined || correction?.state === 'ask') return undefined
  const { offset } = clocks
  const corrected = correction?.state === 'used' && correctionOf(offset) !== undefined
  if (!corrected && clocks.by === undefined && service.isClockAgreed !== true) return undefined
  return corrected || isFarApart(offset) ? { service, corrected, ...clocks } : undefined
}

/** The common interval of all offsets. They have one, because each contains the interval on which most agree. */
function commonOf(apart: readonly Apart[]): Omit<Apart, 'service'> {
  const lowMs = Math.max(...apart.map(({ offset }) => offset.lowMs))
  const highMs = Math.min(...apart.map(({ offset }) => offset.highMs))
  const corrected = apart.some((one) => one.corrected)
  const isByHeartbeats = apart.every(({ by }) => by === 'heartbeats')
  return { offset: { lowMs, highMs }, corrected, ...(isByHeartbeats && { by: 'heartbeats' }) }
}

const causeOf = (
  { offset, corrected, by, service }: Omit<Apart, 'service'> & Partial<Pick<Apart, 'service'>>,
  nodes: readonly NodeLive[],
  services: number,
  whose?: 'service' | 'unknown',
) =>
  ({
    code: 'data/clock',
    severity: corrected ? 'info' : CONDITIONS['clock-skew'].severity,
    ...NO_POLLS,
    nodes: nodes.map(({ key }) => key),
    evidence: {
      kind: 'clock-offset',
      offset,
      services,
      corrected,
      ...(by && { by }),
      ...(whose && { whose }),
      ...(whose !== 'service' && service?.clockSet && { clockSet: service.clockSet }),
      ...(nodes.some(hasUnknownAge) && ({ agesUnknown: true } as const)),
    },
  }) as const

const hasUnknownAge = ({ reading }: NodeLive): boolean =>
  Object.values(reading?.ages ?? {}).some((age) => age !== undefined && age.kind !== 'known')
