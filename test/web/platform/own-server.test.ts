import { beforeEach, expect, it, vi } from 'vitest'
import { readLongTerm, readLongTermNetwork } from '#platform/query-api-client.ts'
import {
  addReceiver,
  allowServiceOnServer,
  listAddedServices,
  listReceivers,
  readSession,
  removeAddedService,
  removeReceiver,
} from '#platform/server-services.ts'
import { aService } from '#test/support/fleet-fixture.ts'

const fetched = vi.fn<typeof fetch>()
const answer = (document: unknown, status = 200, type = 'application/json'): void =>
  void fetched.mockImplementation(
    async () => new Response(JSON.stringify(document), { status, headers: { 'content-type': type } }),
  )
beforeEach(() => {
  fetched.mockReset()
  vi.stubGlobal('fetch', fetched)
})

const STEPS = { fromMs: 60_000, stepMs: 1_000, count: 2 }
const SERIES = { fromMs: 60_000, metrics: [], upMin: [1, 1] }
const RECEIVER = { kind: 'webhook', url: 'https://a.example', via: 'relay' } as const

it('a request escapes an id or URL into one query parameter', async () => {
  answer({ receivers: [], canAdd: true })
  await removeReceiver('a&b=c#d')
  await removeAddedService('https://a.example/?b=c&d')
  const [id, baseUrl] = fetched.mock.calls.map(
    ([path]) => new URL(path instanceof Request ? path.url : path, 'http://x').searchParams,
  )
  expect([id?.get('id'), baseUrl?.get('baseUrl')]).toEqual(['a&b=c#d', 'https://a.example/?b=c&d'])
})

it('every request goes only to this server, and can be aborted', async () => {
  answer({})
  await Promise.all([
    listAddedServices(),
    allowServiceOnServer(aService()),
    removeAddedService('https://a.example'),
    listReceivers(),
    addReceiver(RECEIVER),
    readSession(),
    readLongTermNetwork(STEPS),
    readLongTerm('s', undefined, STEPS),
  ])
  expect(fetched).toHaveBeenCalledTimes(8)
  for (const [path, init] of fetched.mock.calls) {
    expect(path).toMatch(/^\/\w/)
    expect(init).toMatchObject({
      credentials: 'same-origin',
      redirect: 'error',
      signal: expect.any(AbortSignal),
    })
  }
})

it.each([
  ['the requested time is accepted', SERIES, 200, true],
  ['another time is rejected', { ...SERIES, fromMs: 0 }, 200, false],
  ['fewer steps is rejected', { ...SERIES, upMin: [1] }, 200, false],
  ['an error status is rejected', SERIES, 502, false],
])('a query API’s answer with %s', async (_, document, status, isTaken) => {
  answer(document, status)
  expect((await readLongTerm('s', undefined, STEPS)).ok).toBe(isTaken)
})

it('a query API’s network figures are accepted only for the requested time', async () => {
  answer({ fromMs: 0, lines: [] })
  expect(await readLongTermNetwork(STEPS)).toBeUndefined()
  answer({ fromMs: 60_000, lines: [] })
  expect(await readLongTermNetwork(STEPS)).toEqual({ fromMs: 60_000, lines: [] })
})

it('a static host’s fallback page does not count as an answer of this server', async () => {
  answer({ receivers: [], canAdd: true }, 200, 'text/html')
  expect(await listReceivers()).toBeUndefined()
  expect(await addReceiver(RECEIVER)).toEqual({ ok: false, error: { kind: 'no-answer' } })
})

it.each([
  [403, {}, { kind: 'not-allowed' }],
  [404, '', { kind: 'not-allowed' }],
  [405, {}, { kind: 'not-allowed' }],
  [400, { detail: 'No.' }, { kind: 'refused', answer: 'No.' }],
  [
    422,
    { detail: 'No.', problems: [{ message: 'No such host.' }] },
    { kind: 'refused', answer: 'No such host.' },
  ],
])('the server’s answer %d %j about a service becomes %j', async (status, document, error) => {
  answer(document, status)
  expect(await allowServiceOnServer(aService())).toEqual({ ok: false, error })
})
