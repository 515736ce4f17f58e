import type { IncomingMessage, ServerResponse } from 'node:http'
import { readAlarmAct, type AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmId, AlarmMember, AlarmsView } from '#alarms/alarm.ts'
import { jsonIn } from '#base/stored.ts'
import { MINUTE_MS } from '#base/time.ts'
import type { DeliveryState } from '#delivery/delivery-queue.ts'
import type { EventPage, EventQuery } from '#history/event-log.ts'
import { isBearer } from '#node/same-secret.ts'
import { whereOf, type Receiver } from '#settings/receiver.ts'
import { isCrossOrigin, isFetch, isOwnPage } from './request-guard.ts'
import { DOCUMENT_HEADERS } from './security-headers.ts'
import {
  foreignOrigin,
  sendBody,
  sendJson,
  sendMethodNotAllowed,
  sendProblem,
  problemOf,
  bodyOf,
  refuseBody,
  type Visit,
} from './send-reply.ts'

export const WATCH_PATH = '/watch'

/** The watch of this server, as its pages see it. */
export type ServedWatch = {
  readonly startedWallMs: number
  /** Undefined before the first evaluation. */
  readonly evaluatedWallMs: () => number | undefined
  readonly view: () => AlarmsView | undefined
  readonly deliveries: () => readonly (DeliveryState & { readonly receiver: Receiver })[]
  /** False while the stored alarms are not loaded. */
  readonly act: (act: AlarmAct) => boolean
  readonly members: (id: AlarmId) => readonly AlarmMember[]
  readonly journal: (query: EventQuery) => Promise<EventPage>
  /** In the text format of Prometheus. */
  readonly metrics: () => string
  /** The token by which a program reads the metrics. */
  readonly metricsBearer?: string | undefined
}

const ACT_MAX_BYTES = 262_144
const JOURNAL_LIMIT = 100
const JOURNAL_LIMIT_MAX = 500

/** Whether a program asks for the metrics with the configured token. */
export const hasMetricsBearer = (
  path: string,
  { headers }: Pick<IncomingMessage, 'headers'>,
  watch: ServedWatch | undefined,
): boolean =>
  path === `${WATCH_PATH}/metrics` &&
  watch?.metricsBearer !== undefined &&
  isBearer(headers.authorization, watch.metricsBearer)

/** Alarms are evaluated every second. */
const EVALUATED_WITHIN_MS = MINUTE_MS

/** Why a watch is unhealthy. Undefined if it is healthy, has not evaluated anything yet, or does not run. */
export const notEvaluated = (evaluatedWallMs: number | undefined, wallMs: number): string | undefined =>
  evaluatedWallMs !== undefined && wallMs - evaluatedWallMs > EVALUATED_WITHIN_MS
    ? `alarms have not been evaluated for more than ${EVALUATED_WITHIN_MS / 1_000} s`
    : undefined

/** For systemd, Docker and Kubernetes, which cannot sign in. */
export function sendHealth(response: ServerResponse, watch: ServedWatch | undefined): void {
  const why = notEvaluated(watch?.evaluatedWallMs(), Date.now())
  sendBody(response, why === undefined ? 200 : 503, 'text/plain; charset=utf-8', `${why ?? 'ok'}\n`)
}

export function sendWatchMetrics(response: ServerResponse, watch: ServedWatch | undefined): void {
  sendBody(response, 200, 'text/plain; version=0.0.4; charset=utf-8', watch?.metrics() ?? '')
}

/** `GET /watch`, `GET /watch/members`, `GET /watch/journal` and `POST /watch/acts`, for pages of this server only. */
export async function answerWatch(visit: Visit, watch: ServedWatch | undefined): Promise<void> {
  const { request, response, path } = visit
  const part = path.slice(WATCH_PATH.length)
  if (watch === undefined || !['', '/members', '/journal', '/metrics', '/acts'].includes(part))
    return sendProblem(response, NOT_HERE)
  if (part === '/acts') return applyAct(visit, watch)
  if (request.method !== 'GET') return sendMethodNotAllowed(response, 'GET')
  if (request.headers['sec-fetch-site'] !== 'none' && isCrossOrigin(request.headers))
    return sendProblem(response, FOREIGN_ORIGIN)
  if (part === '/metrics') return sendWatchMetrics(response, watch)
  const parameters = new URLSearchParams(visit.query)
  if (part === '/members') return sendJson(response, 200, watch.members(parameters.get('id') ?? ''))
  if (part === '/journal') return sendJournal(response, parameters, watch)
  sendState(visit, watch)
}

function sendState({ response, visitor }: Visit, watch: ServedWatch): void {
  const view = watch.view()
  if (view === undefined) return sendProblem(response, STARTING, { 'Retry-After': '1' })
  sendJson(response, 200, {
    version: 1,
    wallMs: Date.now(),
    startedWallMs: watch.startedWallMs,
    evaluatedWallMs: watch.evaluatedWallMs() ?? view.wallMs,
    view,
    // As in `/receivers`, only visitors who may send see the receivers.
    receivers: visitor.maySend
      ? watch.deliveries().map(({ receiver, ...state }) => ({
          id: state.id,
          kind: receiver.kind,
          ...(receiver.name !== undefined && { name: receiver.name }),
          where: whereOf(receiver),
          state,
        }))
      : [],
  })
}

async function sendJournal(
  response: ServerResponse,
  parameters: URLSearchParams,
  watch: ServedWatch,
): Promise<void> {
  const limit = Number(parameters.get('limit') ?? JOURNAL_LIMIT)
  const given = parameters.get('before')
  if (!Number.isInteger(limit) || limit < 1 || limit > JOURNAL_LIMIT_MAX)
    return sendProblem(
      response,
      problemOf(400, 'Not a page of the journal', `limit must be 1 to ${JOURNAL_LIMIT_MAX}.`),
    )
  const { entries, before } = await watch.journal({ limit, ...(given !== null && { before: given }) })
  sendJson(response, 200, { entries, ...(before !== undefined && { nextBefore: before }) })
}

async function applyAct(
  { request, response, visitor: { name, maySend } }: Visit,
  watch: ServedWatch,
): Promise<void> {
  const { headers, method } = request
  if (method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  if (!isOwnPage(headers) || !isFetch(headers)) return refuseBody(response, FOREIGN_ORIGIN)
  if (!maySend) return refuseBody(response, NOT_ALLOWED)
  const body = await bodyOf(request, response, ACT_MAX_BYTES, 'act')
  if (body === undefined) return undefined
  const act = readAlarmAct(jsonIn(body.toString('utf8')))
  if (act === undefined) return sendProblem(response, NOT_AN_ACT)
  if (!watch.act({ ...act, ...(name !== undefined && { by: name }) })) return sendProblem(response, LOADING)
  response.writeHead(204, DOCUMENT_HEADERS).end()
}

const NOT_HERE = problemOf(
  404,
  'Not found',
  'This server runs no watch, or the watch has no such page. To run a watch, start the server with --notify.',
)
const FOREIGN_ORIGIN = foreignOrigin('read the watch and act on its alarms')
const NOT_ALLOWED = problemOf(403, 'Not allowed', 'Visitors to this server may only read.')
const STARTING = problemOf(
  503,
  'Starting',
  'The watch has not evaluated its alarms yet. Try again in a second.',
)
const LOADING = problemOf(
  409,
  'Not loaded yet',
  'The watch is loading its stored alarms. Try again in a second.',
)
const NOT_AN_ACT = problemOf(
  400,
  'Invalid action',
  'Send one alarm action, such as {"act":"acknowledge","ids":["…"]}.',
)
