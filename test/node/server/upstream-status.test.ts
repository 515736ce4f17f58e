import { describe, expect, it, onTestFinished } from 'vitest'
import { err } from '#base/result.ts'
import { createHttpClient } from '#node/http-client.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import { systemClock } from '#platform/system-clock.ts'
import { serviceIdOf } from '#record/service.ts'
import { receiverIdOf, type Receiver } from '#settings/receiver.ts'
import { longTermPath } from '#prometheus/long-term-series.ts'
import { ask, json, ownHeaders } from './http-client.ts'
import { silenceFromNow } from './stand-in.ts'
import { configOf, startTestServer } from './test-server.ts'
import { startSocketUpstream } from './upstream-server.ts'

it.each([101, 102, 199, 600, 999])(
  'the server answers 500 instead of the invalid status %i',
  async (status) => {
    const { url } = await startTestServer({
      pages: () => (_request, response) => Promise.resolve(void response.writeHead(status).end()),
    })
    expect((await ask(url, '/')).status).toBe(500)
  },
)

const SWITCH = 'Connection: Upgrade\r\nUpgrade: x\r\n'

/** Invalid statuses from a hostile upstream, some with the headers of an upgrade. */
const STATUSES = [
  ['100 Continue', ''],
  ['101 X', ''],
  ['101 X', SWITCH],
  ['000 X', ''],
  ['42 X', ''],
  ['099 X', SWITCH],
  ['600 X', ''],
  ['999 X', SWITCH],
  ['1010 X', ''],
] as const

const hostile = (status: string, headers: string): Promise<string> =>
  startSocketUpstream((socket) =>
    socket.once('data', () => {
      const body = '{"status":"success","data":{"resultType":"matrix","result":[]}}'
      socket.write(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`)
    }),
  )

describe.each(STATUSES)('an upstream that answers %s %j', (status, headers) => {
  it('as a service fails with "bad-status"', async () => {
    const baseUrl = await hostile(status, headers)
    const server = await startTestServer({ config: configOf(baseUrl) })
    const answer = await ask(server.url, `/proxy/${serviceIdOf(baseUrl)}/node/status`)
    expect([answer.status, answer.headers['x-proxy-failure']]).toEqual([502, 'bad-status'])
    expect(json(answer)).toMatchObject({ detail: 'The service answered with an invalid HTTP status.' })
  })

  it.each(['webhook', 'alertmanager'] as const)('as a %s fails too, silences included', async (kind) => {
    const listed: Receiver = { kind, url: `${await hostile(status, headers)}/`, via: 'relay' }
    const server = await startTestServer({ receivers: [listed] })
    const id = receiverIdOf(listed)
    const bodies = [undefined, 'a-1'].map((silence) => JSON.stringify(silenceFromNow(silence)))
    const tries: [string, string][] = [[`/relay/${id}`, '{}']]
    if (kind === 'alertmanager') for (const body of bodies) tries.push([`/relay/${id}/silences`, body])
    for (const [path, body] of tries) {
      const answer = await ask(server.url, path, { method: 'POST', headers: ownHeaders(server.host), body })
      expect([path, answer.status, answer.headers['x-proxy-failure']]).toEqual([path, 502, 'bad-status'])
      expect(json(answer)).toMatchObject({ detail: 'The receiver answered with an invalid HTTP status.' })
    }
  })

  it('as a query API fails with 502', async () => {
    const baseUrl = 'https://a.example'
    const url = await hostile(status, headers)
    const api = { name: 'P', url, scrapeMs: 15_000, days: 30, live: false, labels: {} }
    const server = await startTestServer({ config: configOf(baseUrl), queryApis: [api] })
    const steps = { fromMs: 600_000, stepMs: 60_000, count: 2 }
    const answer = await ask(server.url, longTermPath(serviceIdOf(baseUrl), '0xaa', steps))
    expect([answer.status, json(answer)]).toEqual([
      502,
      expect.objectContaining({ title: 'No answer from the query API' }),
    ])
  })

  it('fails with "bad-status" for the collector and the probe', async () => {
    const collector = createHttpTransport(systemClock, 1)
    const probe = createHttpClient({ after: systemClock.after })
    onTestFinished(() => Promise.all([collector.close(), probe.close()]).then(() => undefined))
    const asked = { url: await hostile(status, headers), headers: {}, timeoutMs: 2_000, bodyMaxBytes: 1_000 }
    const { signal } = new AbortController()
    expect(await collector.send(asked, signal)).toEqual(err({ kind: 'unreachable', detail: 'bad-status' }))
    expect(await probe.send({ ...asked, url: new URL(asked.url) }, signal)).toEqual(err('bad-status'))
  })
})
