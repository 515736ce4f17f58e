import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import { silenceOf } from '#delivery/alertmanager.ts'
import { portOf } from '#test/support/free-port.ts'

export type Taken = {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

/** A receiver on loopback that records its requests. */
export async function receiver(
  answer: (request: IncomingMessage, response: ServerResponse, taken: Taken) => void = (
    _request,
    response,
  ) => {
    response.writeHead(202, { 'content-type': 'text/html', 'retry-after': '120' }).end('<b>taken</b>')
  },
) {
  const taken: Taken[] = []
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const came = { method, path, headers, body: Buffer.concat(parts).toString() }
      taken.push(came)
      answer(request, response, came)
    })
  })
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  return { url: `http://127.0.0.1:${await portOf(server)}`, taken, close }
}

/** A silence of the next hour, as a page makes it. */
export const silenceFromNow = (id = '') =>
  silenceOf({
    id,
    alarm: 'node/0xaa/stake',
    severity: 'critical',
    comment: 'Acknowledged on the dashboard: seen',
    startsWallMs: Date.now(),
    endsWallMs: Date.now() + 3_600_000,
  })
