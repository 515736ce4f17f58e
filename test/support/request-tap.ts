import { once } from 'node:events'
import { createServer, request, type IncomingHttpHeaders } from 'node:http'
import { portOf } from './free-port.ts'

type Seen = {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly status: number
}

/** A proxy that records all requests to a server, even a SharedWorker's, which a page's browser tools omit. */
export type RequestTap = {
  /** With a trailing slash. */
  readonly url: string
  /** The answered requests so far, in the order of their answers. */
  readonly seen: readonly Seen[]
  readonly close: () => Promise<void>
}

export async function tapRequests(behind: string): Promise<RequestTap> {
  const { hostname, port } = new URL(behind)
  const seen: Seen[] = []
  const server = createServer((from, to) => {
    const { method, url = '', headers } = from
    const body: Buffer[] = []
    from.on('data', (part: Buffer) => body.push(part))
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502
      to.writeHead(status, answer.headers)
      answer.pipe(to)
      answer.on('end', () => seen.push({ url, headers, body: Buffer.concat(body).toString(), status }))
    })
    passed.on('error', () => to.destroy()) // A closing page aborts its requests.
    from.pipe(passed)
  })
  return {
    url: `http://127.0.0.1:${await portOf(server)}/`,
    seen,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
