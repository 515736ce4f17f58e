import { METRICS } from '#metrics/metrics.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import { NO_SERVICE_RULES } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import { explained } from '#test/core/monitor/fleet.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { serviceIdOf } from '#record/service.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import {
  type AssessedNode,
  nodeKeyOf,
  type Episode,
  type NodeKey,
  type NodeLive,
  type Reading,
  type ScreenLive,
  type ServiceLive,
  type ValueSince,
} from '#fleet/live.ts'
import { EMPTY_SNAPSHOT, type FleetSnapshot } from '#fleet/snapshot.ts'
import { withAssessment } from '#test/support/evaluated.ts'
import { valueOf } from './value-of.ts'

/** The current time in all fixtures: Fri 20 Nov 2026, 14:02:35 UTC, when the steady clock reads one hour. */
export const WALL_MS = Date.UTC(2026, 10, 20, 14, 2, 35)
export const NOW_MS = 3_600_000

export const BASE_URL = 'https://api.immune.example'
export const NODE_ID = `0x${'7f3a9c1e'.repeat(8)}`

/** A service as settings store it, with defaults from the real schema. */
export function aService(fields: Readonly<Record<string, unknown>> = {}): Service {
  const parsed = parseSettings({ version: 1, services: [{ baseUrl: BASE_URL, ...fields }] })
  const service = parsed.ok ? parsed.value.services[0] : undefined
  if (service === undefined) throw new Error('the fixture is no valid service')
  return service
}

export const RECORD_FIELDS = {
  node_id: NODE_ID,
  status: 'ACTIVE',
  stake_deployed: 1_250_000,
  network_participation: 0.9842,
  threat_responses_executed: 1_204_882,
  last_heartbeat: Math.floor(WALL_MS / 1_000) - 4,
  cryptographic_proof: '0x9c41aa0077ab',
} as const

const records = new Map<string, Reading['record']>()

/** A record that the real parser reads from a JSON body. */
export function recordOf(body: string): Reading['record'] {
  const record = records.get(body) ?? readStatusRecord(valueOf(parseJsonRecord(body)), METRICS)
  records.set(body, record)
  return record
}

type ReadingOptions = {
  /** The JSON body of the service; `fields` replaces single members of the default one. */
  readonly body?: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly agoMs?: number
  readonly latencyMs?: number
  readonly cachedForS?: number
}

/** A good answer requested `agoMs` before now. */
export function aReading({
  body,
  fields,
  agoMs = 2_000,
  latencyMs = 184,
  cachedForS,
}: ReadingOptions = {}): Reading {
  const record = recordOf(body ?? JSON.stringify({ ...RECORD_FIELDS, ...fields }))
  const startedWallMs = WALL_MS - agoMs
  const offset = { lowMs: -420, highMs: 580 }
  return {
    record,
    startedMs: NOW_MS - agoMs,
    startedWallMs,
    latencyMs,
    ages: record.heartbeat.ok
      ? {
          heartbeat: heartbeatAge(
            { heartbeatMs: record.heartbeat.value.atMs, startedWallMs, latencyMs },
            offset,
            DEFAULTS.heartbeatPeriodMs,
          ),
        }
      : {},
    cachedForS,
  }
}

/** A series of failed polls that began `agoMs` before now. */
export const anEpisode = (failure: PollFailure, agoMs = 372_000, misses = 25): Episode => ({
  failure,
  sinceMs: NOW_MS - agoMs,
  sinceWallMs: WALL_MS - agoMs,
  misses,
})

const sinceAgo = (ms: number): ValueSince => ({
  sinceMs: NOW_MS - ms,
  sinceWallMs: WALL_MS - ms,
  unseenMs: 0,
})

/** A healthy node. `fields` overrides any part. */
export function aNode(fields: Partial<NodeLive> = {}): NodeLive {
  const serviceId = fields.serviceId ?? serviceIdOf(BASE_URL)
  const nodeId = 'nodeId' in fields ? fields.nodeId : NODE_ID
  return {
    key: nodeKeyOf(serviceId, nodeId),
    serviceId,
    nodeId,
    name: 'vela-007',
    tags: [],
    rules: [],
    reading: aReading(),
    episode: undefined,
    nextPollMs: NOW_MS + 13_000,
    inFlight: false,
    answered: 240,
    failed: 0,
    since: {
      status: sinceAgo(709_200_000),
      stake: sinceAgo(3_000_000),
      participation: sinceAgo(14_000),
      proof: sinceAgo(14_000),
    },
    counters: { threatResponses: { increase: 37, unwatched: 0, restarts: 0, lastRestartWallMs: undefined } },
    ...fields,
  }
}

/** A node that fails with `failure` and whose last good answer is as old as the failure. */
export const aFailingNode = (failure: PollFailure, fields: Partial<NodeLive> = {}): NodeLive =>
  aNode({
    reading: aReading({ agoMs: 372_000, fields: { last_heartbeat: Math.floor(WALL_MS / 1_000) - 376 } }),
    episode: anEpisode(failure),
    nextPollMs: NOW_MS + 9_000,
    failed: 25,
    ...fields,
  })

export const aServiceLive = (
  service: Service = aService(),
  fields: Partial<ServiceLive> = {},
): ServiceLive => ({
  id: serviceIdOf(service.baseUrl),
  service,
  rules: NO_SERVICE_RULES,
  offset: { lowMs: -420, highMs: 580 },
  isClockAgreed: true,
  hold: undefined,
  correction: undefined,
  diagnosed: undefined,
  ...fields,
})

/** A snapshot of these nodes in this order, as the engine publishes it. */
export function aSnapshot(
  nodes: readonly NodeLive[] = [aNode()],
  services: readonly ServiceLive[] = [aServiceLive()],
  screen: Partial<ScreenLive> = {},
): FleetSnapshot {
  return explained({
    ...EMPTY_SNAPSHOT,
    revision: 1,
    nowMs: NOW_MS,
    wallMs: WALL_MS,
    nodes: new Map<NodeKey, AssessedNode>(
      nodes.map((node) => [
        node.key,
        withAssessment(node, services.find(({ id }) => id === node.serviceId) ?? aServiceLive()),
      ]),
    ),
    services: new Map(services.map((service) => [service.id, service])),
    screen: {
      startedWallMs: WALL_MS - NOW_MS,
      gaps: [],
      behindMs: 0,
      answered: nodes.reduce((sum, node) => sum + node.answered, 0),
      failed: nodes.reduce((sum, node) => sum + node.failed, 0),
      offline: false,
      ...screen,
    },
  })
}

/** What history returns for a node without samples. */
export const emptySeriesData = ({ fromMs, toMs }: SeriesQuery): SeriesData => ({
  fromMs,
  toMs,
  stepMs: 0,
  samples: 0,
  answered: 0,
  answeredMs: 0,
  notWatchedMs: toMs - fromMs,
  spans: [{ fromMs, toMs, kind: 'not-watched' }],
  metrics: [],
})
