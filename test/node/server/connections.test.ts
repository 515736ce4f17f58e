import { EventEmitter, once } from 'node:events'
import type http from 'node:http'
import { connect, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readAddressList } from '#server/address-guard.ts'
import { boundConnections, CONNECTION_LIMITS, type ConnectionLimits } from '#server/connections.ts'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** A connection that is open; it never sends what would make a request whole. */
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
  it('have five seconds for the head of a request, the time until that is looked at included', () => {
    const { headersMs, checkEveryMs } = CONNECTION_LIMITS
    expect(headersMs + checkEveryMs).toBe(5_000)
  })

  it('are ended when the head of their request does not come in time, begun or not', async () => {
    const { url } = await startTestServer({
      limits: { ...CONNECTION_LIMITS, headersMs: 40, checkEveryMs: 20 },
    })
    const silent = await slowConnection(url)
    const begun = await slowConnection(url)
    begun.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    await Promise.all([closed(silent), closed(begun)])
    expect((await ask(url, '/')).status).toBe(200)
  })

  it('lock nobody out: beyond the limit the one that waits longest makes room', async () => {
    const { url } = await startTestServer({ limits: { ...CONNECTION_LIMITS, most: 3 } })
    const first = await slowConnection(url)
    const firstClosed = closed(first)
    const others = [await slowConnection(url), await slowConnection(url)]
    expect((await ask(url, '/')).status).toBe(200)
    await firstClosed
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false])
  })

  it('take no place from requests that are under way', async () => {
    let answerAll = (): void => undefined
    const held = new Promise<void>((resolve) => (answerAll = resolve))
    let underWay = 0
    let allThere = (): void => undefined
    const all = new Promise<void>((resolve) => (allThere = resolve))
    const { url } = await startTestServer({
      limits: { ...CONNECTION_LIMITS, most: 2 },
      pages: () => async (_request, response) => {
        underWay += 1
        if (underWay === 2) allThere()
        await held
        response.end('answered')
      },
    })
    const requests = [ask(url, '/'), ask(url, '/')]
    await all
    await closed(await slowConnection(url))
    answerAll()
    expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([200, 200])
  })
})

/** As a server sees a connection that a client of that address made. */
function connectionFrom(server: http.Server, address: string | undefined, port = 1) {
  const socket = new Socket()
  Object.defineProperties(socket, { remoteAddress: { value: address }, remotePort: { value: port } })
  // Node itself would answer it.
  server.emit('connection', socket)
  return socket
}

const bounded = (limits: Partial<ConnectionLimits>, inFront: readonly string[] = []) => {
  const server = new EventEmitter() as http.Server
  boundConnections(server, { ...CONNECTION_LIMITS, ...limits }, readAddressList(inFront) ?? (() => false))
  onTestFinished(() => void server.emit('close'))
  return server
}

describe('connections of one address', () => {
  it.each(['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', '1127.0.0.1', '::11', '::127.0.0.1'])(
    'are few, and others’ have room still: %s',
    (address) => {
      const server = bounded({ mostOfOne: 2 })
      const sockets = [1, 2, 3].map((port) => connectionFrom(server, address, port))
      expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true])
      expect(connectionFrom(server, '192.0.2.2').destroyed).toBe(false)
    },
  )

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '10.1.2.3'])(
    'are as many as there are for this computer, and for a server in front: %s',
    (address) => {
      const server = bounded({ mostOfOne: 1 }, ['10.0.0.0/8'])
      const sockets = [1, 2, 3].map((port) => connectionFrom(server, address, port))
      expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false])
    },
  )

  it('make room for others when they end', async () => {
    const server = bounded({ mostOfOne: 2, most: 3 })
    const [first] = [1, 2].map((port) => connectionFrom(server, '192.0.2.1', port))
    expect(connectionFrom(server, '192.0.2.1', 3).destroyed).toBe(true)
    first?.destroy()
    if (first !== undefined) await once(first, 'close')
    expect(connectionFrom(server, '192.0.2.1', 4).destroyed).toBe(false)
    expect(connectionFrom(server, '192.0.2.1', 5).destroyed).toBe(true)
  })

  it('that are gone already are let go', () => {
    const server = bounded({ most: 1 })
    expect(connectionFrom(server, undefined).destroyed).toBe(true)
    const there = connectionFrom(server, '192.0.2.1')
    // It took no place.
    expect(there.destroyed).toBe(false)
  })
})

describe('all connections together', () => {
  it('are so many: the one that waits longest makes room, and what ended counts no more', async () => {
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

  it('wait again after an answer, behind those that wait longer', () => {
    const server = bounded({ most: 2 })
    const [first, second] = [1, 2].map((port) => connectionFrom(server, '192.0.2.1', port))
    const response = new EventEmitter()
    server.emit('request', { socket: first }, response)
    // With another's request under way the second is the only one that waits.
    response.emit('close')
    const third = connectionFrom(server, '192.0.2.1', 3)
    expect([first?.destroyed, second?.destroyed, third.destroyed]).toEqual([false, true, false])
    const fourth = connectionFrom(server, '192.0.2.1', 4)
    expect([first?.destroyed, third.destroyed, fourth.destroyed]).toEqual([true, false, false])
  })

  it('that ended with their answer wait no more', async () => {
    const server = bounded({ most: 1 })
    const first = connectionFrom(server, '192.0.2.1', 1)
    const response = new EventEmitter()
    server.emit('request', { socket: first }, response)
    first.destroy()
    await once(first, 'close')
    response.emit('close')
    const [second, third] = [2, 3].map((port) => connectionFrom(server, '192.0.2.1', port))
    expect([second?.destroyed, third?.destroyed]).toEqual([true, false])
  })
})

describe('whoever does not take an answer', () => {
  /** An answer that was made, of which so many bytes wait to be taken. */
  function answer(server: http.Server, waitingBytes: number) {
    const socket = { destroyed: 0, writableLength: waitingBytes, destroy: () => void socket.destroyed++ }
    const made: { writableEnded: boolean; socket: typeof socket | null } = { writableEnded: false, socket }
    const response = Object.assign(new EventEmitter(), made)
    server.emit('request', { socket: {} }, response)
    return { socket, response }
  }
  const limits = { answerMs: 1_000, answerBytesPerS: 100, checkEveryMs: 10 }
  const clocked = () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    return bounded(limits)
  }

  it('has its time, and beside that more for a longer one', () => {
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

  it('is left alone once it has it, and while another answer goes first', () => {
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

  it('is looked at no more when the server has ended', () => {
    const server = clocked()
    expect(vi.getTimerCount()).toBe(1)
    server.emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a thousand requests at once are all answered', async () => {
  const many = 1_000
  const { url } = await startTestServer({ rateLimit: 2 * many })
  const answers = await Promise.all(Array.from({ length: many }, () => ask(url, '/config.json')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
