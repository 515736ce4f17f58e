import type { Cause } from '#fleet/cause.ts'
import { clocksOf } from '#record/clock-offset.ts'
import type { Exchange } from '#monitor/exchange.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { serviceIdOf } from '#record/service.ts'
import { serviceFacts } from '#parts/report-facts.ts'
import { causeWords } from '#texts/en-causes.ts'
import { reportText } from '#texts/en-report.ts'
import { contextOf, serviceOf } from './cause-context.ts'

type Around = {
  readonly fleet: FleetSnapshot
  readonly pageOrigin: string
  readonly wallMs: number
  /** The key that signs for the service, 64 hex digits. */
  readonly publicKey: string | undefined
  readonly exchange: Exchange | undefined
}

/** A report for the service's operator; undefined if the cause concerns no service. */
export function reportOf(
  cause: Cause,
  { fleet, pageOrigin, wallMs, publicKey, exchange }: Around,
): string | undefined {
  const service = serviceOf(cause, fleet)
  if (service === undefined) return undefined
  const context = contextOf(cause, fleet, pageOrigin, 'utc')
  const { title, meaning, evidence } = causeWords(cause, context)
  const live = fleet.services.get(serviceIdOf(service.baseUrl))
  const clocks = live && clocksOf(live)
  return reportText({
    ...serviceFacts(service, publicKey),
    madeWallMs: wallMs,
    title,
    code: cause.code,
    meaning,
    evidence: evidence?.items ?? [],
    pageOrigin,
    nodes: cause.nodes.map((key) => fleet.nodes.get(key)?.nodeId),
    sinceWallMs: cause.sinceWallMs,
    misses: cause.misses,
    offset: clocks?.offset,
    offsetBy: clocks?.by,
    exchange,
  })
}
