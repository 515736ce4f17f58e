import type { ServerResponse } from 'node:http'
import { isUnknownSilence, silenceIdIn } from '#delivery/alertmanager.ts'
import type { ProxyFailure } from '#protocol/transport.ts'
import { isWrittenByServer, type AddressReceiver } from '#settings/receiver.ts'
import { deliveryUrl, SILENCES_PATH, receiverTraits } from '#settings/receiver-traits.ts'
import type { HttpFailure } from '#node/http-client.ts'
import {
  ANSWER_CHARS_MAX,
  lengthOf,
  sendOnce,
  withoutSecrets,
  type Deliver,
  type DeliveredAnswer,
  type Sending,
} from './deliver.ts'
import type { Receivers } from './receivers.ts'
import {
  passedStatus,
  sendBody,
  sendMethodNotAllowed,
  proxyFailureAnswer,
  sendAnswer,
  sendProblem,
  problemOf,
  bodyOf,
  whenGone,
  type Visit,
} from './send-reply.ts'
import { isFetch, isOwnPage } from './request-guard.ts'
import { authorOf, isSilenceOf, readSilence } from './silences.ts'
import { failureDetails } from './upstream.ts'
import { ok, type Result } from '#base/result.ts'
import { jsonIn, membersOf } from '#base/stored.ts'

export const RELAY_PREFIX = '/relay/'

/** A message about a storm lists 50 alarms and counts the rest. */
const BODY_MAX_BYTES = 262_144

/**
 * `POST /relay/<id>` sends the body of a page's request, or the message rendered from it, to a listed receiver. The page gets
 * the receiver's status and the length of its answer, and the text only where the README allows it, because the answer may come
 * from something that only this server can reach. `POST …/silences` creates, changes or ends a silence at an Alertmanager.
 * For this server's own page only, because another site could otherwise send in this computer's name.
 */
export async function relayMessage(visit: Visit, receivers: Receivers, deliver: Deliver) {
  const { request, response, path, visitor } = visit
  const { name, maySend, isViewOnly, reach } = visitor
  const { headers, method } = request
  const [id = '', ...rest] = path.slice(RELAY_PREFIX.length).split('/')
  if (method !== 'POST') return sendMethodNotAllowed(response, 'POST')
  const listed = receivers.find(name, id)
  const isOurs = isOwnPage(headers) && isFetch(headers)
  if (isViewOnly && isOurs) return sendFailure(response, 'view-only')
  if (listed === undefined || !isOurs || !maySend) return sendFailure(response, 'not-allowed')
  const receiver = listed.entry
  const reached = { reach: listed.isNamed ? 'anywhere' : reach, signal: whenGone(response) } as const
  if (isWrittenByServer(receiver)) {
    if (rest.length > 0) return sendFailure(response, 'not-allowed')
    const body = await messageIn(visit, listed)
    if (body === undefined) return undefined
    return passOn(response, await deliver({ id, receiver }, body.toString('utf8'), reached))
  }
  const url = addressOf(receiver, rest.join('/'))
  if (url === undefined) return sendFailure(response, 'not-allowed')
  const target = { url, receiver, ...reached, isSilence: rest.length > 0 }
  const author = authorOf(name)
  const body = await messageIn(visit, listed)
  if (body === undefined) return undefined
  if (!target.isSilence) return passOn(response, await sendToReceiver(target, body))
  const silence = readSilence(jsonIn(body.toString('utf8')), author, Date.now())
  if (!silence.ok) return sendProblem(response, problemOf(400, 'Invalid silence', `Its ${silence.error}.`))
  const { id: before, document } = silence.value
  const other = before === undefined ? undefined : await othersSilence(before, target, author)
  const sent = Buffer.from(JSON.stringify(document))
  passOn(response, other ?? (await sendToReceiver(target, sent)))
}

/** Undefined: the request was answered. */
async function messageIn(
  { request, response }: Visit,
  { isOfWatch }: { readonly isOfWatch: boolean },
): Promise<Buffer | undefined> {
  const body = await bodyOf(request, response, BODY_MAX_BYTES, 'message')
  if (body === undefined || !isOfWatch || isTest(body)) return body
  sendProblem(response, OF_WATCH)
  return undefined
}

/** Its text is the size of the answer, or the reason of a refusal; for a silence, its id. */
type Passed = Result<DeliveredAnswer, HttpFailure>

/** The answer of an Alertmanager for an unknown id. */
const UNKNOWN: Passed = ok({ status: 404, text: '', retryAfter: undefined })

/** Answers as if the silence did not exist if it belongs to another author; undefined if it is this author's. */
async function othersSilence(id: string, target: Target, author: string): Promise<Passed | undefined> {
  if (!/^[0-9a-f-]{1,64}$/.test(id)) return UNKNOWN
  const url = new URL(target.url)
  url.pathname = new URL(`silence/${id}`, url).pathname
  const found = await sendToReceiver({ ...target, url })
  if (!found.ok) return found
  const { status, text } = found.value
  if (status !== 200) return ok({ ...found.value, text: '' })
  return isSilenceOf(author, jsonIn(text)) ? undefined : UNKNOWN
}

/** Allows the receiver's own URL and, for an Alertmanager, its silences; nothing else can be reached. */
function addressOf(receiver: AddressReceiver, rest: string): URL | undefined {
  const url = new URL(deliveryUrl(receiver))
  if (rest === '') return url
  if (!receiverTraits(receiver.kind).hasSilences || rest !== SILENCES_PATH) return undefined
  url.pathname = new URL(rest, url).pathname
  return url
}

function passOn(response: ServerResponse, answer: Passed) {
  if (!answer.ok) return answer.error === 'gone' ? undefined : sendFailure(response, answer.error)
  const { text, retryAfter } = answer.value
  const { status, headers } = passedStatus(answer.value.status)
  const wait = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  sendBody(response, status, 'text/plain; charset=utf-8', text, { ...headers, ...wait })
}

const isTest = (body: Buffer): boolean => membersOf(jsonIn(body.toString('utf8')))?.['kind'] === 'test'

const OF_WATCH = problemOf(
  409,
  'Sent by the server',
  'This server sends alarms to this receiver itself. From a page it accepts test messages only.',
)

const DETAILS: Readonly<Partial<Record<ProxyFailure, string>>> = {
  ...failureDetails('receiver'),
  'view-only': 'Open the address that the server printed at start, including the token.',
  'not-allowed': 'Only a page of this dashboard may send messages, and only to listed receivers.',
}

const sendFailure = (response: ServerResponse, failure: ProxyFailure) =>
  sendAnswer(
    response,
    proxyFailureAnswer(failure, 'receiver', DETAILS[failure] ?? 'The receiver did not answer.'),
  )

type Target = Sending & {
  readonly url: URL
  readonly receiver: AddressReceiver
  readonly isSilence: boolean
}

/** For a silence the dashboard needs its id, and whether it still exists; older Alertmanagers answer 500 if it does not. */
function silenceAnswer(status: number, body: string): Omit<DeliveredAnswer, 'retryAfter'> {
  const id = silenceIdIn(body)
  if (status >= 200 && status < 300) return { status, text: id === undefined ? '' : `{"silenceID":"${id}"}` }
  return { status: isUnknownSilence(body) ? 404 : status, text: '' }
}

/** A silence with the longest comment that is created here. */
const SILENCE_MAX_BYTES = 32_768

/** Without a body it reads the silence at the URL, and the answer is not passed on. */
async function sendToReceiver(
  { url, receiver, reach, isSilence, signal }: Target,
  body?: Buffer,
): Promise<Passed> {
  const isRead = body === undefined
  const request = isRead
    ? ({ method: 'GET', headers: {}, bodyMaxBytes: SILENCE_MAX_BYTES } as const)
    : ({ method: 'POST', headers: { 'content-type': 'application/json' }, body } as const)
  const answer = await sendOnce({ ...request, url, reach }, signal)
  if (!answer.ok) return answer
  // The status was received and decides, however the body ended.
  const { status, headers, body: read } = answer.value
  const text = read.toString('utf8')
  const retryAfter = headers['retry-after']
  return ok({
    ...(isRead
      ? { status: silenceAnswer(status, text).status, text }
      : isSilence
        ? silenceAnswer(status, text)
        : {
            status,
            text:
              status >= 400 && reach !== 'public'
                ? withoutSecrets(text, receiver).slice(0, ANSWER_CHARS_MAX)
                : lengthOf(read.length),
          }),
    retryAfter: /^[\x20-\x7e]+$/.test(retryAfter ?? '') ? retryAfter : undefined,
  })
}
