import http from 'node:http'
import https from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PROXY_FAILURE_HEADER, type ProxyFailure } from '#protocol/ports.ts'
import {
  deliveryUrl,
  SILENCE_PATH,
  SILENCES_PATH,
  type Receiver,
  RECEIVER_TRAITS,
} from '#settings/receiver.ts'
import type { Receivers } from './receivers.ts'
import { sendMethodNotAllowed, sendProblem, type Problem } from './reply.ts'
import { readBytes } from './reply.ts'
import { isCrossOrigin, isEmbedded, isOwnOrigin } from './request-guard.ts'
import { DOCUMENT_HEADERS } from './security-headers.ts'
import { err, ok, type Result } from '#base/result.ts'
import { failureOfError, type UpstreamFailure } from './upstream.ts'

export const RELAY_PREFIX = '/relay/'

/** A message about a storm names 50 of its alarms and counts the rest. */
const BODY_MAX_BYTES = 262_144

/**
 * `POST /relay/<id>` passes a message on to a receiver of the list, with its body and nothing else
 * of the browser's, and answers with the receiver's status and the beginning of its words. Below an
 * Alertmanager's, `POST …/silences` makes a silence and `DELETE …/silence/<its id>` ends it. For this
 * server's own page only: another site could otherwise send in this computer's name.
 */
export async function relayMessage(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  receivers: Pick<Receivers, 'find'>,
) {
  const { headers, method } = request
  const [id = '', ...rest] = path.slice(RELAY_PREFIX.length).split('/')
  const wanted = rest.length === 2 ? 'DELETE' : 'POST'
  if (method !== wanted) return sendMethodNotAllowed(response, wanted)
  const receiver = receivers.find(id)
  // Browsers send an Origin with every POST, so its absence is no page of ours.
  const isOurs = !isCrossOrigin(headers) && !isEmbedded(headers) && isOwnOrigin(headers.origin, headers.host)
  const url = receiver && addressOf(receiver, rest.join('/'))
  if (url === undefined || !isOurs) return sendFailure(response, 'not-allowed')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  if (wanted === 'DELETE') {
    return passOn(response, await sendToReceiver(url, undefined, gone.signal))
  }
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    return sendProblem(response, NOT_JSON)
  const body = await readBytes(request, BODY_MAX_BYTES)
  if (body === undefined) return sendProblem(response, TOO_LARGE, { Connection: 'close' })
  passOn(response, await sendToReceiver(url, body, gone.signal))
}

/** An Alertmanager's silences are made and ended through it too; nothing else of a receiver can be reached. */
function addressOf(receiver: Pick<Receiver, 'kind' | 'url'>, rest: string): URL | undefined {
  const url = new URL(deliveryUrl(receiver))
  if (rest === '') return url
  const isSilence = rest === SILENCES_PATH || SILENCE.test(rest)
  if (!RECEIVER_TRAITS[receiver.kind].hasSilences || !isSilence) return undefined
  url.pathname = new URL(rest, url).pathname
  return url
}

const SILENCE = new RegExp(`^${SILENCE_PATH}[0-9a-f-]{1,64}$`)

function passOn(response: ServerResponse, answer: Awaited<ReturnType<typeof sendToReceiver>>) {
  if (!answer.ok) return answer.error === 'gone' ? undefined : sendFailure(response, answer.error)
  response.writeHead(answer.value.status, {
    ...DOCUMENT_HEADERS,
    // Never as a page: these are words of somebody else.
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': answer.value.body.length,
    ...(answer.value.retryAfter !== undefined && { 'Retry-After': answer.value.retryAfter }),
  })
  response.end(answer.value.body)
}

const NOT_JSON: Problem = { status: 415, title: 'Not JSON', detail: 'Send the message as application/json.' }
const TOO_LARGE: Problem = {
  status: 413,
  title: 'Too large',
  detail: `Send at most ${BODY_MAX_BYTES} bytes.`,
}

const DETAILS: Readonly<Partial<Record<ProxyFailure, string>>> = {
  refused: 'The receiver does not accept connections.',
  dns: "The receiver's name was not found.",
  tls: "The receiver's certificate was not accepted.",
  reset: 'The connection to the receiver broke before it answered.',
  timeout: 'The receiver did not answer in time.',
  'not-allowed': 'This is not allowed here: only messages of the dashboard itself to receivers on the list.',
}

function sendFailure(response: ServerResponse, failure: ProxyFailure) {
  sendProblem(
    response,
    {
      status: failure === 'not-allowed' ? 403 : failure === 'timeout' ? 504 : 502,
      title: failure === 'not-allowed' ? 'Not allowed' : 'No answer from the receiver',
      detail: DETAILS[failure] ?? 'The receiver did not answer.',
    },
    { [PROXY_FAILURE_HEADER]: failure },
  )
}

type ReceiverAnswer = {
  readonly status: number
  /** The beginning of what it said. */
  readonly body: Buffer
  readonly retryAfter: string | undefined
}

/** Chat services are slow at times; the page itself waits a little longer. */
const TIMEOUT_MS = 10_000
/** Of a page of any length its beginning says enough. */
const ANSWER_MAX_BYTES = 4_096

/**
 * Posts a message once, or without one asks to delete what is there, over a connection of its own: on a connection that is used again nobody
 * could tell a message that was lost from one that was taken. Follows no redirect. Never throws.
 */
function sendToReceiver(
  url: URL,
  body: Buffer | undefined,
  signal: AbortSignal,
): Promise<Result<ReceiverAnswer, UpstreamFailure>> {
  return new Promise((resolve) => {
    const settle = (result: Result<ReceiverAnswer, UpstreamFailure>) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onGone)
      resolve(result)
      request.destroy()
    }
    const onGone = () => settle(err('gone'))
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: body === undefined ? 'DELETE' : 'POST',
      agent: false,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'immune-node-dashboard',
      },
    })
    const timer = setTimeout(() => settle(err('timeout')), TIMEOUT_MS)
    signal.addEventListener('abort', onGone)
    request.on('error', (error) => settle(err(failureOfError(error))))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const answer = () => {
        const retryAfter = response.headers['retry-after']
        settle(
          ok({
            status: response.statusCode ?? 502,
            body: Buffer.concat(chunks).subarray(0, ANSWER_MAX_BYTES),
            retryAfter: /^[\x20-\x7e]+$/.test(retryAfter ?? '') ? retryAfter : undefined,
          }),
        )
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes > ANSWER_MAX_BYTES) answer()
      })
      response.on('end', answer)
      // The status was there, and it is what counts.
      response.on('error', answer)
    })
    if (signal.aborted) return onGone()
    request.end(body)
  })
}
