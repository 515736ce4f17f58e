import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { askStatus, send, testKey } from './client.ts'
import { runReference, VIEWER } from './running.ts'

const PAGE = 'http://localhost:7420'

/** Sends bytes as they are and reads until the other side ends the connection. */
async function raw(baseUrl: string, text: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  let reply = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    reply += part
  })
  socket.write(text)
  await once(socket, 'close')
  return reply
}

describe('methods and paths', () => {
  it('answers HEAD as GET without the record, when it is signed as HEAD', async () => {
    const { baseUrl } = await runReference()
    const reply = await askStatus(baseUrl, { key: VIEWER, method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(300)
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])(
    'refuses %s and names what is allowed',
    async (method) => {
      const { baseUrl } = await runReference()
      const reply = await send(`${baseUrl}/node/status`, method)
      expect([reply.status, reply.headers['allow'], reply.json()['code']]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        'method-not-allowed',
      ])
    },
  )

  it.each([
    '/',
    '/node',
    '/node/status/',
    '/node/Status',
    '/node//status',
    '/node/%73tatus',
    '/login',
    '/faults',
  ])('has nothing at %s', async (path) => {
    const { baseUrl } = await runReference()
    const reply = await send(`${baseUrl}${path}`)
    expect([reply.status, reply.json()['code']]).toEqual([404, 'path-not-found'])
  })

  it('does not read a body, nor take it for the next request', async () => {
    const { baseUrl, service } = await runReference()
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'
    const reply = await raw(
      baseUrl,
      `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    )
    expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(Object.keys(service.stats().byPath)).toEqual(['/'])
  })

  it.each([
    ['what is no HTTP', 'hello there\r\n\r\n', '400'],
    ['headers beyond 8 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(9_000)}\r\n\r\n`, '431'],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', '400'],
  ])('ends the connection on %s', async (_, text, status) => {
    const { baseUrl } = await runReference()
    expect(await raw(baseUrl, text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

describe('every answer', () => {
  const answers = [
    ['200', (baseUrl: string) => askStatus(baseUrl, { key: VIEWER, headers: { Origin: PAGE } }), 200],
    [
      '400',
      (baseUrl: string) => askStatus(baseUrl, { key: VIEWER, query: 'node_id=x', headers: { Origin: PAGE } }),
      400,
    ],
    ['401', (baseUrl: string) => send(`${baseUrl}/node/status`, 'GET', { Origin: PAGE }), 401],
    [
      '404',
      (baseUrl: string) =>
        askStatus(baseUrl, { key: VIEWER, query: `node_id=0x${'a'.repeat(64)}`, headers: { Origin: PAGE } }),
      404,
    ],
    ['404 for a path', (baseUrl: string) => send(`${baseUrl}/x`, 'GET', { Origin: PAGE }), 404],
    ['405', (baseUrl: string) => send(`${baseUrl}/node/status`, 'POST', { Origin: PAGE }), 405],
  ] as const

  it.each(answers)(
    '%s may be read by a page of this computer, with the headers that matter',
    async (_, ask, status) => {
      const { baseUrl } = await runReference()
      const reply = await ask(baseUrl)
      expect(reply.status).toBe(status)
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': PAGE,
        'access-control-expose-headers': 'Date, Retry-After, Age, WWW-Authenticate',
        'cache-control': 'no-store',
        vary: 'Origin',
        'x-content-type-options': 'nosniff',
      })
      expect(Math.abs(Date.parse(String(reply.headers['date'])) - Date.now())).toBeLessThan(60_000)
    },
  )

  it('is open to no other page', async () => {
    const { baseUrl } = await runReference({ allowOrigins: ['https://wall.example'] })
    const verdicts: unknown[] = []
    for (const Origin of [
      'https://wall.example',
      'http://wall.example',
      PAGE,
      'null',
      'https://wall.example.evil',
    ]) {
      const reply = await askStatus(baseUrl, { key: VIEWER, headers: { Origin } })
      verdicts.push(reply.headers['access-control-allow-origin'])
    }
    expect(verdicts).toEqual(['https://wall.example', undefined, undefined, undefined, undefined])
  })

  it('to a page whose name begins with localhost is closed', async () => {
    const { baseUrl } = await runReference()
    for (const Origin of [
      'http://localhost.evil.example',
      'http://localhost:80.evil',
      'https://localhost:1',
      'http://localhostx',
    ]) {
      const reply = await send(`${baseUrl}/node/status`, 'GET', { Origin })
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
  })

  it('401 says how to authenticate', async () => {
    const { baseUrl } = await runReference()
    const bare = await send(`${baseUrl}/node/status`)
    expect(bare.headers['www-authenticate']).toBe('Bearer realm="immune-node", profile="bearer-v1"')
    const wrong = await askStatus(baseUrl, { key: testKey(9) })
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"')
  })

  it('of a problem repeats nothing that was sent', async () => {
    const { baseUrl } = await runReference()
    const marks = ['zzmark1', 'zzmark2', 'zzmark3', 'zzmark4']
    const replies = await Promise.all([
      send(`${baseUrl}/zzmark1`),
      send(`${baseUrl}/node/status?node_id=zzmark2`),
      send(`${baseUrl}/node/status?zzmark3=%zz`),
      askStatus(baseUrl, {
        key: VIEWER,
        headers: { Authorization: 'Bearer zzmark4', 'X-Node-Key': 'zzmark4' },
      }),
    ])
    for (const reply of replies) {
      const whole = JSON.stringify(reply.headers) + reply.text
      expect(marks.filter((mark) => whole.includes(mark))).toEqual([])
      expect(reply.headers['content-type']).toBe('application/problem+json')
      expect(reply.json()).toMatchObject({ status: reply.status, type: expect.stringMatching(/^urn:/) })
    }
  })
})

describe('a preflight', () => {
  const ASK = {
    Origin: PAGE,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  }

  it('is told what may be asked, for two hours', async () => {
    const { baseUrl, service } = await runReference()
    const reply = await send(`${baseUrl}/node/status`, 'OPTIONS', ASK)
    expect(reply.status).toBe(204)
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'Authorization, X-Node-Key, X-Node-Timestamp, X-Node-Nonce',
      'access-control-max-age': '7200',
      allow: 'GET, HEAD, OPTIONS',
    })
    expect(service.stats().preflights).toBe(1)
  })

  it('of a page that may not is not granted', async () => {
    const { baseUrl } = await runReference()
    const reply = await send(`${baseUrl}/node/status`, 'OPTIONS', { ...ASK, Origin: 'https://evil.example' })
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([204, undefined])
  })
})

describe('the service', () => {
  it('counts what it saw', async () => {
    const { baseUrl, service, id } = await runReference()
    const first = service.nextRequest(({ path }) => path === '/node/status')
    await askStatus(baseUrl, { key: VIEWER, query: `node_id=${id(2)}` })
    await askStatus(baseUrl, { key: VIEWER })
    expect(await first).toMatchObject({ method: 'GET', node: id(2) })
    expect(service.stats()).toMatchObject({
      requests: 2,
      maxInFlight: 1,
      byPath: { '/node/status': 2 },
      byNode: { [id(0)]: { requests: 1 }, [id(2)]: { requests: 1 } },
    })
    service.resetStats()
    expect(service.stats()).toMatchObject({ requests: 0, byPath: {}, byNode: {} })
  })

  it('ends connections that hang when it is closed', async () => {
    const { baseUrl, service } = await runReference({
      faults: [{ node: '*', name: 'hang', value: undefined }],
    })
    const seen = service.nextRequest()
    const ended = askStatus(baseUrl, { key: VIEWER }).then(
      () => 'answered',
      (error: Error) => error.message,
    )
    await seen
    await service.close()
    expect(await ended).toMatch(/hang up|ECONNRESET/)
  })

  it('frees the first port when it can not have the second', async () => {
    const other = await runReference()
    const taken = Number(new URL(other.controlUrl).port)
    await expect(runReference({ controlPort: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})
