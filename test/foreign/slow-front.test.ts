import { once } from 'node:events'
import { connect as connectPlainly } from 'node:net'
import { request as sendRequest } from 'node:https'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { connect } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { BATCH_PATH } from '#protocol/batch.ts'
import { longTermPath } from '#prometheus/long-term-series.ts'
import { serviceIdOf } from '#record/service.ts'
import { CONNECTION_LIMITS } from '#server/connections.ts'
import { headersOf, isThere, startFront } from '#test/support/running-front.ts'
import { ownHeaders } from '#test/node/server/http-client.ts'
import { configOf, startTestServer, type TestServerOptions } from '#test/node/server/test-server.ts'
import { startUpstream } from '#test/node/server/upstream-server.ts'

/** nginx with the shipped configuration, in front of a dashboard. */
const nginxBefore = ({ url }: { readonly url: string }, replace: Readonly<Record<string, string>> = {}) =>
  startFront({
    kind: 'nginx',
    file: 'nginx/front.conf',
    replace: { 'http://127.0.0.1:7420': url.slice(0, -1), ...replace },
  })

/** A dashboard behind nginx; `/wait` has no answer. */
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
  const url = await nginxBefore(server, replace)
  /** Sends this text from a loopback address that stands for another computer. */
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
  'nginx cuts off slow bodies of one visitor and stays available to others',
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
  'requests of one visitor through nginx leave room for those of other visitors',
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

const SERVICE = 'https://a.example'
const STEPS = { fromMs: 600_000, stepMs: 60_000, count: 2 }
const NOW = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } })

it.skipIf(!isThere.nginx)(
  'queries cancelled through nginx end at the engine and do not delay live status',
  async () => {
    let underWay = 0
    const url = await startUpstream((request, response) => {
      if (request.url === '/api/v1/query') return void response.end(NOW)
      underWay += 1
      response.once('close', () => (underWay -= 1))
    })
    const server = await startTestServer({
      config: configOf(SERVICE),
      queryApis: [{ name: 'P', url, scrapeMs: 10_000, days: 30, live: true, labels: {} }],
      access: { kind: 'public' },
      trustFrom: ['127.0.0.1'],
    })
    const front = await nginxBefore(server)
    const { host, hostname, port } = new URL(front)
    const question = longTermPath(serviceIdOf(SERVICE), '0xaa', STEPS)
    const asked = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
        await once(socket, 'secureConnect')
        socket.write(`GET ${question} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
        return socket
      }),
    )
    await expect.poll(() => underWay).toBe(4)
    const live = await headersOf(`${front}proxy/${serviceIdOf(SERVICE)}/node/status`)
    expect(live.headers['x-proxy-failure']).toBe('not-collected')
    for (const socket of asked) socket.destroy()
    await expect.poll(() => underWay).toBe(0)
  },
)

for (const kind of ['nginx', 'Caddy'] as const)
  it.skipIf(!isThere[kind])(`${kind} passes on each answer of a batch as it comes`, async () => {
    let finish = (): void => undefined
    const baseUrl = await startUpstream(({ url }, response) => {
      if (url?.endsWith('slow') === true) finish = () => void response.end('{}')
      else response.end('{}')
    })
    const server = await startTestServer({
      config: configOf(baseUrl),
      access: { kind: 'public' },
      trustFrom: ['127.0.0.1'],
    })
    const front = await (kind === 'nginx'
      ? nginxBefore(server)
      : startFront({
          kind,
          file: 'caddy/front.Caddyfile',
          replace: { '127.0.0.1:7420': new URL(server.url).host },
        }))
    const one = (id: string) => ({
      path: `/proxy/${serviceIdOf(baseUrl)}/node/status?node_id=${id}`,
      headers: {},
    })
    const sent = sendRequest(new URL(BATCH_PATH, front), {
      method: 'POST',
      headers: ownHeaders(new URL(front).host, 'https'),
      rejectUnauthorized: false,
    }).end(JSON.stringify([one('slow'), one('quick')]))
    const [response]: readonly Readable[] = await once(sent, 'response')
    if (response === undefined) throw new Error('no answer')
    const places: unknown[] = []
    for await (const line of createInterface(response)) {
      places.push(JSON.parse(line).at)
      finish()
    }
    expect(places).toEqual([1, 0])
  })
