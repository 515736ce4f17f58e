import type { IncomingMessage, ServerResponse } from 'node:http'
import { gunzip, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import { err, ok, type Result } from '#base/result.ts'
import { jsonIn } from '#base/stored.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { METRICS } from '#metrics/metrics.ts'
import { NOT_AN_ANSWER, readAnswer, type AnsweredSeries } from '#prometheus/query-answer.ts'
import {
  liveApiFor,
  OWN_NODE,
  queryApiFor,
  STEPS_MAX,
  type LongTermQuery,
} from '#prometheus/long-term-series.ts'
import { longTermNetwork, networkExpression } from '#prometheus/long-term-network.ts'
import { stepExpression } from '#prometheus/queries.ts'
import { longTermSeries } from '#prometheus/read-long-term.ts'
import { codeOf } from '#node/files.ts'
import { createHttpClient, type HttpAnswer, type HttpFailure } from '#node/http-client.ts'
import type { QueryApiSource } from '#settings/schema.ts'
import { parseNodeId } from '#record/node-id.ts'
import { sendBody, sendMethodNotAllowed, sendProblem, problemOf, whenGone, type Visit } from './send-reply.ts'
import { isFetch } from './request-guard.ts'
import { readWordFrom, type SecretWorld } from './secrets.ts'
import type { ServiceList } from './service-list.ts'
import { createTurns } from './turns.ts'

export type QueryApis = ReturnType<typeof createQueryApis>

/** The visitor that waits for an answer; `gone` fires when it leaves. */
export type Requester = { readonly visitor: string; readonly gone: AbortSignal }

/** A month of 1,000 steps of every metric is less than 0.5 MB; all values of 5,000 nodes are about 15 MB. */
const ANSWER_MAX_BYTES = 64 * 1_048_576
const TIMEOUT_MS = 20_000
/**
 * Prometheus' own limit is 20, and others query it too. One visitor may use fewer of these, so that the others need not wait for
 * all of its queries.
 */
const VISITORS = { most: 6, mostOfOne: 4, waiting: 256, waitingOfOne: 32 }
/** For queries of live configurations, at most one per service at a time. */
const FOR_ALL = { most: 4, mostOfOne: 4, waiting: 64, waitingOfOne: 64 }
const PROBLEM_CHARS_MAX = 300

/** Queries the configured query APIs. Only times, steps and a node id from a request get into a query. */
export function createQueryApis(
  sources: () => readonly QueryApiSource[],
  world: SecretWorld,
  report: (line: string) => void,
  mostBytes = ANSWER_MAX_BYTES,
) {
  let reported: string | undefined
  const [visitors, forAll] = [createTurns(VISITORS), createTurns(FOR_ALL)]
  return {
    of: (service: string): QueryApiSource | undefined => queryApiFor(sources(), service),
    liveOf: (service: string): QueryApiSource | undefined => liveApiFor(sources(), service),
    /** The error is for people, in the query API's own words if it has any. */
    ask: async (
      api: QueryApiSource,
      path: 'query' | 'query_range',
      parameters: Readonly<Record<string, string>>,
      /** Absent: the query is for all visitors and takes none of their turns. */
      requester?: Requester,
    ): Promise<Result<readonly AnsweredSeries[], string>> => {
      const authorization = authorizationFor(api, world)
      if (!authorization.ok) {
        if (authorization.error !== reported) report((reported = authorization.error))
        // Path and problem of the credentials are for the administrator of the server, not for a browser.
        return err(
          'The dashboard server can’t read the credentials for this query API. See the server’s log.',
        )
      }
      // Includes the wait in the queue, because a page is waiting.
      const late = AbortSignal.timeout(TIMEOUT_MS)
      const signal = requester === undefined ? late : AbortSignal.any([late, requester.gone])
      const turn = await (requester === undefined ? forAll : visitors).take(requester?.visitor ?? '', signal)
      if (turn === undefined) return err('Too many queries are waiting for it.')
      try {
        const url = new URL(`${api.url}/api/v1/${path}`)
        return await sendQuery(url, parameters, authorization.value, mostBytes, signal)
      } finally {
        turn()
      }
    },
  }
}

/** Read for each query, so that a renewed secret needs no restart. */
function authorizationFor(
  { bearer, basic }: QueryApiSource,
  world: SecretWorld,
): Result<string | undefined, string> {
  const source = bearer ?? basic
  if (source === undefined) return ok(undefined)
  const word = readWordFrom(source, world)
  if (!word.ok) return word
  return ok(
    bearer === undefined ? `Basic ${Buffer.from(word.value).toString('base64')}` : `Bearer ${word.value}`,
  )
}

const { send } = createHttpClient({})

/** Uses POST, because a query of many parts may exceed the length of a URL. */
async function sendQuery(
  url: URL,
  parameters: Readonly<Record<string, string>>,
  authorization: string | undefined,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Result<readonly AnsweredSeries[], string>> {
  const sent = await send(
    {
      method: 'POST',
      url,
      body: new URLSearchParams(parameters).toString(),
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip',
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        ...(authorization !== undefined && { authorization }),
      },
      // The signal ends the wait earlier, because the wait began before this request.
      timeoutMs: TIMEOUT_MS,
      bodyMaxBytes: mostBytes,
    },
    signal,
  )
  if (!sent.ok) return err(withoutAnswer(sent.error))
  const { status, end } = sent.value
  const body = end === 'cut-off' ? 'damaged' : await unpacked(sent.value, mostBytes)
  if (end === 'too-large' || body === 'too-large') return err(`Its answer is larger than ${mostBytes} bytes.`)
  if (body === 'damaged') return err('Its answer was incomplete.')
  const answer = readAnswer(jsonIn(body.toString('utf8')))
  if (answer.ok) return answer
  if (answer.error === NOT_AN_ANSWER)
    return err(`It answered ${status}, but not in the format of the Prometheus API.`)
  return err(`It answered ${status}: ${toVisibleText(endOf(answer.error), PROBLEM_CHARS_MAX + 1)}`)
}

function withoutAnswer(failure: HttpFailure): string {
  if (failure === 'bad-status') return 'It answered with an invalid HTTP status.'
  if (failure === 'no-tunnel') return 'It can’t be reached through the proxy in HTTPS_PROXY or HTTP_PROXY.'
  if (failure === 'timeout' || failure === 'gone') return `It did not answer within ${TIMEOUT_MS / 1_000} s.`
  return `It can’t be reached (${failure}).`
}

const unpack = promisify(gunzip)

async function unpacked(
  { headers, body }: HttpAnswer,
  maxOutputLength: number,
): Promise<Buffer | 'too-large' | 'damaged'> {
  if (headers['content-encoding'] !== 'gzip') return body
  return unpack(body, { maxOutputLength }).catch((error: unknown) =>
    codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'damaged',
  )
}

/** The reason is at the end; some query APIs repeat the whole query before it. */
const endOf = (text: string): string => {
  const chars = Array.from(text)
  return chars.length <= PROBLEM_CHARS_MAX ? text : `…${chars.slice(-PROBLEM_CHARS_MAX).join('')}`
}

export const QUERY_PREFIX = '/query/'

async function answerNetwork(
  { request, response, query }: Visit,
  services: ServiceList,
  apis: QueryApis,
  requester: Requester,
) {
  const named = services.named().map(({ baseUrl }) => baseUrl)
  const api = named.map(apis.of).find((each) => each !== undefined)
  if (api === undefined || !isFetch(request.headers)) return sendProblem(response, NOT_ALLOWED)
  const steps = stepsIn(new URLSearchParams(query), api)
  if (steps === undefined) return sendProblem(response, INVALID_QUERY)
  const known = named.filter((service) => apis.of(service) === api)
  const expression = networkExpression(METRICS, api.labels, known, steps.stepMs, api.scrapeMs)
  const found = await apis.ask(api, 'query_range', { query: expression, ...rangeOf(steps) }, requester)
  if (!found.ok) return sendNoAnswer(response, found.error)
  await sendPacked(request, response, longTermNetwork(METRICS, steps, found.value))
}

const rangeOf = ({ fromMs, stepMs, count }: LongTermQuery) => ({
  start: String((fromMs + stepMs) / 1_000),
  end: String((fromMs + count * stepMs) / 1_000),
  step: String(stepMs / 1_000),
})

const NOT_ALLOWED = problemOf(
  403,
  'Not allowed',
  'No query API is configured for this service, or the request does not come from a page of this dashboard.',
)

const INVALID_QUERY = problemOf(
  400,
  'Invalid query',
  'Requires node, from, step and steps. Times are in ms and multiples of 1,000.',
)

const sendNoAnswer = (response: ServerResponse, detail: string) =>
  sendProblem(response, problemOf(502, 'No answer from the query API', detail))

/** `GET /query/<service>/series?…`: one node's history in the service's query API. */
export async function answerQuery(visit: Visit, services: ServiceList, apis: QueryApis, payer: string) {
  const { request, response, path, query, visitor } = visit
  const requester = { visitor: payer, gone: whenGone(response) }
  if (request.method !== 'GET') return sendMethodNotAllowed(response, 'GET')
  if (path === '/query/network') return answerNetwork(visit, services, apis, requester)
  const serviceId = /^\/query\/([^/]{1,1000})\/series$/.exec(path)?.[1]
  const listed = serviceId === undefined ? undefined : services.find(visitor.name, serviceId)
  const api = listed === undefined ? undefined : apis.of(listed.entry.baseUrl)
  if (listed === undefined || api === undefined || !isFetch(request.headers))
    return sendProblem(response, NOT_ALLOWED)
  const parameters = new URLSearchParams(query)
  const node = parameters.get('node') ?? ''
  const steps = stepsIn(parameters, api)
  if (steps === undefined || (node !== OWN_NODE && !parseNodeId(node).ok))
    return sendProblem(response, INVALID_QUERY)
  const selector = { ...api.labels, service: listed.entry.baseUrl, node }
  const expression = stepExpression(METRICS, selector, steps, api.scrapeMs)
  const found = await apis.ask(api, 'query_range', { query: expression, ...rangeOf(steps) }, requester)
  if (!found.ok) return sendNoAnswer(response, found.error)
  await sendPacked(request, response, longTermSeries(METRICS, steps, found.value))
}

/** The steps in a query string; undefined if they are invalid. */
function stepsIn(parameters: URLSearchParams, { scrapeMs }: QueryApiSource): LongTermQuery | undefined {
  const numberOf = (name: string): number => {
    const text = parameters.get(name) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  }
  const [fromMs, stepMs, count] = [numberOf('from'), numberOf('step'), numberOf('steps')]
  const areTimes = fromMs % 1_000 === 0 && stepMs % 1_000 === 0
  return areTimes && stepMs >= scrapeMs && count >= 1 && count <= STEPS_MAX
    ? { fromMs, stepMs, count }
    : undefined
}

const pack = promisify(gzip)

async function sendPacked(request: IncomingMessage, response: ServerResponse, document: unknown) {
  const text = Buffer.from(JSON.stringify(document))
  const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  const body = takesGzip ? await pack(text) : text
  const packed = takesGzip ? { 'Content-Encoding': 'gzip' } : {}
  sendBody(response, 200, 'application/json', body, { ...packed, Vary: 'Accept-Encoding' })
}
