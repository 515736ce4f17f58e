import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { CONNECTION_LIMITS } from '#server/connections.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { ask } from './http-client.ts'
import { startTestServer } from './test-server.ts'

/** Short enough for a test, and long enough to open 1,000 connections on a busy computer. */
const LIMITS = {
  ...CONNECTION_LIMITS,
  headersMs: 6_000,
  requestMs: 7_000,
  answerMs: 2_000,
  bytesPerS: 100_000_000,
  bodyMs: 6_000,
  checkEveryMs: 200,
}
const NODES = 20_000
/** More than the system buffers for a connection that nobody reads from. */
const BIG = Buffer.alloc(16_000_000, 'x')
/** The limit for 1,000 connections: far less than one copy of an answer for each slow reader. */
const MEMORY_MAX_BYTES = 60_000_000

type SlowClient = { readonly socket: Socket; readonly closed: Promise<unknown>; readonly reads: boolean }

/** Sends only `text`. A client that does not read does not notice the end of its connection either. */
async function slowClient(url: string, text: string, reads: boolean): Promise<SlowClient> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  if (reads) socket.resume()
  socket.write(text)
  return { socket, closed, reads }
}

const openFiles = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)

/** The bytes in buffers; the rest of the heap is mostly garbage yet to be collected. */
const memory = (): number => process.memoryUsage().arrayBuffers

it('1,000 slow clients block nobody else, use bounded memory and are disconnected', async () => {
  const nodes = Array.from({ length: NODES }, (_, n) => ({
    id: `0x${n.toString(16).padStart(120, '0')}`,
    name: `a node with quite a long name of its own, ${n}`,
  }))
  const config = parseServerConfig({ version: 1, services: [{ baseUrl: 'https://node.example' }], nodes })
  if (!config.ok) throw new Error('not a configuration')
  const { url, host } = await startTestServer({
    config: config.value,
    limits: LIMITS,
    rateLimit: 100_000,
    pages: () => async (_request, response, path) => {
      response.end(path === '/big' ? BIG : 'answered')
    },
  })
  await ask(url, '/config.json')
  const [filesBefore, memoryBefore] = [openFiles(), memory()]
  const ownPage = `Host: ${host}\r\nOrigin: http://${host}\r\nSec-Fetch-Site: same-origin\r\n`
  const reader = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const kinds = [
    { inRound: 30, text: `GET / HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, reads: true },
    { inRound: 30, text: `POST /services HTTP/1.1\r\n${ownPage}Content-Length: 60\r\n\r\n{"`, reads: true },
    { inRound: 20, text: '', reads: true },
    { inRound: 12, text: reader('/big'), reads: false },
    { inRound: 8, text: reader('/config.json'), reads: false },
  ]
  const clients: SlowClient[] = []
  for (let round = 0; round < 10; round++)
    clients.push(
      ...(await Promise.all(
        kinds.flatMap(({ inRound, text, reads }) =>
          Array.from({ length: inRound }, () => slowClient(url, text, reads)),
        ),
      )),
    )
  expect(clients).toHaveLength(1_000)

  const healthy = await Promise.all(Array.from({ length: 20 }, () => ask(url, '/')))
  expect(healthy.map(({ body }) => body.toString())).toEqual(Array.from({ length: 20 }, () => 'answered'))
  expect(memory() - memoryBefore).toBeLessThan(MEMORY_MAX_BYTES)
  // Both ends are in this process.
  expect(openFiles() - filesBefore).toBeLessThan(2 * LIMITS.most + 50)

  await Promise.all(clients.filter(({ reads }) => reads).map(({ closed }) => closed))
  // These are disconnected by now too; what is left to read was buffered by the system.
  const late = clients.filter(({ reads }) => !reads)
  for (const { socket } of late) socket.resume()
  await Promise.all(late.map(({ closed }) => closed))
  expect(Math.max(...late.map(({ socket }) => socket.bytesRead))).toBeLessThan(BIG.length)
  expect((await ask(url, '/')).body.toString()).toBe('answered')
  expect(openFiles() - filesBefore).toBeLessThan(50)
}, 45_000)
