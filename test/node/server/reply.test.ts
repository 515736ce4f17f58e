import { readBytes } from '#node/read-bytes.ts'
import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { sendJson, sendProblem } from '#server/send-reply.ts'
import { ask, json } from './http-client.ts'
import { startUpstream } from './upstream-server.ts'

it('a body over the limit is refused before all of it has arrived', async () => {
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
