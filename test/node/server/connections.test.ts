import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CONNECTION_LIMITS } from '#server/connections.ts'
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

it('a thousand requests at once are all answered', async () => {
  const many = 1_000
  const { url } = await startTestServer({ rateLimit: 2 * many })
  const answers = await Promise.all(Array.from({ length: many }, () => ask(url, '/config.json')))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})
