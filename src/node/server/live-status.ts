import { setTimeout } from 'node:timers/promises'
import { err, ok, type Result } from '#base/result.ts'
import { METRICS } from '#metrics/metrics.ts'
import { COLLECTED_AGE_HEADER, type ProxyFailure } from '#protocol/transport.ts'
import { collectedNow, nowExpression, type CollectedNode } from '#prometheus/collected-now.ts'
import { OWN_NODE } from '#prometheus/long-term-series.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { QueryApiSource, Service } from '#settings/schema.ts'
import type { QueryApis } from './query-apis.ts'
import type { Answer } from './send-reply.ts'

export type LiveStatus = ReturnType<typeof createLiveStatus>

type Snapshot = {
  readonly atMs: number
  readonly nodes: Promise<ReadonlyMap<string, CollectedNode> | undefined>
  /** Requests must be answered before the page's own timeout, which would blame this server. */
  readonly late: Promise<undefined>
}

/** Reads all nodes of a service in one query, at most twice per scrape interval. */
export function createLiveStatus(apis: QueryApis, wallMs: () => number) {
  const snapshots = new Map<string, Snapshot>()
  const snapshotOf = (
    api: QueryApiSource,
    { baseUrl: service, timeoutMs }: Pick<Service, 'baseUrl' | 'timeoutMs'>,
  ): Snapshot => {
    const known = snapshots.get(service)
    const nowMs = wallMs()
    if (known !== undefined && nowMs >= known.atMs && nowMs - known.atMs < api.scrapeMs / 2) return known
    const query = nowExpression(METRICS, { ...api.labels, service })
    const nodes = apis
      .ask(api, 'query', { query })
      .then((answer) => (answer.ok ? collectedNow(METRICS, answer.value) : undefined))
    const late = setTimeout(timeoutMs, undefined, { ref: false })
    const snapshot = { atMs: nowMs, nodes, late }
    snapshots.set(service, snapshot)
    return snapshot
  }
  return {
    apiOf: apis.liveOf,
    /** `query`: that of a status request, as the proxy accepts it. */
    answer: async (
      api: QueryApiSource,
      service: Pick<Service, 'baseUrl' | 'timeoutMs'>,
      query: string,
    ): Promise<Result<Answer, ProxyFailure>> => {
      const nodeId = new URLSearchParams(query).get('node_id')
      const snapshot = snapshotOf(api, service)
      const nodes = await Promise.race([snapshot.nodes, snapshot.late])
      if (nodes === undefined) return err('query-failed')
      const node = nodes.get(nodeId === null ? OWN_NODE : canonicalNodeId(nodeId))
      if (node === undefined || node.record === undefined) return err('not-collected')
      if (!node.isUp) return err(node.isSlow ? 'timeout' : 'not-collected')
      const body = Buffer.from(node.record)
      const nowMs = wallMs()
      const headers = {
        'Content-Type': 'application/json',
        Date: new Date(nowMs).toUTCString(),
        [COLLECTED_AGE_HEADER]: String(Math.max(0, Math.ceil(nowMs / 1_000 - node.answeredS))),
      }
      return ok({ status: 200, headers, body })
    },
  }
}
