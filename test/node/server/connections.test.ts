import { EventEmitter, once } from 'node:events'
import type http from 'node:http'
import { connect, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readAddressList } from '#node/address-guard.ts'
import { boundConnections, CONNECTION_LIMITS, type ConnectionLimits } from '#server/connections.ts'
import type { DashboardServerOptions } from '#server/dashboard-server.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** An open connection that never sends a complete request. */
async function slowConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const closed = (socket: Socket): Promise<unknown> => {
  socket.resume()
  return once(socket, 'close')
}

describe('slow connections', () => {
  it('have 5 s for the request headers, including the check interval', () => {
    const { headersMs, checkEveryMs } = CONNECTION_LIMITS
    expect(headersMs + checkEveryMs).toBe(5_000)
  })

  it('are closed if the request headers are late, begun or not', async () => {
    const { url } = await startTestServer({
      limits: { ...CONNECTION_LIMITS, headersMs: 40, checkEveryMs: 20 },
    })
    const silent = await slowConnection(url)
    const begun = await slowConnection(url)
    begun.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    await Promise.all([closed(silent), closed(begun)])
    expect((await ask(url, '/')).status).toBe(200)
  })

  it('lock nobody out: at the limit the longest waiting one gives way', async () => {
    const { url } = await startTestServer({ limits: { ...CONNECTION_LIMITS, most: 3 } })
    const first = await slowConnection(url)
    const firstClosed = closed(first)
    const others = [await slowConnection(url), await slowConnection(url)]
    expect((await ask(url, '/')).status).toBe(200)
    await firstClosed
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  it('do not displace requests in progress', async () => {
    const held = withResolvers()
    let underWay = 0
    const all = withResolvers()
    const { url } = await startTestServer({
      limits: { ...CONNECTION_LIMITS, most: 2 },
      pages: () => async (_request, response) => {
        underWay += 1
        if (underWay === 2) all.resolve()
        await held.promise
        response.end('answered')
      },
    })
    const requests = [ask(url, '/'), ask(url, '/')]
    await all.promise
    await closed(await slowConnection(url))
    held.resolve()
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200])
  })
})

/** A connection from this address, as the server sees it. */
function connectionFrom(server: http.Server, address: string | undefined, port = 1) {
  const socket = new Socket()
  Object.defineProperties(socket, { remoteAddress: { value: address }, remotePort: { value: port } })
  server.emit('connection', socket)
  return socket
}

const bounded = (limits: Partial<ConnectionLimits>, inFront: readonly string[] = []) => {
  const server = new EventEmitter() as http.Server
  const isInFront = readAddressList(inFront) ?? (() => false)
  // A trusted proxy names its visitor in the header.
  const addressOf = ({ headers }: http.IncomingMessage) => String(headers['x-forwarded-for'])
  boundConnections(server, { ...CONNECTION_LIMITS, ...limits }, { isInFront, addressOf })
  onTestFinished(() => void server.emit('close'))
  return server
}

/** A request on this connection, complete or not. */
function requestOn(server: http.Server, socket: Socket, more: { complete?: boolean; visitor?: string } = {}) {
  const response = Object.assign(new EventEmitter(), { writableEnded: false, socket })
  const headers = { 'x-forwarded-for': more.visitor }
  const request = { socket, complete: more.complete ?? true, headers }
  server.emit('request', request, response)
  return { request, response }
}

describe('connections of one address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0:ffff::2'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2002:c000:201::1', '2002:c000:201:1::1'],
    ['64:ff9b::192.0.2.1', '192.0.2.1'],
    ['1127.0.0.1', '1127.0.0.1'],
    ['::11', '::11'],
    ['::127.0.0.1', '::127.0.0.1'],
  ])('are limited: the longest idle one gives way, other addresses keep theirs: %s and %s', (one, same) => {
    const server = bounded({ mostOfOne: 2 })
    const other = connectionFrom(server, '192.0.2.2')
    const sockets = [one, same, one].map((address, port) => connectionFrom(server, address, port + 1))
    expect([other, ...sockets].map(({ destroyed }) => destroyed)).toEqual([false, true, false, false])
  })

  it.each([
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['192.0.2.1', '192.0.2.2'],
    ['64:ff9b::192.0.2.1', '64:ff9b::192.0.2.2'],
  ])('are counted apart from those of a neighbouring network: %s and %s', (one, other) => {
    const server = bounded({ mostOfOne: 1 })
    const sockets = [one, other].map((address) => connectionFrom(server, address))
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  it('do not give way while all have a request in progress', () => {
    const server = bounded({ mostOfOne: 2 })
    for (const port of [1, 2]) requestOn(server, connectionFrom(server, '192.0.2.1', port))
    expect(connectionFrom(server, '192.0.2.1', 3).destroyed).toBe(true)
    expect(connectionFrom(server, '192.0.2.2').destroyed).toBe(false)
  })

  it('include those of a trusted proxy while they carry a request of the address', () => {
    const server = bounded({ mostOfOne: 2 }, ['10.0.0.0/8'])
    const sockets = [1, 2, 3, 4, 5].map((port) => connectionFrom(server, '10.0.0.1', port))
    const begin = (index: number, visitor: string) => {
      const socket = sockets[index] ?? new Socket()
      return { socket, ...requestOn(server, socket, { visitor }) }
    }
    const [first, second, third] = [0, 1, 2].map((index) => begin(index, '2001:db8::1'))
    expect([first, second, third].map((each) => each?.socket.destroyed)).toEqual([false, false, true])
    expect(begin(3, '192.0.2.1').socket.destroyed).toBe(false)
    first?.response.emit('close')
    expect(begin(4, '2001:db8::2').socket.destroyed).toBe(false)
    expect(begin(0, '2001:db8::3').socket.destroyed).toBe(true)
  })

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '10.1.2.3'])(
    'are unlimited for loopback and trusted proxies: %s',
    (address) => {
      const server = bounded({ mostOfOne: 1 }, ['10.0.0.0/8'])
      const sockets = [1, 2, 3].map((port) => connectionFrom(server, address, port))
      expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    },
  )

  it('free their slots when they close', async () => {
    const server = bounded({ mostOfOne: 2, most: 3 })
    const [first, second] = [1, 2].map((port) => connectionFrom(server, '192.0.2.1', port))
    for (const socket of [first, second]) if (socket !== undefined) requestOn(server, socket)
    expect(connectionFrom(server, '192.0.2.1', 3).destroyed).toBe(true)
    first?.destroy()
    if (first !== undefined) await once(first, 'close')
    const fourth = connectionFrom(server, '192.0.2.1', 4)
    expect(fourth.destroyed).toBe(false)
    requestOn(server, fourth)
    expect(connectionFrom(server, '192.0.2.1', 5).destroyed).toBe(true)
  })

  it('do not count if they are refused because the server is full', async () => {
    const server = bounded({ most: 1, mostOfOne: 1 })
    const working = connectionFrom(server, '192.0.2.1')
    requestOn(server, working)
    expect(connectionFrom(server, '192.0.2.2').destroyed).toBe(true)
    working.destroy()
    await once(working, 'close')
    expect(connectionFrom(server, '192.0.2.2').destroyed).toBe(false)
  })
})

describe('all connections together', () => {
  it('give way in this order: an incomplete request, an idle one, an unread answer', () => {
    const server = bounded({ most: 4 })
    const from = (port: number) => connectionFrom(server, '192.0.2.1', port)
    const [working, untaken, idle, incomplete] = [from(1), from(2), from(3), from(4)]
    requestOn(server, working)
    requestOn(server, untaken).response.writableEnded = true
    requestOn(server, incomplete, { complete: false })
    const all = [incomplete, idle, untaken, working]
    const ended = [5, 6, 7].map((port) => {
      requestOn(server, connectionFrom(server, '192.0.2.2', port))
      return all.filter(({ destroyed }) => destroyed).length
    })
    expect([ended, all.map(({ destroyed }) => destroyed)]).toEqual([
      [1, 2, 3],
      [true, true, true, false],
    ])
    expect(connectionFrom(server, '192.0.2.3').destroyed).toBe(true)
  })

  it('are limited: the longest waiting one gives way, and closed ones no longer count', async () => {
    const server = bounded({ most: 2 })
    const [first, second, third] = [1, 2, 3].map((port) => connectionFrom(server, '192.0.2.1', port))
    expect([first?.destroyed, second?.destroyed, third?.destroyed]).toEqual([true, false, false])
    second?.destroy()
    await Promise.all([first, second].flatMap((socket) => (socket ? [once(socket, 'close')] : [])))
    const fourth = connectionFrom(server, '192.0.2.1', 4)
    expect([third?.destroyed, fourth.destroyed]).toEqual([false, false])
    const fifth = connectionFrom(server, '192.0.2.1', 5)
    expect([third?.destroyed, fourth.destroyed, fifth.destroyed]).toEqual([true, false, false])
  })
})

describe('a body', () => {
  const head = (method: string, length: number) =>
    `${method} /services HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${length}\r\n\r\n`
  const never: DashboardServerOptions['pages'] = () => () => new Promise(() => undefined)

  it.each(['GET', 'POST', 'DELETE'])(
    'that does not arrive in time closes its connection: %s',
    async (method) => {
      const limits = { ...CONNECTION_LIMITS, bodyMs: 40, checkEveryMs: 20 }
      const { url } = await startTestServer({ limits, pages: never })
      const socket = await slowConnection(url)
      socket.write(head(method, 60).replace('/services', '/'))
      await closed(socket)
    },
  )

  it('gets more time while it arrives at the minimum rate', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const server = bounded({ bodyMs: 1_000, bytesPerS: 100, checkEveryMs: 10 })
    const socket = connectionFrom(server, '192.0.2.1')
    let bytesRead = 500
    Object.defineProperty(socket, 'bytesRead', { get: () => bytesRead })
    requestOn(server, socket, { complete: false })
    bytesRead += 50
    vi.advanceTimersByTime(1_500)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(20)
    expect(socket.destroyed).toBe(true)
  })
})

describe('pipelined requests', () => {
  const request = (host: string, path = '/config.json') => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`

  it('are all answered, in their order', async () => {
    const { url, host } = await startTestServer()
    const socket = await slowConnection(url)
    let answers = ''
    socket.on('data', (part: Buffer) => (answers += part.toString()))
    socket.write(`${request(host)}${request(host, '/none')}`.repeat(10))
    const statuses = () => Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status)
    await expect.poll(statuses).toEqual(Array.from({ length: 10 }, () => ['200', '404']).flat())
  })

  it('start only after the previous answer, and close the connection if too many wait', async () => {
    let begun = 0
    const pages: DashboardServerOptions['pages'] = () => async () => {
      begun += 1
      await new Promise(() => undefined)
    }
    const { url, host } = await startTestServer({ pages })
    const socket = await slowConnection(url)
    const ended = closed(socket)
    socket.write(request(host).replace('/config.json', '/').repeat(1_500))
    await ended
    expect(begun).toBe(1)
    expect((await ask(url, '/config.json')).status).toBe(200)
  })
})

describe('an unread answer', () => {
  /** An answer of which the client has yet to read this many bytes. */
  function answer(server: http.Server, waitingBytes: number) {
    const socket = { destroyed: 0, writableLength: waitingBytes, destroy: () => void socket.destroyed++ }
    const made: { writableEnded: boolean; socket: typeof socket | null } = { writableEnded: false, socket }
    const response = Object.assign(new EventEmitter(), made)
    const whole = Object.assign(connectionFrom(server, '192.0.2.1', ++port), { destroy: socket.destroy })
    server.emit('request', { socket: whole, complete: true }, response)
    return { socket, response }
  }
  let port = 0
  const limits = { answerMs: 1_000, bytesPerS: 100, checkEveryMs: 10 }
  const clocked = () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    return bounded(limits)
  }

  it('closes its connection after a fixed time plus time for its length', () => {
    const server = clocked()
    const { socket, response } = answer(server, 50)
    vi.advanceTimersByTime(60_000)
    expect(socket.destroyed).toBe(0)
    response.writableEnded = true
    vi.advanceTimersByTime(1_510)
    expect(socket.destroyed).toBe(0)
    vi.advanceTimersByTime(10)
    expect(socket.destroyed).toBe(1)
  })

  it('keeps its connection once it is read, and while another answer goes first', () => {
    const server = clocked()
    const taken = answer(server, 0)
    const waiting = answer(server, 0)
    taken.response.writableEnded = true
    waiting.response.writableEnded = true
    waiting.response.socket = null
    taken.response.emit('close')
    vi.advanceTimersByTime(60_000)
    expect([taken.socket.destroyed, waiting.socket.destroyed]).toEqual([0, 0])
  })
})

it('1,000 concurrent requests are all answered', async () => {
  const many = 1_000
  const { url } = await startTestServer({ rateLimit: 2 * many })
  const answers = await Promise.all(Array.from({ length: many }, () => ask(url, '/config.json')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
