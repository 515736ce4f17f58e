import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { jsonOf, readBytes, sendJson, sendProblem } from '#server/reply.ts'
import { ask, json } from './http-client.ts'
import { startUpstream } from './upstream-server.ts'

it('a large document is answered whole, the same one again and another one after it', async () => {
  const documents = ['a'.repeat(65_534), 'a'.repeat(65_534), 'b'.repeat(70_000), 'a'.repeat(65_534), 'small']
  const left = [...documents]
  const url = await startUpstream((_request, response) => sendJson(response, 200, left.shift()))
  for (const document of documents) {
    const answer = await ask(url, '/')
    expect(answer.headers['content-length']).toBe(String(document.length + 2))
    expect(json(answer)).toBe(document)
  }
})

it('who sends too much is answered before all of it is there', async () => {
  const url = await startUpstream((asked, response) => {
    void readBytes(asked, 5).then((body) =>
      body === undefined
        ? sendProblem(response, { status: 413, title: 'Too large', detail: 'Send less.' })
        : sendJson(response, 200, body.toString()),
    )
  })
  const sending = request(url, { method: 'POST', headers: { 'content-length': 100 }, agent: false })
  sending.write('x'.repeat(6))
  const [response] = await once(sending, 'response')
  expect(response.statusCode).toBe(413)
  sending.on('error', () => undefined).destroy()
  expect(json(await ask(url, '/', { method: 'POST', body: '12345' }))).toBe('12345')
})

it('a body that is no JSON is none', () => {
  expect(jsonOf(Buffer.from('{'))).toEqual({ ok: false })
  expect(jsonOf(Buffer.from('[1]'))).toEqual({ ok: true, value: [1] })
})
