import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Exposition } from '#collector/exposition.ts'
import { startMetricsServer } from '#collector/metrics-server.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'

/** Hardly packed smaller. */
const PART = randomBytes(49_152).toString('base64')
/** More than what both ends of a connection hold. */
const PARTS = 1_000
const LONGEST_MS = 60_000

async function start(count = PARTS) {
  const clock = createFakeClock()
  const scrapes = { begun: 0, made: 0, ended: 0, failed: 0 }
  async function* parts(): AsyncGenerator<string> {
    scrapes.begun++
    try {
      for (let index = 0; index < count; index++) {
        scrapes.made++
        yield PART
      }
    } catch (error) {
      scrapes.failed++
      throw error
    } finally {
      scrapes.ended++
    }
  }
  const exposition: Pick<Exposition, 'render'> = {
    render: () => ({ contentType: 'text/plain', parts: parts() }),
  }
  const server = await startMetricsServer({
    clock,
    exposition,
    host: '127.0.0.1',
    port: 0,
    bearer: undefined,
    notReady: () => undefined,
  })
  if (!server.ok) throw new Error(server.error)
  onTestFinished(server.value.close)
  const url = new URL('metrics', server.value.url)
  /** Asks, takes the head of the answer, and reads no further. */
  const readNothing = async (encoding = 'identity') => {
    const socket = connect(Number(url.port), url.hostname)
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    const { begun } = scrapes
    socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept-Encoding: ${encoding}\r\n\r\n`)
    await vi.waitFor(() => expect(scrapes.begun).toBe(begun + 1))
    return socket
  }
  return { clock, scrapes, url, readNothing, close: server.value.close }
}

describe('a scrape', () => {
  it.each([
    ['packed', 'gzip'],
    ['plain', 'identity'],
  ])('comes whole, %s', async (_, encoding) => {
    const { url, scrapes } = await start(40)
    const reply = await fetch(url, { headers: { 'Accept-Encoding': encoding } })
    expect(reply.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null)
    expect(reply.headers.get('vary')).toBe('Accept, Accept-Encoding')
    expect(await reply.text()).toBe(PART.repeat(40))
    expect(scrapes).toEqual({ begun: 1, made: 40, ended: 1, failed: 0 })
  })

  it.each([
    ['packed', 'gzip'],
    ['plain', 'identity'],
  ])('is made as it is read, and given up when its reader is gone, %s', async (_, encoding) => {
    const { scrapes, readNothing } = await start()
    const reader = await readNothing(encoding)
    expect(scrapes.ended).toBe(0)
    reader.destroy()
    await vi.waitFor(() => expect(scrapes.ended).toBe(1))
    expect(scrapes.made).toBeLessThan(PARTS)
    // That is no defect of who makes it.
    expect(scrapes.failed).toBe(0)
  })

  it('is broken off after a minute, so that it can’t be taken for whole', async () => {
    const { clock, scrapes, readNothing } = await start()
    const reader = await readNothing()
    await clock.advance(LONGEST_MS - 1)
    expect(scrapes.ended).toBe(0)
    await clock.advance(1)
    await vi.waitFor(() => expect(scrapes.ended).toBe(1))
    expect(await textOf(reader)).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(clock.pendingMs()).toEqual([])
  })

  it('is refused while eight are written, and not after one of them has ended', async () => {
    const { url, scrapes, readNothing } = await start()
    const first = await readNothing()
    for (let more = 1; more < 8; more++) await readNothing()
    const refused = await fetch(url)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('5')
    first.destroy()
    await vi.waitFor(() => expect(scrapes.ended).toBe(1))
    const taken = await fetch(url)
    expect(taken.status).toBe(200)
    await taken.body?.cancel()
  })

  it('is not made for who asks for its head alone', async () => {
    const { url, scrapes } = await start()
    const reply = await fetch(url, { method: 'HEAD' })
    expect(reply.headers.get('content-type')).toBe('text/plain')
    expect(await reply.text()).toBe('')
    expect(scrapes.begun).toBe(0)
  })

  it('that nobody reads holds an end up for five seconds at most', async () => {
    const { clock, close, readNothing } = await start()
    await readNothing()
    const ended = vi.fn<() => void>()
    const closing = close().then(ended)
    await clock.advance(4_999)
    expect(ended).not.toHaveBeenCalled()
    await clock.advance(1)
    await closing
  })
})
