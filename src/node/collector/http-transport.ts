import { Agent, buildConnector, Client, request, type Dispatcher } from 'undici'
import type { Clock } from '#base/clock.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import type {
  HttpReply,
  Transport,
  TransportFailure,
  TransportRequest,
  UnreachableDetail,
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
      if (signal.aborted) return err({ kind: 'aborted' })
      const controller = new AbortController()
      let ended: TransportFailure | undefined
      const end = (why: TransportFailure): void => {
        ended ??= why
        controller.abort()
      }
      const onAbort = (): void => end({ kind: 'aborted' })
      signal.addEventListener('abort', onAbort)
      const cancel = clock.after(wanted.timeoutMs, () => end({ kind: 'timeout', afterMs: wanted.timeoutMs }))
      try {
        const reply = await exchange(agent, wanted, controller.signal)
        return ended === undefined ? reply : err(ended)
      } finally {
        cancel()
        signal.removeEventListener('abort', onAbort)
      }
    },
    close: () => agent.destroy(),
  }
}

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

async function exchange(
  agent: Agent,
  wanted: TransportRequest,
  signal: AbortSignal,
): Promise<Result<HttpReply, TransportFailure>> {
  let response: Dispatcher.ResponseData
  try {
    response = await ask(agent, wanted, signal)
  } catch (error) {
    return err(withoutAnswer(error))
  }
  const { statusCode: status, headers, body } = response
  if (status >= 300 && status <= 399 && status !== 304) {
    giveUp(body)
    return err({ kind: 'redirected' })
  }
  const encoding = textOf(headers['content-encoding'])
  try {
    const text = await readBody(body, wanted.bodyMaxBytes)
    if (text === undefined && status === 200)
      return err({ kind: 'too-large', limitBytes: wanted.bodyMaxBytes })
    // Nothing packed was asked for.
    if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
      return err({ kind: 'cut-off', encoding: encoding.slice(0, 32) })
    // Of an error page without end the status still says what is wrong.
    return ok(replyOf(status, headers, text ?? ''))
  } catch {
    return err({ kind: 'cut-off' }) // the connection broke, or the body is shorter than it says
  }
}

/** Once more where the service closed an idle connection in the very moment of its reuse: that is no failure. */
async function ask(
  agent: Agent,
  { url, headers }: TransportRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const options = { dispatcher: agent, method: 'GET', headers, signal } as const
  try {
    return await request(url, options)
  } catch (error) {
    if (signal.aborted || !isReset(error)) throw error
    return request(url, options)
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const isReset = (error: unknown): boolean => ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error))

/** Why no answer's headers came; by whom it was given up is told apart before. */
function withoutAnswer(error: unknown): TransportFailure {
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW')
    return { kind: 'too-large', limitBytes: DEFAULTS.headersMaxBytes, part: 'headers' }
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') return { kind: 'unreachable', detail: 'no-route' }
  const detail = DETAILS.find((known) => known === failureOfError(error))
  return { kind: 'unreachable', ...(detail && { detail }) }
}

const DETAILS: readonly UnreachableDetail[] = ['refused', 'no-route', 'dns', 'tls', 'reset']

type Body = Dispatcher.ResponseData['body']

/** What is not read ends with an error that nobody waits for. */
function giveUp(body: Body): void {
  body.once('error', () => undefined)
  body.destroy()
}

/** Little more than the limit is ever held; undefined beyond it. What is no UTF-8 becomes replacement characters. */
export async function readBody(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > bytesMax) {
      giveUp(body)
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

type Headers = Dispatcher.ResponseData['headers']

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
