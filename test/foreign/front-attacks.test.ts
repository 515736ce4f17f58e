import { once } from 'node:events'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serviceIdOf } from '#record/service.ts'
import { createOwnerToken } from '#server/owner-token.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { headersOf, isThere, startFront } from '#test/support/running-front.ts'
import { ask, json } from '#test/node/server/http-client.ts'
import { configOf, startTestServer } from '#test/node/server/test-server.ts'
import { startSocketUpstream } from '#test/node/server/upstream-server.ts'

/** Sends these requests to nginx on one connection, each after an answer, and returns all answers. */
async function say(url: string, requests: readonly string[]): Promise<string> {
  const { hostname, port, host } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  let came = ''
  socket.on('data', (part: Buffer) => (came += part.toString())).on('error', () => undefined)
  await once(socket, 'secureConnect')
  const ended = once(socket, 'close')
  for (const request of requests) {
    const before = came.length
    socket.write(request.replace('HOST', host))
    await Promise.race([
      vi.waitFor(() => expect(came.length).toBeGreaterThan(before), { interval: 5 }),
      ended,
    ])
  }
  socket.end()
  await ended
  return came
}

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: x\r\n'

describe.skipIf(!isThere.nginx)('nginx with the configuration in deploy', () => {
  it.each(['', UPGRADE])('opens no tunnel when an upstream answers 101 with %j', async (headers) => {
    const baseUrl = await startSocketUpstream((socket) =>
      socket.once('data', () => socket.write(`HTTP/1.1 101 X\r\n${headers}\r\n`)),
    )
    const hook: Receiver = { kind: 'webhook', url: `${baseUrl}/`, via: 'relay' }
    const server = await startTestServer({
      access: { kind: 'header', name: 'x-user' },
      trustFrom: ['127.0.0.1'],
      receivers: [hook],
      config: configOf(baseUrl),
    })
    const url = await startFront({
      kind: 'nginx',
      file: 'nginx/front.conf',
      replace: {
        '127.0.0.1:7420': server.host,
        'proxy_pass_header Date;': 'proxy_pass_header Date; proxy_set_header X-User visitor;',
      },
    })
    const inside = 'GET /session HTTP/1.1\r\nHost: HOST\r\nX-User: admin\r\nConnection: close\r\n\r\n'
    const asks = [
      `GET /proxy/${serviceIdOf(baseUrl)}/node/status HTTP/1.1\r\nHost: HOST\r\n${UPGRADE}\r\n`,
      `POST /relay/${receiverIdOf(hook)} HTTP/1.1\r\nHost: HOST\r\nOrigin: https://HOST\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${UPGRADE}\r\n{}`,
    ]
    for (const first of asks) {
      const came = await say(url, [first.replaceAll('HOST', new URL(url).host), inside])
      expect(came).toMatch(/^HTTP\/1\.1 502 /)
      expect(came).not.toMatch(/HTTP\/1\.1 101/)
      expect(came).not.toContain('admin')
      expect(came).toContain('bad-status')
    }
  })

  it('forwards the longest policy that direct receivers can make', async () => {
    const receivers = Array.from({ length: 5 }, (_, index): Receiver => ({
      kind: 'webhook',
      via: 'direct',
      url: `https://r${index}.example/${'a'.repeat(1_200)}`,
    }))
    const server = await startTestServer({ access: { kind: 'public' }, receivers })
    const replace = { '127.0.0.1:7420': server.host }
    const url = await startFront({ kind: 'nginx', file: 'nginx/front.conf', replace })
    const { status, headers } = await headersOf(`${url}assets/engine-worker-1.js`)
    expect([status, headers['content-security-policy']]).toEqual([200, expect.stringMatching(/r1\.example/)])
  })

  const owner = createOwnerToken('s'.repeat(43), false, '')
  /** The defaults of a package, with a proxy_pass and nothing else. */
  const ALONE = {
    'proxy_http_version 1.1;': '',
    'proxy_set_header Host $http_host;': '',
    'proxy_set_header X-Forwarded-For $remote_addr;': '',
    'proxy_set_header X-Forwarded-Proto $scheme;': '',
    'proxy_set_header Connection "";': '',
  }
  const SILENT = {
    ...ALONE,
    'proxy_pass_header Date;': 'proxy_http_version 1.1; proxy_set_header Connection "";',
  }

  it.each([
    ['recognized by HTTP/1.0', ALONE, 'Forwarded by another server'],
    ['not recognized, but without a token', SILENT, 'including the token'],
  ])('gives a stranger no rights of a local page: %s', async (_how, replace, why) => {
    const server = await startTestServer({ owner })
    const url = await startFront({
      kind: 'nginx',
      file: 'nginx/front.conf',
      replace: { ...replace, '127.0.0.1:7420': server.host },
    })
    const body = JSON.stringify({ service: { baseUrl: 'http://127.0.0.1:1' } })
    const come = await say(url, [
      `POST /services HTTP/1.1\r\nHost: HOST\r\nOrigin: http://${server.host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ])
    expect(come).toMatch(/^HTTP\/1\.1 403 /)
    expect(come).toContain(why)
    expect(json(await ask(server.url, '/services'))).toEqual({ services: [] })
  })
})
