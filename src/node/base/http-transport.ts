import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import { createHttpClient, type HttpAnswer, type HttpFailure } from './http-client.ts'
import type { HttpReply, Transport, TransportFailure, TransportRequest } from '#protocol/transport.ts'

type HttpTransport = { readonly send: Transport; readonly close: () => Promise<void> }

/**
 * Sends requests over persistent connections, in parallel over one connection if the service supports HTTP/2. `inFlightMax`:
 * per host.
 */
export function createHttpTransport(clock: Pick<Clock, 'after'>, inFlightMax: number): HttpTransport {
  const { send, close } = createHttpClient({
    after: clock.after,
    connections: inFlightMax,
    multiplexed: true,
  })
  return {
    send: async (request, signal) => {
      const sent = await send({ ...request, url: new URL(request.url) }, signal)
      return sent.ok ? replyOf(sent.value, request) : err(failureOf(sent.error, request))
    },
    close,
  }
}

function failureOf(
  failure: HttpFailure,
  { timeoutMs }: Pick<TransportRequest, 'timeoutMs'>,
): TransportFailure {
  if (failure === 'gone') return { kind: 'aborted' }
  if (failure === 'timeout') return { kind: 'timeout', afterMs: timeoutMs }
  if (failure === 'headers-too-large')
    return { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }
  return { kind: 'unreachable', detail: failure }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399 && status !== 304

/** Invalid UTF-8 becomes replacement characters. */
function replyOf(
  { status, headers, body, end }: HttpAnswer,
  { bodyMaxBytes }: TransportRequest,
): Result<HttpReply, TransportFailure> {
  if (isRedirect(status)) return err({ kind: 'redirected' })
  if (end === 'cut-off') return err({ kind: 'cut-off' })
  if (end === 'too-large' && status === 200) return err({ kind: 'too-large', limitBytes: bodyMaxBytes })
  const encoding = headers['content-encoding'] ?? ''
  // The request did not allow compression.
  if (end === 'whole' && encoding !== '' && encoding !== 'identity')
    return err({ kind: 'cut-off', encoding: encoding.slice(0, 32) })
  const named = {
    date: headers['date'],
    retryAfter: headers['retry-after'],
    age: headers['age'],
    contentType: headers['content-type'],
    challenge: headers['www-authenticate'],
  }
  const present = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined)
  // If an error page is too large, its status still shows what is wrong.
  const text = end === 'whole' ? body.toString('utf8') : ''
  return ok({ status, body: text, ...Object.fromEntries(present) })
}
