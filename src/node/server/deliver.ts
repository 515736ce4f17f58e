import { createHmac } from 'node:crypto'
import * as v from 'valibot'
import { ok, type Result } from '#base/result.ts'
import { jsonIn, readStored } from '#base/stored.ts'
import { OF_MESSAGE } from '#delivery/message-queue.ts'
import { toVisibleText } from '#base/visible-text.ts'
import {
  SECRET_SOURCE,
  readStatus,
  type AnyFormat,
  type Members,
  type Reading,
  type ReceiverAnswer,
  type ReceiverRequest,
} from '#receivers/kind.ts'
import { fieldsOf, RECEIVER_FORMATS } from '#receivers/kinds.ts'
import { MessageSchema, type Message } from '#receivers/message.ts'
import { renderTemplate } from '#receivers/webhook-members.ts'
import type { ReceiverKind } from '#settings/receiver-traits.ts'
import { isWrittenByServer, type Receiver, type WrittenReceiver } from '#settings/receiver.ts'
import type { Reach } from '#node/address-guard.ts'
import { createHttpClient, type HttpFailure, type HttpRequest } from '#node/http-client.ts'
import { openThreads, type Threads } from './message-threads.ts'
import { sendMail } from './send-mail.ts'
import { readWordFrom, type SecretWorld } from './secrets.ts'

/** Chat services can be slow. The page waits a little longer than this. */
const RECEIVER_TIMEOUT_MS = 10_000
/** The beginning of an answer is enough. */
const ANSWER_MAX_BYTES = 4_096
export const ANSWER_CHARS_MAX = 300
/** Remembered accepted parts of messages with several requests, some of which failed. */
const PARTS_MAX = 500
/** Shorter values are not provider secrets, and could be any word of an answer. */
const SECRET_CHARS_MIN = 8
/** Shorter parts of a secret URL's path are words. */
const URL_PART_CHARS_MIN = 14

/** Each request uses a new connection, because on a reused one a lost message looks like an accepted one. */
const { send } = createHttpClient({ keepAlive: false })

const SENT_HEADERS = {
  accept: '*/*',
  'accept-encoding': 'identity',
  'user-agent': 'immune-node-dashboard',
} as const

const LIMITS = { timeoutMs: RECEIVER_TIMEOUT_MS, bodyMaxBytes: ANSWER_MAX_BYTES }

type ToReceiver = Omit<HttpRequest, keyof typeof LIMITS> & Partial<typeof LIMITS>

/** One request to a receiver, within the limits of receivers if it has none of its own. */
export const sendOnce = ({ headers, ...request }: ToReceiver, signal: AbortSignal) =>
  send({ ...LIMITS, ...request, headers: { ...SENT_HEADERS, ...headers } }, signal)

/** For a queue: by `status` the message is accepted, refused for good, or may be sent again. */
export type DeliveredAnswer = {
  readonly status: number
  /** The beginning of the provider's answer. */
  readonly text: string
  readonly retryAfter: string | undefined
}

export type Sending = { readonly reach: Reach; readonly signal: AbortSignal }

export type Deliver = (
  to: { readonly id: string; readonly receiver: WrittenReceiver },
  /** JSON of a message. */
  body: string,
  sending: Sending,
) => Promise<Result<DeliveredAnswer, HttpFailure>>

type DeliverPorts = {
  /** Where it keeps the threads of messages; undefined: in memory only. */
  readonly folder: string | undefined
  readonly world: SecretWorld
  readonly report: (line: string) => void
}

/** Renders messages for receivers and sends them. Secrets are read at each use. */
export function createDeliver({ folder, world, report }: DeliverPorts): Deliver {
  const threads = openThreads(folder, report)
  const parts = new Set<string>()
  return async ({ id, receiver }, body, sending) => {
    const message = readStored(MessageSchema, jsonIn(body))
    if (message === undefined) return ok(answerOf(400, 'The body is not a message from this dashboard.'))
    const format = receiver.kind === 'webhook' ? webhookFormat(body) : RECEIVER_FORMATS[receiver.kind]
    const members = withSecrets(receiver, world)
    if (!members.ok) {
      report(`receiver ${receiver.name ?? receiver.kind}: ${members.error}`)
      return ok(answerOf(503, 'The server can’t read a secret of this receiver: see the server’s log.'))
    }
    const isFirst = message.kind === 'problem' && message.reason !== 'worse'
    const threadOf = (alarm: string) => (isFirst ? undefined : threads.of(id, alarm))
    const requests = format.requests(members.value, message, threadOf)
    if (!requests.ok)
      return ok(answerOf(503, `The configuration of this receiver is invalid: ${requests.error}`))
    const sent = await sendAll(requests.value, `${id} ${message.id}`, parts, format, sending)
    if (!sent.ok) return sent
    const { reading, answer } = sent.value
    if (reading.kind === 'accepted' && reading.thread !== undefined)
      noteThread(threads, id, message, threadOf, reading.thread)
    const text =
      sending.reach === 'public'
        ? lengthOf(Buffer.byteLength(answer.body))
        : withoutSecrets(answer.body, { ...members.value, kind: receiver.kind })
    return ok(answerFor(reading, answer.status, text))
  }
}

const WebhookMembers = v.object({
  url: v.string(),
  secret: v.optional(v.string()),
  template: v.optional(v.string()),
})

/** Without a template, the body stays unchanged. */
const webhookFormat = (body: string): Pick<AnyFormat, 'requests' | 'read'> => ({
  read: readStatus,
  requests: (members, message) => {
    const { url, secret, template } = v.parse(WebhookMembers, members)
    const sent = template === undefined ? body : renderTemplate(template, message)
    const signature = secret === undefined ? {} : signatureOf(secret, sent)
    return ok([{ url, headers: { 'content-type': 'application/json', ...signature }, body: sent }])
  },
})

/** As Stripe does, signs the time too, so that a receiver can reject an old message that is sent again. */
function signatureOf(secret: string, body: string): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return { 'x-immune-timestamp': timestamp, 'x-immune-signature': `sha256=${hex}` }
}

/** Replaces an answer that only this server may be able to get. */
export const lengthOf = (bytes: number): string =>
  bytes > ANSWER_MAX_BYTES ? `more than ${ANSWER_MAX_BYTES} bytes` : bytes === 0 ? '' : `${bytes} bytes`

/** A thread stays where it began, because Matrix can't start one at a message that belongs to another. */
function noteThread(
  threads: Threads,
  id: string,
  { kind, alarms }: Message,
  threadOf: (alarm: string) => string | undefined,
  thread: string,
): void {
  if (kind !== 'problem' || thread.length > 200) return
  const begun = alarms.map((alarm) => alarm.id).filter((alarm) => threadOf(alarm) === undefined)
  threads.put(id, begun, thread)
}

type Sent = { readonly reading: Reading; readonly answer: Pick<ReceiverAnswer, 'status' | 'body'> }

/** Sends one request after the other; a retry omits the parts that were accepted. */
async function sendAll(
  requests: readonly ReceiverRequest[],
  messageId: string,
  parts: Set<string>,
  { read }: Pick<AnyFormat, 'read'>,
  sending: Sending,
): Promise<Result<Sent, HttpFailure>> {
  const untilMs = performance.now() + RECEIVER_TIMEOUT_MS
  let first: Sent | undefined
  for (const [index, request] of requests.entries()) {
    const part = `${messageId} ${index}`
    if (parts.has(part)) continue
    const answer = await sendRequest(request, sending, Math.max(1, Math.ceil(untilMs - performance.now())))
    if (!answer.ok) return answer
    const reading = read(answer.value)
    if (reading.kind !== 'accepted') return ok({ reading, answer: answer.value })
    first ??= { reading, answer: answer.value }
    if (requests.length > 1) parts.add(part)
  }
  for (const oldest of parts) if (parts.size > PARTS_MAX) parts.delete(oldest)
  return ok(first ?? { reading: { kind: 'accepted' }, answer: { status: 200, body: '' } })
}

async function sendRequest(
  request: ReceiverRequest,
  { reach, signal }: Sending,
  timeoutMs: number,
): Promise<Result<ReceiverAnswer, HttpFailure>> {
  if ('mail' in request) return sendMail(request.mail, { reach, signal, timeoutMs })
  const { url, headers, body, method = 'POST' } = request
  const answer = await sendOnce({ method, url: new URL(url), headers, body, timeoutMs, reach }, signal)
  return answer.ok ? ok({ ...answer.value, body: answer.value.body.toString('utf8') }) : answer
}

/** Replaces the sources of secrets with the secrets. The error is for the server's log. */
function withSecrets(receiver: WrittenReceiver, world: SecretWorld): Result<Members, string> {
  const members: Record<string, unknown> = { ...receiver }
  for (const [name, { secret }] of Object.entries(fieldsOf(receiver.kind))) {
    const value = members[name]
    if (secret === undefined || typeof value !== 'string' || !SECRET_SOURCE.test(value)) continue
    const read = readWordFrom(value.replace(/^file:/, ''), world)
    if (!read.ok) return read
    members[name] = read.value
  }
  return ok(members)
}

/** Why secrets of receivers can't be read now; they are read again for each message. */
export const secretProblems = (receivers: readonly Receiver[], world: SecretWorld): readonly string[] =>
  receivers.flatMap((receiver, index) => {
    const read = isWrittenByServer(receiver) ? withSecrets(receiver, world) : ok(undefined)
    return read.ok ? [] : [`receivers.${index}: ${read.error}`]
  })

/** A provider may repeat the token in its answer, and a web server the path of the receiver's URL, which may be a secret. */
export function withoutSecrets(text: string, receiver: { readonly kind: ReceiverKind }): string {
  const fields = fieldsOf(receiver.kind)
  const secrets = Object.entries(receiver).flatMap(([name, value]: [string, unknown]) => {
    if ((fields[name]?.secret === undefined && name !== 'url') || typeof value !== 'string') return []
    const { search = '', pathname = '' } = URL.canParse(value) ? new URL(value) : {}
    const parts = pathname.split('/').filter(({ length }) => length >= URL_PART_CHARS_MIN)
    return [value, encodeURIComponent(value), search, pathname, ...parts]
  })
  return secrets
    .filter(({ length }) => length >= SECRET_CHARS_MIN)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
}

function answerFor(reading: Reading, status: number, text: string): DeliveredAnswer {
  if (reading.kind === 'accepted') return answerOf(status >= 200 && status < 300 ? status : 200, text)
  if (reading.kind === 'refused') return answerOf(OF_MESSAGE.has(status) ? status : 422, text)
  const { retryAfterMs } = reading
  return answerOf(status >= 300 && !OF_MESSAGE.has(status) ? status : 503, text, retryAfterMs)
}

const answerOf = (status: number, text: string, retryAfterMs?: number): DeliveredAnswer => ({
  status,
  text: toVisibleText(text.trim(), ANSWER_CHARS_MAX, 'as-written'),
  retryAfter: retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1_000)),
})
