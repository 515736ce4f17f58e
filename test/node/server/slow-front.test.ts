import { once } from 'node:events'
import { connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { CONNECTION_LIMITS } from '#server/connections.ts'
import { headersOf, isThere, startFront } from '#test/support/running-front.ts'
import { startTestServer, type TestServerOptions } from './test-server.ts'

/** A dashboard behind nginx by the file that ships; `/wait` has no answer. */
async function behindNginx(options: TestServerOptions, replace: Readonly<Record<string, string>> = {}) {
  let waiting = 0
  const server = await startTestServer({
    access: { kind: 'public' },
    trustFrom: ['127.0.0.1'],
    ...options,
    pages: () => async (_request, response, path) => {
      if (path !== '/wait') return void response.end('answered')
      waiting += 1
      await once(response, 'close')
      waiting -= 1
    },
  })
  const target = { 'http://127.0.0.1:7420': server.url.slice(0, -1), ...replace }
  const url = await startFront({ kind: 'nginx', file: 'nginx/front.conf', replace: target })
  /** Says so much as another computer, whose address is this. */
  const say = async (text: string, localAddress: string) => {
    const { hostname, port, host } = new URL(url)
    const plain = connectPlainly({ host: hostname, port: Number(port), localAddress })
    const socket = connect({ socket: plain, rejectUnauthorized: false })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    const closed = once(socket, 'close')
    await once(socket, 'secureConnect')
    socket.resume().write(text.replace('HOST', host))
    return { socket, closed }
  }
  return { url, say, waiting: () => waiting }
}

const all = <T>(count: number, begin: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, begin))
const SLOW_BODY = 'POST /services HTTP/1.1\r\nHost: HOST\r\nContent-Length: 60\r\n\r\n{"'
const WAIT = 'GET /wait HTTP/1.1\r\nHost: HOST\r\n\r\n'

it.skipIf(!isThere.nginx)(
  'slow bodies of one visitor leave nginx room for others, and are ended there',
  async () => {
    const { url, say } = await behindNginx(
      { limits: { ...CONNECTION_LIMITS, most: 20 } },
      { 'client_body_timeout 5s;': 'client_body_timeout 200ms;' },
    )
    const slow = await all(200, () => say(SLOW_BODY, '127.0.0.2'))
    expect((await headersOf(url)).status).toBe(200)
    await Promise.all(slow.map(({ closed }) => closed))
  },
)

it.skipIf(!isThere.nginx)(
  'requests of one visitor through nginx leave room for those of others',
  async () => {
    const { url, say, waiting } = await behindNginx({
      limits: { ...CONNECTION_LIMITS, most: 12, mostOfOne: 10 },
    })
    const held = await all(12, () => say(WAIT, '127.0.0.2'))
    await expect.poll(waiting).toBe(10)
    expect((await headersOf(url)).status).toBe(200)
    for (const { socket } of held) socket.destroy()
    await expect.poll(waiting).toBe(0)
    expect((await headersOf(url)).status).toBe(200)
  },
)
