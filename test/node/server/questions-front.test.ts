import { once } from 'node:events'
import { connect } from 'node:tls'
import { expect, it } from 'vitest'
import { longTermPath } from '#prometheus/long-term-series.ts'
import { serviceIdOf } from '#record/service.ts'
import { CONFIG_VERSION, serviceAt } from '#settings/schema.ts'
import { headersOf, isThere, startFront } from '#test/support/running-front.ts'
import { startTestServer } from './test-server.ts'
import { startUpstream } from './upstream-server.ts'

const SERVICE = 'https://a.example'
const STEPS = { fromMs: 600_000, stepMs: 60_000, count: 2, barFromMs: 0, barMs: 3_600_000, barCount: 3 }
const NOW = JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [] } })

it.skipIf(!isThere.nginx)(
  'questions that are given up in nginx end at the engine, and keep no live status waiting',
  async () => {
    let underWay = 0
    const url = await startUpstream((request, response) => {
      if (request.url === '/api/v1/query') return void response.end(NOW)
      underWay += 1
      response.once('close', () => (underWay -= 1))
    })
    const server = await startTestServer({
      config: {
        version: CONFIG_VERSION,
        services: [serviceAt(SERVICE, 'proxy')],
        nodes: [],
        rules: [],
        canAddServices: false,
      },
      queryApis: [{ name: 'P', url, scrapeMs: 10_000, days: 30, live: true, labels: {} }],
      access: { kind: 'public' },
      trustFrom: ['127.0.0.1'],
    })
    const front = await startFront({
      kind: 'nginx',
      file: 'nginx/front.conf',
      replace: { 'http://127.0.0.1:7420': server.url.slice(0, -1) },
    })
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
