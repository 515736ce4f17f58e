import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHttpClient, failureOfError } from '#node/http-client.ts'
import { startSocketUpstream } from '#test/node/server/upstream-server.ts'

const REPLY = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

describe('a keep-alive connection', () => {
  /** A service that answers the n-th request, counted over all connections, with the n-th act. */
  async function answering(
    acts: readonly ((socket: Socket) => void)[],
    options: { keepAlive?: boolean } = {},
  ) {
    const seen = { connections: 0, requests: 0 }
    const baseUrl = await startSocketUpstream((socket) => {
      seen.connections += 1
      socket.on('data', () => {
        acts[seen.requests]?.(socket)
        seen.requests += 1
      })
    })
    const client = createHttpClient({ connections: 1, ...options })
    onTestFinished(client.close)
    const request = { url: new URL(baseUrl), headers: {}, timeoutMs: 60_000, bodyMaxBytes: 1_000 }
    const { signal } = new AbortController()
    return { seen, ask: () => client.send(request, signal) }
  }
  const replies = (socket: Socket) => void socket.write(REPLY)
  const resets = (socket: Socket) => void socket.resetAndDestroy()

  it('is replaced, and the request sent again, if it resets before a reply', async () => {
    const { seen, ask } = await answering([replies, resets, replies])
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(seen).toEqual({ connections: 2, requests: 3 })
  })

  const refuses = (socket: Socket) => void socket.write(REPLY.replace('200 OK', '401 Unauthorized'))
  const speaksSsh = (socket: Socket) => void socket.end('SSH-2.0\r\n')
  const breaks = (socket: Socket) => void socket.write('HTTP/1.1 2', () => socket.resetAndDestroy())
  it.each([
    ['sends a request again only once', [replies, resets, resets, replies], 'reset', 2, 3],
    ['reports the reset if the request sent again is refused', [replies, resets, refuses], 'reset', 2, 3],
    ['sends none again after a reply that is not HTTP', [replies, speaksSsh, replies], 'not-http', 1, 2],
    ['sends none again that opened the connection', [resets, replies], 'reset', 1, 1],
    ['sends none again once a byte of the reply has arrived', [replies, breaks, replies], 'reset', 1, 2],
  ])('%s', async (_what, acts, error, connections, requests) => {
    const { seen, ask } = await answering(acts)
    if (acts[0] === replies) expect((await ask()).ok).toBe(true)
    expect(await ask()).toEqual({ ok: false, error })
    expect(seen).toEqual({ connections, requests })
  })

  it('does not exist with keepAlive: false: each request opens its own and is sent once', async () => {
    const { seen, ask } = await answering([replies, replies, resets, replies], { keepAlive: false })
    expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true])
    expect(await ask()).toEqual({ ok: false, error: 'reset' })
    expect(seen).toEqual({ connections: 3, requests: 3 })
  })
})

describe('a proxy set in the environment', () => {
  /** A proxy that records request lines and answers plain HTTP requests itself. */
  async function proxying(
    env: (url: string) => Record<string, string>,
    refuses?: (socket: Socket, expire: () => void) => void,
  ) {
    const asked: string[] = []
    let expire = (): void => undefined
    const after = (_ms: number, run: () => void) => {
      expire = run
      return () => undefined
    }
    const proxy = await startSocketUpstream((socket) => {
      socket.on('data', (data) => {
        asked.push(String(data).split('\r\n')[0] ?? '')
        if (refuses !== undefined) refuses(socket, () => expire())
        else if (String(data).startsWith('CONNECT')) socket.write('HTTP/1.1 200 OK\r\n\r\n')
        else socket.write(REPLY)
      })
    })
    for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
      vi.stubEnv(name, undefined)
    for (const [name, value] of Object.entries(env(proxy))) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const client = createHttpClient({ after, resolve: (_, answer) => answer(null, []) })
    onTestFinished(client.close)
    const request = { headers: {}, timeoutMs: 60_000, bodyMaxBytes: 1_000 }
    const { signal } = new AbortController()
    const ask = async (url: string, reach?: 'public') =>
      client.send({ ...request, url: new URL(url), ...(reach && { reach }) }, signal)
    return { asked, ask }
  }

  it.each([{}, { http_proxy: '', https_proxy: '' }])(
    'receives a request, even if %j is set too',
    async (env) => {
      const { asked, ask } = await proxying((proxy) => ({ HTTP_PROXY: proxy, ...env }))
      await ask('http://service.example/node/status')
      expect(asked[0]).toMatch(/^(CONNECT service\.example:80|GET http:\/\/service\.example)/)
    },
  )

  it.each([
    ['with a restricted reach', 'http://service.example/', 'public', {}],
    ['to a host in NO_PROXY', 'http://service.example/', undefined, { NO_PROXY: 'service.example' }],
    ['to this computer', 'http://localhost:1/', undefined, {}],
  ] as const)('gets no request %s', async (_what, url, reach, env) => {
    const { asked, ask } = await proxying((proxy) => ({ HTTP_PROXY: proxy, ...env }))
    expect((await ask(url, reach)).ok).toBe(false)
    expect(asked).toEqual([])
  })

  const says = (text: string) => (socket: Socket) => void socket.end(text)
  it.each<readonly [string, (socket: Socket, expire: () => void) => void]>([
    ['does not answer in time', (_socket, expire) => expire()],
    ['refuses it', says('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')],
    ['closes the connection', says('')],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['does not speak HTTP', says('SSH-2.0\r\n\r\n')],
  ])('opens no tunnel if it %s; the service is not blamed, and it is asked once', async (_what, refuses) => {
    const { asked, ask } = await proxying((proxy) => ({ HTTP_PROXY: proxy }), refuses)
    for (const url of ['http://service.example/', 'https://service.example/'])
      expect(await ask(url)).toEqual({ ok: false, error: 'no-tunnel' })
    expect(asked).toHaveLength(2)
  })

  it('opens no tunnel if it does not answer, although it has refused another one to the same service', async () => {
    const expiries: (() => void)[] = []
    const { ask } = await proxying(
      (proxy) => ({ HTTP_PROXY: proxy }),
      (socket, expire) => {
        if (expiries.push(expire) === 1) socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      },
    )
    const asked = ['/first', '/second'].map(async (path) => ask(`http://service.example${path}`))
    await Promise.race(asked)
    await vi.waitUntil(() => expiries.length === 2)
    expiries.at(-1)?.()
    expect(await Promise.all(asked)).toEqual([
      { ok: false, error: 'no-tunnel' },
      { ok: false, error: 'no-tunnel' },
    ])
  })

  it('opens no tunnel if nothing listens there', async () => {
    const { ask } = await proxying(() => ({ HTTP_PROXY: 'http://127.0.0.1:1' }))
    expect(await ask('http://service.example/')).toEqual({ ok: false, error: 'no-tunnel' })
  })

  it('is not blamed if the service resets a connection through its tunnel', async () => {
    const resets = (socket: Socket) => {
      socket.removeAllListeners('data').once('data', () => socket.resetAndDestroy())
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
    }
    const { ask } = await proxying((proxy) => ({ HTTP_PROXY: proxy }), resets)
    expect(await ask('http://service.example/')).toEqual({ ok: false, error: 'reset' })
  })
})

describe('a connection error', () => {
  it.each(
    Object.entries({
      refused: 'ECONNREFUSED EADDRNOTAVAIL EACCES EPERM',
      'no-route': 'EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT ETIMEDOUT EHOSTDOWN',
      'headers-too-large': 'UND_ERR_HEADERS_OVERFLOW',
      dns: 'ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME',
      tls: 'CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID UNABLE_TO_VERIFY_LEAF_SIGNATURE DEPTH_ZERO_SELF_SIGNED_CERT CRL_HAS_EXPIRED SELF_SIGNED_CERT_IN_CHAIN HOSTNAME_MISMATCH INVALID_CA',
      'tls-handshake':
        'ERR_SSL_WRONG_VERSION_NUMBER ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION EPROTO',
      blocked: 'EADDRBLOCKED',
      reset: 'ECONNRESET X_CERT_HAS_EXPIRED',
      'not-http': 'HPE_INVALID_CONSTANT HPE_INVALID_HEADER_TOKEN HPE_CR_EXPECTED',
    }).flatMap(([failure, codes]) => codes.split(' ').map((code) => [code, failure] as const)),
  )('%s is %s', (code, failure) =>
    expect(failureOfError(Object.assign(new Error('x'), { code }))).toBe(failure),
  )
})

describe('a name with an IPv4 and an IPv6 address', () => {
  const LISTENS = `require('node:net')
    .createServer((socket) => socket.on('data', () => socket.end(${JSON.stringify(REPLY)})).on('error', () => undefined))
    .listen({ host: process.argv[1], port: Number(process.argv[2]), backlog: 1 }, function () {
      process.send(this.address().port)
    })`

  /** A stopped process with a full backlog: a further connection waits until `goOn` resumes the process. */
  async function deafListener(host: string, port = 0) {
    const child = spawn(process.execPath, ['-e', LISTENS, host, String(port)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [at] = await once(child, 'message')
    child.kill('SIGSTOP')
    for (let kept = 0; kept < 2; kept++) {
      const socket = connect({ host, port: Number(at) })
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined)
      await once(socket, 'connect')
    }
    return { port: Number(at), goOn: () => child.kill('SIGCONT') }
  }

  it.each([
    ['first', ['127.0.0.1', '::1']],
    ['last', ['::1', '127.0.0.1']],
  ])(
    'is reached if the address listed %s takes a second to connect and the other is dead',
    async (_place, addresses) => {
      const slow = await deafListener('127.0.0.1')
      await deafListener('::1', slow.port)
      const found = addresses.map((address) => ({ address, family: address === '::1' ? 6 : 4 }))
      const client = createHttpClient({
        resolve: (_name, answer) => answer(null, found),
      })
      onTestFinished(client.close)
      // TCP sends the lost SYN again after one second.
      setTimeout(slow.goOn, 500)
      const url = new URL(`http://two.example:${slow.port}`)
      const request = { url, headers: {}, timeoutMs: 20_000, bodyMaxBytes: 1_000 }
      expect(await client.send(request, new AbortController().signal)).toMatchObject({ ok: true })
    },
  )
})
