import { METRICS } from '#metrics/metrics.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AssessedNode, Episode, NodeLive, Reading, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { newNodeLive } from '#monitor/tracked.ts'
import { NO_SERVICE_RULES } from '#settings/effective.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { serviceIdOf } from '#record/service.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { BASE, keyOf, record, service } from './watch.ts'
import { causesOf, withAssessment } from '#test/support/evaluated.ts'
import { valueOf } from '#test/support/value-of.ts'

export const NOW_MS = 1_000_000
export const WALL_MS = 1_780_000_000_000

export function reading(given: Readonly<Record<string, unknown>> = {}, more: Partial<Reading> = {}): Reading {
  return {
    record: readStatusRecord(valueOf(parseJsonRecord(record('0x0001', given))), METRICS),
    startedMs: NOW_MS - 5_000,
    startedWallMs: WALL_MS - 5_000,
    latencyMs: 100,
    ages: { heartbeat: { kind: 'known', ageMs: 4_000, uncertaintyMs: 500 } },
    cachedForS: undefined,
    ...more,
  }
}
export const aged = (ageMs: number): Reading => reading({}, { startedMs: NOW_MS - ageMs })
export const episode = (failure: PollFailure, misses = 1, lastedMs = 5_000): Episode => ({
  failure,
  misses,
  sinceMs: NOW_MS - lastedMs,
  sinceWallMs: WALL_MS - lastedMs,
})
export const node = (index: number, given: Partial<NodeLive> = {}, baseUrl = BASE): AssessedNode =>
  withAssessment(
    {
      ...newNodeLive(keyOf(index, baseUrl), serviceIdOf(baseUrl), '0x0001'),
      reading: reading(),
      nextPollMs: NOW_MS + 1_000 + index,
      ...given,
    },
    live({}, baseUrl),
  )
export const live = (given: Partial<ServiceLive> = {}, baseUrl = BASE): ServiceLive => ({
  id: serviceIdOf(baseUrl),
  service: service({ baseUrl }),
  rules: NO_SERVICE_RULES,
  offset: undefined,
  isClockAgreed: true,
  hold: undefined,
  correction: undefined,
  diagnosed: undefined,
  ...given,
})
/** A round that does not fit into its interval. */
export const LONG_ROUND: ServiceLive['round'] = {
  nodes: 9,
  requests: 9,
  takesMs: 99_000,
  intervalMs: 15_000,
  answerMs: 50,
  inFlight: 4,
  isShared: false,
  limit: 'pace',
}
/** Adds the causes that the engine would find. */
export const explained = (snapshot: FleetSnapshot, registry?: MetricRegistry): FleetSnapshot => ({
  ...snapshot,
  causes: causesOf(snapshot, snapshot.nowMs, registry),
})

export const fleet = (
  nodes: readonly NodeLive[],
  services: readonly ServiceLive[] = [live()],
  screen: Partial<FleetSnapshot['screen']> = {},
): FleetSnapshot => ({
  revision: 1,
  nowMs: NOW_MS,
  wallMs: WALL_MS,
  nodes: new Map(
    nodes.map((one) => [
      one.key,
      withAssessment(one, services.find(({ id }) => id === one.serviceId) ?? live()),
    ]),
  ),
  services: new Map(services.map((one) => [one.id, one])),
  screen: {
    startedWallMs: WALL_MS,
    gaps: [],
    behindMs: 0,
    answered: 0,
    failed: 0,
    offline: false,
    ...screen,
  },
  causes: [],
})
export const unreachable: PollFailure = { kind: 'unreachable', hop: 'service' }
export const timeout: PollFailure = { kind: 'timeout', afterMs: 10_000, hop: 'service' }
