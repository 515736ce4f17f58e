import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createListener, createListeners } from '#reference/listener.ts'
import { send } from './client.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const answer: Handle = async (_request, response) => {
  response.end('here')
}

function listener(handle: Handle = answer) {
  const bugs: unknown[] = []
  const made = createListener('127.0.0.1', handle, (error) => bugs.push(error))
  onTestFinished(() => made.stop())
  return { ...made, bugs }
}
const at = (port: number): string => `http://127.0.0.1:${port}/`
const isThere = (port: number): Promise<string> =>
  send(at(port)).then(
    ({ text }) => text,
    (error: NodeJS.ErrnoException) => error.code ?? 'failed',
  )

describe('a listener', () => {
  it('listens on its port and can be stopped and restarted', async () => {
    const { listen, stop } = listener()
    const port = await listen(0)
    expect(await isThere(port)).toBe('here')
    await stop()
    expect(await isThere(port)).toBe('ECONNREFUSED')
    await stop()
    expect(await listen(port)).toBe(port)
    expect(await isThere(port)).toBe('here')
  })

  it('closes idle connections when it stops', async () => {
    const { listen, stop } = listener()
    const socket: Socket = connect(await listen(0), '127.0.0.1')
    await once(socket, 'connect')
    const ended = once(socket, 'close')
    socket.on('error', () => undefined)
    await stop()
    await ended
    expect(socket.destroyed).toBe(true)
  })

  it('survives a reset connection', async () => {
    const { listen, bugs } = listener()
    const port = await listen(0)
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET / HT')
    socket.resetAndDestroy()
    await once(socket, 'close')
    expect([await isThere(port), bugs]).toEqual(['here', []])
  })
})

describe('the two listeners of a service', () => {
  function both(wanted = { port: 0, controlPort: 0 }) {
    const state = { isRefused: false }
    const [main, control] = [listener(), listener()]
    const listeners = createListeners(main, control, wanted, () => state.isRefused)
    return { ...listeners, state }
  }

  it('both listen; the first stops while connections are refused', async () => {
    const { listen, sync, state } = both()
    const { port, controlPort } = await listen()
    const now = async () => [await isThere(port), await isThere(controlPort)]
    expect(await now()).toEqual(['here', 'here'])
    state.isRefused = true
    expect(await now()).toEqual(['here', 'here'])
    await sync()
    expect(await now()).toEqual(['ECONNREFUSED', 'here'])
    await sync()
    state.isRefused = false
    await sync()
    expect(await now()).toEqual(['here', 'here'])
    await sync()
    expect(await now()).toEqual(['here', 'here'])
    state.isRefused = true
    await sync()
    expect(await now()).toEqual(['ECONNREFUSED', 'here'])
  })

  it('apply rapid changes one after another', async () => {
    const { listen, sync, state } = both()
    const { port } = await listen()
    state.isRefused = true
    const down = sync()
    state.isRefused = false
    await Promise.all([down, sync(), sync()])
    expect(await isThere(port)).toBe('here')
  })
})
