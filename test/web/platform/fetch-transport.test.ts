import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { createPost } from '#platform/worker-post.ts'
import {
  ANSWERED_BY_HEADER,
  CHALLENGE_HEADER,
  COLLECTED_AGE_HEADER,
  PROXY_FAILURE_HEADER,
  UPSTREAM_STATUS_HEADER,
  type TransportRequest,
} from '#protocol/transport.ts'
import type { FaultValue } from '#reference/faults.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { runReference } from '#test/node/reference/running.ts'
import { valueOf } from '#test/support/value-of.ts'

const send = (
  url: string,
  given: Partial<TransportRequest> = {},
  signal = new AbortController().signal,
  site?: string,
) =>
  createFetchTransport(systemClock, site)(
    { url, headers: {}, timeoutMs: 20_000, bodyMaxBytes: 65_536, ...given },
    signal,
  )

/** The answer as read by a page of https://dash.example. */
const answeredAt = async (url: string) => valueOf(await send(url, {}, undefined, 'https://dash.example'))

const withFault = async (name: FaultName, value?: FaultValue) => {
  const reference = await runReference({ nodes: 1 })
  await reference.service.faults.set('*', { name, ...(value === undefined ? {} : { value }) })
  return { ...reference, url: `${reference.baseUrl}/node/status` }
}

describe('a request', () => {
  it('returns the answer with the relevant headers', async () => {
    const { baseUrl } = await runReference({ nodes: 1 })
    const result = valueOf(await send(`${baseUrl}/node/status`))
    expect(result.status).toBe(401)
    expect(result.contentType).toContain('json')
    expect(result.date).toMatch(/ GMT$/)
    expect(result.proxyFailure).toBeUndefined()
    expect(JSON.parse(result.body)).toMatchObject({ status: 401 })
  })

  it.each([
    ['trusts its own origin', 'https://dash.example', { proxyFailure: 'signed-out', collectedAge: '7' }],
    ['ignores another origin', 'https://service.example', {}],
    ['ignores another port', 'https://dash.example:8443', {}],
    ['ignores another scheme', 'http://dash.example', {}],
  ])('%s as a source of dashboard headers', async (_whose, origin, said) => {
    const headers = { [PROXY_FAILURE_HEADER]: 'signed-out', [COLLECTED_AGE_HEADER]: '7' }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 502, headers })))
    const { proxyFailure, collectedAge } = await answeredAt(`${origin}/node/status`)
    expect({ proxyFailure, collectedAge }).toEqual({
      proxyFailure: undefined,
      collectedAge: undefined,
      ...said,
    })
    const body = { url: `${origin}/relay/x`, body: '{}', blind: false }
    expect(await createPost(systemClock, 'https://dash.example')(body)).toMatchObject({
      error: { kind: 'proxyFailure' in said ? 'relay' : 'status' },
    })
  })

  it.each([
    ['https://dash.example', '407', 407],
    ['https://dash.example', '99', 502],
    ['https://one.example', '407', 502],
  ])('from %s with the service’s status %s counts as %i', async (origin, passed, status) => {
    const headers = { [UPSTREAM_STATUS_HEADER]: passed }
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 502, headers })))
    expect(await answeredAt(`${origin}/proxy/x/node/status`)).toMatchObject({ status, body: '{}' })
    const message = { url: `${origin}/relay/x`, body: '{}', blind: false }
    expect(await createPost(systemClock, 'https://dash.example')(message)).toMatchObject({
      error: { status },
    })
  })

  it('a message names JSON as its type, without which receivers refuse it', async () => {
    const fetched = vi.fn<typeof fetch>(async () => new Response())
    vi.stubGlobal('fetch', fetched)
    await createPost(systemClock, undefined)({ url: 'https://one.example/', body: '{}', blind: false })
    expect(new Headers(fetched.mock.lastCall?.[1]?.headers).get('Content-Type')).toBe('application/json')
  })

  it('a message that cannot be sent names the dashboard’s server if that relays it', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    const post = createPost(systemClock, 'https://dash.example')
    const sent = (origin: string) => post({ url: `${origin}/relay/x`, body: '{}', blind: false })
    expect(await sent('https://dash.example')).toEqual(err({ kind: 'own-server' }))
    expect(await sent('https://receiver.example')).toEqual(err({ kind: 'unreachable' }))
  })

  it.each<[what: string, url: string, headers: Record<string, string>, expected: object]>([
    [
      'an answer of a server in front of the proxy',
      'https://dash.example/proxy/x/node/status',
      {},
      { isOfFront: true },
    ],
    ['the server’s answer', 'https://dash.example/proxy/x/node/status', { [ANSWERED_BY_HEADER]: 'it' }, {}],
    ['a proxy failure', 'https://dash.example/proxy/x/node/status', { [PROXY_FAILURE_HEADER]: 'dns' }, {}],
    ['an answer on another path', 'https://dash.example/config.json', {}, {}],
    ['an answer of a service polled directly', 'https://one.example/proxy/x/node/status', {}, {}],
    [
      'a challenge named by the proxy',
      'https://dash.example/proxy/x/node/status',
      { [ANSWERED_BY_HEADER]: 'it', [CHALLENGE_HEADER]: 'Basic' },
      { challenge: 'Basic' },
    ],
  ])('classifies %s', async (_what, url, headers, expected) => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('', { status: 401, headers })))
    const { isOfFront, challenge } = await answeredAt(url)
    expect({ ...(isOfFront && { isOfFront }), ...(challenge !== undefined && { challenge }) }).toEqual(
      expected,
    )
  })

  it.each<[FaultName, string]>([
    ['reset', 'unreachable'],
    ['truncated', 'cut-off'],
    ['redirect-login', 'redirected'],
  ])('reports the fault %s as %s', async (name, kind) => {
    const { url } = await withFault(name)
    expect(await send(url)).toMatchObject(err({ kind }))
  })

  it('accepts a body up to the limit, and not a byte more', async () => {
    const { baseUrl } = await runReference({ nodes: 1 })
    const url = `${baseUrl}/openapi.json`
    const bytes = new TextEncoder().encode(valueOf(await send(url)).body).length
    expect((await send(url, { bodyMaxBytes: bytes })).ok).toBe(true)
    const limitBytes = bytes - 1
    expect(await send(url, { bodyMaxBytes: limitBytes })).toEqual(err({ kind: 'too-large', limitBytes }))
  })

  it('keeps an error status whose body exceeds the limit', async () => {
    const { baseUrl } = await runReference({ nodes: 1 })
    const reply = await send(`${baseUrl}/node/status`, { bodyMaxBytes: 1 })
    expect(reply).toMatchObject(ok({ status: 401, body: '' }))
  })

  it('can be aborted before sending, while waiting and while reading', async () => {
    expect(await send('http://127.0.0.1:1/', {}, AbortSignal.abort())).toEqual(err({ kind: 'aborted' }))
    for (const name of ['hang', 'headers-then-hang'] as const) {
      const { url, service } = await withFault(name)
      const controller = new AbortController()
      const seen = service.nextRequest()
      const result = send(url, {}, controller.signal)
      await seen
      controller.abort()
      expect(await result).toEqual(err({ kind: 'aborted' }))
    }
  })
})

describe('the system clock', () => {
  it('F 81: fires timers of 30 and 100 days once and on time, but not a cancelled one', () => {
    const DAY_MS = 86_400_000
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const rung: string[] = []
    systemClock.after(30 * DAY_MS, () => rung.push('thirty'))
    systemClock.after(100 * DAY_MS, () => rung.push('hundred'))
    const cancel = systemClock.after(60 * DAY_MS, () => rung.push('cancelled'))
    vi.advanceTimersByTime(30 * DAY_MS - 1)
    expect(rung).toEqual([])
    vi.advanceTimersByTime(1)
    expect(rung).toEqual(['thirty'])
    // The cancelled timer is in its second part by now.
    cancel()
    vi.advanceTimersByTime(70 * DAY_MS - 1)
    expect(rung).toEqual(['thirty'])
    vi.advanceTimersByTime(1)
    vi.advanceTimersByTime(400 * DAY_MS)
    expect(rung).toEqual(['thirty', 'hundred'])
    expect(vi.getTimerCount()).toBe(0)
  })
})
