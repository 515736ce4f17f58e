import { err, ok, type Result } from '#base/result.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { Clock } from '#base/clock.ts'
import type { Delivered, DeliveryFailure, Outgoing, OutgoingMessage, Post } from '#delivery/delivery-queue.ts'
import type { HttpFailure } from '#node/http-client.ts'
import { retryAfterMs } from '#protocol/read-reply.ts'
import { ANSWER_CHARS_MAX, sendOnce, type Deliver, type DeliveredAnswer } from '#server/deliver.ts'
import { isWrittenByServer, receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { deliveryUrl } from '#settings/receiver-traits.ts'

/** Prefix of the id of a receiver whose messages the server renders. */
const RENDERED = 'message:'

export const postUrlOf = (receiver: Receiver): Outgoing['postUrl'] =>
  isWrittenByServer(receiver) ? RENDERED + receiverIdOf(receiver) : deliveryUrl(receiver)

type WatchPostPorts = {
  readonly clock: Pick<Clock, 'wallMs'>
  readonly deliver: Deliver
  readonly receivers: () => readonly Receiver[]
}

/** Sends to the configuration's receivers, at any address. */
export function createWatchPost({ clock, deliver, receivers }: WatchPostPorts) {
  const closing = new AbortController()
  const { signal } = closing
  const render = async (id: string, body: string): Promise<Result<DeliveredAnswer, HttpFailure>> => {
    const receiver = receivers().find((one) => receiverIdOf(one) === id)
    if (receiver === undefined || !isWrittenByServer(receiver)) return err('gone')
    return deliver({ id, receiver }, body, { reach: 'anywhere', signal })
  }
  const post: Post = async (message) => {
    const { url, body } = message
    const sent = url.startsWith(RENDERED)
      ? await render(url.slice(RENDERED.length), body)
      : await sendAsIs(message, signal)
    return sent.ok ? outcomeOf(sent.value, clock.wallMs()) : err(failureOf(sent.error))
  }
  return { post, close: () => closing.abort() }
}

async function sendAsIs(
  { url, body }: OutgoingMessage,
  signal: AbortSignal,
): Promise<Result<DeliveredAnswer, HttpFailure>> {
  const headers = { 'content-type': 'application/json' }
  const sent = await sendOnce({ method: 'POST', url: new URL(url), headers, body }, signal)
  if (!sent.ok) return sent
  const { status, headers: answered, body: answer } = sent.value
  const text = toVisibleText(answer.toString('utf8'), ANSWER_CHARS_MAX)
  return ok({ status, text, retryAfter: answered['retry-after'] })
}

function outcomeOf(
  { status, text, retryAfter }: DeliveredAnswer,
  wallMs: number,
): Result<Delivered, DeliveryFailure> {
  if (status >= 200 && status < 300) return ok({ status, answer: text })
  if (status >= 300 && status < 400) return err({ kind: 'redirected' })
  const waitMs = retryAfterMs(retryAfter, wallMs)
  return err({
    kind: 'status',
    status,
    answer: text,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  })
}

const failureOf = (failure: HttpFailure): DeliveryFailure => {
  if (failure === 'gone') return { kind: 'unreachable' }
  return failure === 'timeout' ? { kind: 'timeout' } : { kind: 'relay', failure }
}
