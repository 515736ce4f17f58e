import { ownMember } from '#base/own-member.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { LongTermNetwork } from '#prometheus/long-term-network.ts'
import { longTermPath, type LongTermQuery, type LongTermSeries } from '#prometheus/long-term-series.ts'
import { askServer } from './ask-server.ts'

/** Longer than the server's own timeout for the query API, so that the server's error arrives first. */
const TIMEOUT_MS = 30_000

/** Network figures from a query API; undefined if it does not answer. */
export async function readLongTermNetwork({
  fromMs,
  stepMs,
  count,
}: LongTermQuery): Promise<LongTermNetwork | undefined> {
  try {
    const query = new URLSearchParams({ from: String(fromMs), step: String(stepMs), steps: String(count) })
    const response = await askServer(`/query/network?${query}`, { timeoutMs: TIMEOUT_MS })
    const document: unknown = await response.json()
    return response.ok && isNetwork(document, fromMs) ? document : undefined
  } catch {
    return undefined // No answer arrived, or it is not this server's.
  }
}

const isNetwork = (document: unknown, fromMs: number): document is LongTermNetwork =>
  Array.isArray(ownMember(document, 'lines')) && ownMember(document, 'fromMs') === fromMs

/**
 * A node's data from the service's query API, through the dashboard's own server. On failure the server's error text, or ''
 * without one.
 */
export async function readLongTerm(
  serviceId: string,
  nodeId: string | undefined,
  query: LongTermQuery,
): Promise<Result<LongTermSeries, string>> {
  try {
    const response = await askServer(longTermPath(serviceId, nodeId, query), { timeoutMs: TIMEOUT_MS })
    const document: unknown = await response.json()
    if (response.ok && isLongTerm(document, query)) return ok(document)
    const detail = ownMember(document, 'detail')
    return err(typeof detail === 'string' ? detail : '')
  } catch {
    return err('') // No answer arrived, or it is not this server's.
  }
}

// The dashboard's own server answered, so a check of the shape is enough.
const isLongTerm = (document: unknown, { count, fromMs }: LongTermQuery): document is LongTermSeries => {
  const upMin = ownMember(document, 'upMin')
  return (
    Array.isArray(ownMember(document, 'metrics')) &&
    Array.isArray(upMin) &&
    upMin.length === count &&
    ownMember(document, 'fromMs') === fromMs
  )
}
