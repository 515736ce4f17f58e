import { Agent, buildConnector, Client, type Dispatcher } from 'undici'
import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  isAnswerStatus,
  isInterimStatus,
  type HttpReply,
  type Transport,
  type TransportFailure,
  type TransportRequest,
  type UnreachableDetail,
} from '#protocol/ports.ts'
import { failureOfError } from '#server/upstream.ts'

/** Longer than most intervals, so that a connection serves the next round too; a service's own word is shorter where it says one. */
const KEEP_ALIVE_MS = 60_000

export type HttpTransport = { readonly send: Transport; readonly close: () => Promise<void> }

/** One that can't be made within this is given up, whoever waits for it. */
const CONNECT_MAX_MS = 30_000

/** Sends requests over connections that stay open; side by side over one where the service speaks HTTP/2. `inFlightMax`: per host. */
export function createHttpTransport(clock: Clock, inFlightMax: number): HttpTransport {
  const agent = createAgent(inFlightMax)
  return {
    send: async (wanted, signal) => {
      const first = await exchange(agent, clock, wanted, signal)
      // Once more where the service closed an idle connection in the very moment of its reuse: that is no failure.
      return first === 'connection-lost' ? orUnreachable(await exchange(agent, clock, wanted, signal)) : first
    },
    close: () => agent.destroy(),
  }
}

type Outcome = Result<HttpReply, TransportFailure>

const orUnreachable = (outcome: Outcome | 'connection-lost'): Outcome =>
  outcome === 'connection-lost' ? err({ kind: 'unreachable', detail: 'reset' }) : outcome

function createAgent(inFlightMax: number): Agent {
  const connect = buildConnector({ allowH2: true, timeout: CONNECT_MAX_MS })
  const multiplexed = new Set<string>()
  const agent = new Agent({
    allowH2: true,
    connections: inFlightMax,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: DEFAULTS.headersMaxBytes,
    // The timeout of a request is its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, done) =>
      connect(options, (...connected) => {
        // Undefined beside an error, whatever its type says.
        const { alpnProtocol }: { readonly alpnProtocol?: unknown } = Object(connected[1])
        const isMultiplexed = alpnProtocol === 'h2'
        multiplexed[isMultiplexed ? 'add' : 'delete'](originOf(options))
        done(...connected)
      }),
  })
  // Over HTTP/1.1 one waits for the other, so only there it is one at a time.
  agent.on('connect', ({ origin }, targets) => {
    const client = targets.at(-1)
    if (client instanceof Client && multiplexed.has(origin)) client.pipelining = inFlightMax
  })
  return agent
}

const originOf = ({ protocol, hostname, port }: buildConnector.Options): string =>
  new URL(`${protocol}//${hostname}${port === '' ? '' : `:${port}`}`).origin

/**
 * One request. By the dispatcher itself: a stream and an abort signal for each answer of a few hundred bytes would cost
 * as much as all the rest.
 */
function exchange(
  agent: Agent,
  clock: Clock,
  { url, headers, timeoutMs, bodyMaxBytes }: TransportRequest,
  signal: AbortSignal,
): Promise<Outcome | 'connection-lost'> {
  if (signal.aborted) return Promise.resolve(err({ kind: 'aborted' }))
  const { origin, pathname, search } = new URL(url)
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let isSettled = false
    let answer: { readonly status: number; readonly headers: Headers } | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (outcome: Outcome | 'connection-lost', isOver = false): void => {
      if (isSettled) return
      isSettled = true
      cancel()
      signal.removeEventListener('abort', onAbort)
      resolve(outcome)
      if (!isOver) controller?.abort(GIVEN_UP)
    }
    const onAbort = (): void => settle(err({ kind: 'aborted' }))
    const cancel = clock.after(timeoutMs, () => settle(err({ kind: 'timeout', afterMs: timeoutMs })))
    signal.addEventListener('abort', onAbort)
    agent.dispatch(
      { origin, path: pathname + search, method: 'GET', headers: { ...headers } },
      {
        onRequestStart: (given) => {
          controller = given
          // It was given up before there was a connection for it.
          if (isSettled) given.abort(GIVEN_UP)
        },
        onResponseStart: (_, status, came) => {
          if (isInterimStatus(status)) return
          if (!isAnswerStatus(status)) settle(err({ kind: 'unreachable', detail: 'bad-status' }))
          if (isRedirect(status)) settle(err({ kind: 'redirected' }))
          answer = { status, headers: came }
        },
        onResponseData: (_, chunk) => {
          bytes += chunk.length
          if (bytes <= bodyMaxBytes) chunks.push(chunk)
          // Of an error page without end the status still says what is wrong.
          else if (answer === undefined || answer.status === 200)
            settle(err({ kind: 'too-large', limitBytes: bodyMaxBytes }))
          else settle(ok(replyOf(answer.status, answer.headers, '')))
        },
        onResponseEnd: () => {
          if (answer !== undefined) settle(readReply(answer, Buffer.concat(chunks)), true)
        },
        onResponseError: (_, error) => {
          if (answer !== undefined) settle(err({ kind: 'cut-off' }), true)
          else settle(isReset(error) ? 'connection-lost' : err(withoutAnswer(error)), true)
        },
      },
    )
  })
}

/** Nobody looks at it: the outcome is told before. */
const GIVEN_UP = new Error('given up')

const isRedirect = (status: number): boolean => status >= 300 && status <= 399 && status !== 304

/** What is no UTF-8 becomes replacement characters. */
function readReply(
  { status, headers }: { readonly status: number; readonly headers: Headers },
  body: Buffer,
): Outcome {
  const encoding = textOf(headers['content-encoding'])
  // Nothing packed was asked for.
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    return err({ kind: 'cut-off', encoding: encoding.slice(0, 32) })
  return ok(replyOf(status, headers, body.toString('utf8')))
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** What undici says of an answer that changes the protocol. */
const isUpgrade = (error: unknown): boolean => error instanceof Error && error.message === 'bad upgrade'

const isReset = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error)) && !isUpgrade(error)

/** Why no answer's headers came; by whom it was given up is told apart before. */
function withoutAnswer(error: unknown): TransportFailure {
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW')
    return { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') return { kind: 'unreachable', detail: 'no-route' }
  const failure = isUpgrade(error) ? 'bad-status' : failureOfError(error)
  const detail = DETAILS.find((known) => known === failure)
  return { kind: 'unreachable', ...(detail && { detail }) }
}

const DETAILS: readonly UnreachableDetail[] = ['refused', 'no-route', 'dns', 'tls', 'reset', 'bad-status']

type Headers = Readonly<Record<string, string | string[] | undefined>>

const textOf = (header: Headers[string]): string | undefined =>
  typeof header === 'string' ? header : header?.join(', ')

function replyOf(status: number, headers: Headers, body: string): HttpReply {
  const named = {
    date: textOf(headers['date']),
    retryAfter: textOf(headers['retry-after']),
    age: textOf(headers['age']),
    contentType: textOf(headers['content-type']),
    challenge: textOf(headers['www-authenticate']),
  }
  const present = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { status, body, ...Object.fromEntries(present) }
}
