import { describe, expect, it } from 'vitest'
import { askStatus, send, testKey } from './client.ts'
import openApiDocument from '#reference/openapi.json' with { type: 'json' }
import { createFakeClock } from '#test/support/fake-clock.ts'
import { freePort } from '#test/support/free-port.ts'
import { rawAnswer } from '#test/support/raw-answer.ts'
import { runReference, VIEWER } from './running.ts'

const PAGE = 'http://localhost:7420'

describe('methods and paths', () => {
  it('a HEAD signed as HEAD is answered like GET, without the record', async () => {
    const { baseUrl } = await runReference()
    const reply = await askStatus(baseUrl, { key: VIEWER, method: 'HEAD' })
    expect([reply.status, reply.text]).toEqual([200, ''])
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(300)
  })

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])(
    '%s is refused with 405 and the allowed methods',
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

  it.each('/ /node /node/status/ /node/Status /node//status /node/%73tatus /login /faults'.split(' '))(
    '%s is answered with 404',
    async (path) => {
      const { baseUrl } = await runReference()
      const reply = await send(`${baseUrl}${path}`)
      expect([reply.status, reply.json()['code']]).toEqual([404, 'path-not-found'])
    },
  )

  it('a request body is neither read nor parsed as the next request', async () => {
    const { baseUrl, service } = await runReference()
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n'
    const reply = await rawAnswer(
      baseUrl,
      `GET / HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    )
    expect(reply.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(Object.keys(service.stats().byPath)).toEqual(['/'])
  })

  it.each([
    ['bytes that are not HTTP', 'hello there\r\n\r\n', '400'],
    ['headers over 8 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(9_000)}\r\n\r\n`, '431'],
    ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', '400'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', '400'],
  ])('the connection ends on %s', async (_, text, status) => {
    const { baseUrl } = await runReference()
    expect(await rawAnswer(baseUrl, text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })
})

describe('a connection', () => {
  const head = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}`

  it('stays open after a request without a body', async () => {
    const { baseUrl } = await runReference()
    const reply = await rawAnswer(
      baseUrl,
      `${head('/1')}\r\n${head('/2', 'Content-Length: 0\r\n')}\r\n${head('/3', 'Connection: close\r\n')}\r\n`,
    )
    expect(reply.match(/HTTP\/1\.1 404 Not Found/g)).toHaveLength(3)
  })

  it('closes after a request with a body, chunked or with a length', async () => {
    const { baseUrl } = await runReference()
    const chunked = `${head('/1', 'Transfer-Encoding: chunked\r\n')}\r\n1\r\nx\r\n0\r\n\r\n${head('/2')}\r\n`
    const answersTo = async (text: string) =>
      (await rawAnswer(baseUrl, text)).match(/^(HTTP|Connection: close)/gm)
    expect(await answersTo(chunked)).toEqual(['HTTP', 'Connection: close'])
    const counted = `${head('/3', 'Content-Length: 1\r\n')}\r\nx${head('/4')}\r\n`
    expect(await answersTo(counted)).toEqual(['HTTP', 'Connection: close'])
  })
})

it('the OpenAPI document is served without a signature and unaffected by faults', async () => {
  const { baseUrl } = await runReference({
    faults: [
      { node: '*', name: 'status-500', value: undefined },
      { node: '*', name: 'reset', value: undefined },
    ],
  })
  const reply = await send(`${baseUrl}/openapi.json`)
  expect([reply.status, reply.headers['content-type'], reply.json()]).toEqual([
    200,
    'application/vnd.oai.openapi+json;version=3.1',
    openApiDocument,
  ])
  expect((await send(`${baseUrl}/openapi.json?x=1`, 'HEAD')).text).toBe('')
  expect((await send(`${baseUrl}/openapi.json`, 'PUT')).status).toBe(405)
  expect((await send(`${baseUrl}/openapi.json`, 'OPTIONS')).status).toBe(204)
})

describe('every answer', () => {
  const headers = { Origin: PAGE }
  const signed = (query?: string) => (baseUrl: string) =>
    askStatus(baseUrl, { key: VIEWER, headers, ...(query !== undefined && { query }) })
  const answers = [
    ['200', signed(), 200],
    ['400', signed('node_id=x'), 400],
    ['401', (baseUrl: string) => send(`${baseUrl}/node/status`, 'GET', headers), 401],
    ['404', signed(`node_id=0x${'a'.repeat(64)}`), 404],
    ['404 for a path', (baseUrl: string) => send(`${baseUrl}/x`, 'GET', headers), 404],
    ['405', (baseUrl: string) => send(`${baseUrl}/node/status`, 'POST', headers), 405],
  ] as const

  it.each(answers)('%s may be read by a loopback page and is never cached', async (_, ask, status) => {
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
  })

  it('allows no other origin', async () => {
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

  it('401 says how to authenticate', async () => {
    const { baseUrl } = await runReference()
    const bare = await send(`${baseUrl}/node/status`)
    expect(bare.headers['www-authenticate']).toBe('Bearer realm="immune-node", profile="bearer-v1"')
    const wrong = await askStatus(baseUrl, { key: testKey(9) })
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"')
  })

  it('with a problem echoes nothing from the request', async () => {
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

  it('returns the allowed methods and headers, valid for 2 hours', async () => {
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

  it('is unaffected by faults of the request that follows', async () => {
    const { baseUrl } = await runReference({
      faults: [
        { node: '*', name: 'reset', value: undefined },
        { node: '*', name: 'stake', value: 5 },
        { node: '*', name: 'status-500', value: undefined },
      ],
    })
    const { status, headers } = await send(`${baseUrl}/node/status`, 'OPTIONS', ASK)
    expect([status, headers['access-control-max-age']]).toEqual([204, '7200'])
  })
})

describe('the service', () => {
  it('counts requests by path and node', async () => {
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
    await service.faults.set('*', { name: 'hang' })
    const hung = service.nextRequest(() => true)
    askStatus(baseUrl, { key: VIEWER }).catch(() => undefined)
    await hung
    service.resetStats()
    expect(service.stats()).toMatchObject({ requests: 0, maxInFlight: 1, byPath: {}, byNode: {} })
  })

  it('identifies the node of a request before it checks the signature', async () => {
    const { baseUrl, service, id } = await runReference({ enroll: true })
    const aboutOf = async (target: string, headers: Readonly<Record<string, string>> = {}) => {
      const seen = service.nextRequest()
      await send(`${baseUrl}${target}`, 'GET', headers)
      return (await seen).node
    }
    const upper = `0x${id(2).slice(2).toUpperCase()}`
    expect(await aboutOf(`/node/status?a=${id(1)}&node_id=${upper}`)).toBe(id(2))
    expect(await aboutOf(`/x?node_id=${id(2)}`)).toBeUndefined()
    expect(await aboutOf('/x', { 'X-Node-Key': VIEWER.hex })).toBeUndefined()
    expect(await aboutOf(`/node/status?node_id=${id(2)}a`)).toBeUndefined()
    expect(await aboutOf(`/node/status?node_id=a${id(2)}`)).toBeUndefined()
    expect(await aboutOf('/node/status?a=%zz')).toBeUndefined()
    expect(await aboutOf('/node/status')).toBeUndefined()
    service.keys.register(testKey(3).hex, id(4))
    expect(await aboutOf('/node/status', { 'X-Node-Key': testKey(3).hex.toUpperCase() })).toBe(id(4))
    expect(await aboutOf('/node/status', { 'X-Node-Key': 'new' })).toBe(id(0))
    const strict = await runReference()
    const seen = strict.service.nextRequest()
    await send(`${strict.baseUrl}/node/status`, 'GET', { 'X-Node-Key': 'new' })
    expect((await seen).node).toBeUndefined()
  })

  it('logs an internal error in one line, closes that connection and keeps serving', async () => {
    const lines: string[] = []
    const clock = createFakeClock()
    const state = { isBroken: false }
    const wallMs = (): number => {
      if (state.isBroken) throw new Error('no time')
      return clock.wallMs()
    }
    const { baseUrl } = await runReference({ clock: { ...clock, wallMs }, log: (line) => lines.push(line) })
    state.isBroken = true
    await expect(send(`${baseUrl}/x`)).rejects.toThrow(/hang up|ECONNRESET/)
    expect(lines).toEqual(['reference service: no time'])
    state.isBroken = false
    expect((await send(`${baseUrl}/x`)).status).toBe(404)
  })

  it('closes hanging connections when it stops', async () => {
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

  it('does not start if its control port is in use, and frees its first port', async () => {
    const other = await runReference()
    const taken = Number(new URL(other.controlUrl).port)
    const port = await freePort()
    await expect(runReference({ port, controlPort: taken })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect((await runReference({ port })).baseUrl).toContain(`:${port}`)
  })
})
