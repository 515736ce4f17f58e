import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { askStatus, signedHeaders } from './client.ts'
import { runReference, VIEWER } from './running.ts'

/** A service whose every status request meets these faults; an unsigned one gets a 401 with a body. */
async function serviceWith(...faults: readonly (readonly [FaultName, FaultValue?])[]) {
  const clock = createFakeClock()
  const running = await runReference({
    clock,
    faults: faults.map(([name, value]) => ({ node: '*', name, value })),
  })
  const timestamp = Math.floor(clock.wallMs() / 1_000)
  const ask = (method = 'GET') => askStatus(running.baseUrl, { key: VIEWER, timestamp, method })
  /** All bytes that come back, until the service ends the connection. */
  const raw = async (): Promise<{ readonly all: string; readonly head: string; readonly body: string }> => {
    const socket = connect(Number(new URL(running.baseUrl).port), '127.0.0.1')
    let reply = ''
    socket.setEncoding('latin1').on('data', (part: string) => (reply += part))
    socket.on('error', () => undefined)
    socket.write('GET /node/status HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'close')
    const at = reply.indexOf('\r\n\r\n')
    return { all: reply, head: reply.slice(0, at), body: reply.slice(at + 4) }
  }
  /** The head of a signed request's answer, and what comes of its body. */
  const begin = async () => {
    const headers = signedHeaders(running.baseUrl, { key: VIEWER, timestamp })
    const outgoing = request(`${running.baseUrl}/node/status`, { headers, agent: false }).end()
    const [response] = await once(outgoing, 'response')
    // What cuts the answer may be told of the request too.
    outgoing.on('error', () => undefined)
    const parts: Buffer[] = []
    response.on('data', (part: Buffer) => parts.push(part))
    const ended: Promise<string> = new Promise((done) => {
      response.once('end', () => done('whole'))
      response.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'failed'))
    })
    return {
      length: Number(response.headers['content-length']),
      received: () => Buffer.concat(parts).length,
      ended,
      leave: () => outgoing.destroy(),
    }
  }
  return { ...running, clock, ask, raw, begin }
}

const bodyLength = (head: string): number => Number(/^content-length: (\d+)$/im.exec(head)?.[1])

describe('an answer that is sent', () => {
  it('tells its length, but where its status has no body', async () => {
    const { ask } = await serviceWith()
    const whole = await ask()
    expect(Number(whole.headers['content-length'])).toBe(whole.bytes.length)
    for (const status of [204, 304]) {
      const none = await (await serviceWith(['status', status])).ask()
      expect([none.status, none.headers['content-length'], none.text]).toEqual([status, undefined, ''])
    }
  })

  it('without a length has no body either for HEAD', async () => {
    const { ask } = await serviceWith(['padding', 1_000_000])
    const reply = await ask('HEAD')
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([200, '', 'application/json'])
    expect((await ask()).bytes.length).toBeGreaterThan(1_000_000)
  })

  it('is given up when the client stops reading it', async () => {
    const { begin, service, ask } = await serviceWith(['big-body', 1e10])
    const huge = await begin()
    huge.leave()
    await huge.ended
    await service.faults.clear()
    expect((await ask()).status).toBe(200)
  })
})

describe('an answer that is cut', () => {
  it('ends after half of its body', async () => {
    const { raw } = await serviceWith(['truncated'])
    const { head, body } = await raw()
    expect(head).toMatch(/^HTTP\/1\.1 401 /)
    expect(body.length).toBe(Math.ceil(bodyLength(head) / 2))
    expect(body).toMatch(/^\{"type":"urn:/)
  })

  it('is reset within its body', async () => {
    const { begin } = await serviceWith(['reset-in-body'])
    const cut = await begin()
    expect(await cut.ended).toBe('ECONNRESET')
    // A reset also drops what has come and was not read yet.
    expect(cut.received()).toBeLessThanOrEqual(Math.ceil(cut.length / 2))
  })

  it('has a chunk whose size is none', async () => {
    const { raw } = await serviceWith(['bad-chunk'])
    const { head, body } = await raw()
    expect(head.split('\r\n')[0]).toBe('HTTP/1.1 401 On Demand')
    expect(head).toMatch(/^Transfer-Encoding: chunked$/m)
    expect(head).toMatch(/^Content-Type: application\/problem\+json\r$/m)
    expect(body).toBe('10\r\n{"node_id":"0x12\r\nnot a size\r\n')
  })

  it('may be no HTTP at all', async () => {
    const { raw } = await serviceWith(['not-http'])
    expect((await raw()).all).toBe('SSH-2.0-OpenSSH_9.2\r\n')
  })
})

describe('an answer that is slow', () => {
  it('comes byte by byte, and whole in the end', async () => {
    const warnings: string[] = []
    const warn = ({ name }: Error) => {
      if (name === 'MaxListenersExceededWarning') warnings.push(name)
    }
    process.on('warning', warn)
    onTestFinished(() => void process.removeListener('warning', warn))
    const { begin, clock, service } = await serviceWith(['drip', 1_000])
    const dripping = await begin()
    expect(clock.pendingMs()).toEqual([1_000])
    await clock.advance((dripping.length - 1) * 1_000)
    expect(service.stats().inFlight).toBe(1)
    expect(clock.pendingMs()).toEqual([1_000])
    clock.advanceSync(1_000)
    expect(clock.pendingMs()).toEqual([])
    expect(await dripping.ended).toBe('whole')
    expect([dripping.received(), warnings]).toEqual([dripping.length, []])
  })

  it.each<readonly [FaultName, FaultValue]>([
    ['late', 5_000],
    ['drip', 1_000],
  ])('waits for nobody who has left: %s', async (name, value) => {
    const { ask, clock, service } = await serviceWith([name, value])
    const seen = service.nextRequest()
    const reply = ask().catch(() => 'left')
    await seen
    await clock.advance(0)
    expect(clock.pendingMs()).toEqual([value])
    await service.close()
    expect([await reply, clock.pendingMs()]).toEqual(['left', []])
  })

  it('tells its length before it hangs', async () => {
    const { begin, service } = await serviceWith(['headers-then-hang'])
    const hung = await begin()
    expect([hung.length > 100, hung.received(), service.stats().inFlight]).toEqual([true, 0, 1])
    hung.leave()
  })

  it('may have a hint before it', async () => {
    const { baseUrl } = await serviceWith(['early-hints'])
    const hints: unknown[] = []
    const outgoing = request(`${baseUrl}/node/status`, { agent: false })
    outgoing.on('information', ({ statusCode, headers }) => hints.push([statusCode, headers['link']]))
    outgoing.end()
    const [response] = await once(outgoing, 'response')
    response.resume()
    expect([response.statusCode, hints]).toEqual([401, [[103, '</openapi.json>; rel=preload; as=fetch']]])
  })
})
