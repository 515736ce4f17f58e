import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { jsonOf, readBytes, sendJson, sendProblem } from '#server/reply.ts'
import { ask, json } from './http-client.ts'
import { startUpstream } from './upstream-server.ts'

it('a document that is sent again is written once, and each in its turn', async () => {
  const [one, other] = [{ long: 'a'.repeat(70_000) }, { long: 'b'.repeat(70_000) }]
  const left = [one, other, one]
  const url = await startUpstream((_request, response) => sendJson(response, 200, left.shift() ?? {}))
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  for (const document of [one, other, one]) expect(json(await ask(url, '/'))).toEqual(document)
  expect(stringify).toHaveBeenCalledTimes(2)
})

it('who sends too much is answered before all of it is there', async () => {
  const url = await startUpstream((asked, response) => {
    void readBytes(asked, 5).then((body) =>
      body === undefined
        ? sendProblem(response, { status: 413, title: 'Too large', detail: 'Send less.' })
        : sendJson(response, 200, { body: body.toString() }),
    )
  })
  const sending = request(url, { method: 'POST', headers: { 'content-length': 100 }, agent: false })
  sending.write('x'.repeat(6))
  const [response] = await once(sending, 'response')
  expect(response.statusCode).toBe(413)
  sending.on('error', () => undefined).destroy()
  expect(json(await ask(url, '/', { method: 'POST', body: '12345' }))).toEqual({ body: '12345' })
})

it('a body that is no JSON is none', () => {
  expect(jsonOf(Buffer.from('{'))).toEqual({ ok: false })
  expect(jsonOf(Buffer.from('[1]'))).toEqual({ ok: true, value: [1] })
})
