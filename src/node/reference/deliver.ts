import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '#base/clock.ts'
import { fault, faultTable, delayMs } from './fault.ts'
import type { Answer } from './problem.ts'

/** One answer on its way. `clock` times what is late on purpose. */
export type Delivery = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly answer: Answer
  readonly clock: Clock
}

/** Sends an answer as it is. */
export function send({ request, response, answer }: Delivery): void {
  if (response.destroyed) return // the client left while the answer was late
  const { body } = answer
  if (body instanceof Uint8Array) {
    response.writeHead(answer.status, withLength(answer, body.length))
    response.end(body) // which Node leaves out for HEAD
    return
  }
  response.writeHead(answer.status, answer.headers)
  if (request.method === 'HEAD') response.end()
  // A client that stops reading ends the pipeline with an error, and the pipeline the response; that is its right.
  else pipeline(Readable.from(body), response).catch(() => undefined)
}

const withLength = (answer: Answer, bytes: number): Record<string, string> =>
  answer.status === 204 || answer.status === 304
    ? answer.headers
    : { ...answer.headers, 'Content-Length': String(bytes) }

export const DELIVERY_FAULTS = faultTable<(delivery: Delivery, value: number) => void>()({
  late: fault(
    'answers after this long',
    (delivery, afterMs) => {
      const cancel = delivery.clock.after(afterMs, () => send(delivery))
      delivery.response.once('close', cancel)
    },
    delayMs(2_000),
  ),
  // the socket stays open until the client or the service ends it
  hang: fault('accepts the request and never answers', () => undefined),
  'headers-then-hang': fault('sends headers, then nothing', ({ response, answer }) => {
    response.writeHead(answer.status, withLength(answer, bytesOf(answer).length))
    response.flushHeaders()
  }),
  drip: fault(
    'sends the body byte by byte, one each so often',
    (delivery, everyMs) => {
      const { response, answer } = delivery
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.flushHeaders()
      dripFrom(delivery, bytes, 0, everyMs)
    },
    delayMs(1_000),
  ),
  reset: fault('resets the connection before any answer', ({ request }) => request.socket.resetAndDestroy()),
  'reset-in-body': fault(
    'resets the connection in the middle of the body',
    ({ request, response, answer }) => {
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.write(half(bytes), () => request.socket.resetAndDestroy())
    },
  ),
  truncated: fault(
    'ends in the middle of the body: Content-Length says more',
    ({ request, response, answer }) => {
      const bytes = bytesOf(answer)
      response.writeHead(answer.status, withLength(answer, bytes.length))
      response.write(half(bytes), () => request.socket.end())
    },
  ),
  'bad-chunk': fault('breaks the chunked encoding', ({ request, answer }) => {
    const head = { ...answer.headers, 'Transfer-Encoding': 'chunked' }
    request.socket.end(`${rawHead(answer.status, head)}10\r\n{"node_id":"0x12\r\nnot a size\r\n`)
  }),
  'not-http': fault('answers with something that is not HTTP', ({ request }) =>
    request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  ),
  'early-hints': fault('sends an informational 103 before the answer', (delivery) => {
    delivery.response.writeEarlyHints({ link: '</openapi.json>; rel=preload; as=fetch' }, () =>
      send(delivery),
    )
  }),
})

function dripFrom(delivery: Delivery, bytes: Uint8Array, at: number, everyMs: number): void {
  const { response, clock } = delivery
  if (at >= bytes.length) {
    response.end()
    return
  }
  const cancel = clock.after(everyMs, () => {
    response.removeListener('close', cancel)
    response.write(bytes.subarray(at, at + 1))
    dripFrom(delivery, bytes, at + 1, everyMs)
  })
  response.once('close', cancel)
}

const rawHead = (status: number, headers: Readonly<Record<string, string>>): string =>
  [
    `HTTP/1.1 ${status} On Demand`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

const half = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, Math.ceil(bytes.length / 2))

/** A body that is made on the way is cut: these deliveries never bring it to its end. */
function bytesOf({ body }: Answer): Uint8Array {
  if (body instanceof Uint8Array) return body
  const first = Array.from(take(body, 4))
  return Buffer.concat(first)
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let taken = 0
  for (const item of items) {
    if (taken++ >= count) return
    yield item
  }
}
