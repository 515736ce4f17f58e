import { describe, expect, it } from 'vitest'
import { OptionsError } from '#reference/options.ts'
import { rawAnswer } from '#test/support/raw-answer.ts'
import { askStatus, send } from './client.ts'
import { runReference, VIEWER, type Running } from './running.ts'

const TOKEN = 'token-of-this-test'

const control = (
  { controlUrl }: Running,
  action: string,
  body?: unknown,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
) => {
  const [method = 'GET', path = '/'] = action.split(' ')
  const text = body === undefined ? undefined : JSON.stringify(body)
  return send(`${controlUrl}${path}`, method, { Authorization: `Bearer ${TOKEN}`, ...headers }, text)
}

describe('the control address', () => {
  it('sets, lists and clears faults', async () => {
    const running = await runReference({ controlToken: TOKEN })
    const node = running.id(1)
    expect((await control(running, 'PUT /faults', { node, fault: 'status-503', value: 7 })).status).toBe(200)
    await control(running, 'PUT /faults', { fault: 'status-word', value: 'DRAINING' })
    expect((await control(running, 'GET /faults')).json()).toEqual([
      { node, name: 'status-503', value: 7 },
      { node: '*', name: 'status-word', value: 'DRAINING' },
    ])
    const ill = await askStatus(running.baseUrl, { key: VIEWER, query: `node_id=${node}` })
    expect([ill.status, ill.headers['retry-after']]).toEqual([503, '7'])
    await control(running, `DELETE /faults?node=${node}`)
    expect(running.service.faults.list().map(({ name }) => name)).toEqual(['status-word'])
    await control(running, 'DELETE /faults')
    expect(running.service.faults.list()).toEqual([])
  })

  it('sets the clock', async () => {
    const running = await runReference({ controlToken: TOKEN })
    expect((await control(running, 'PUT /clock', { offsetMs: -90_000 })).json()).toEqual({
      offsetMs: -90_000,
    })
    const late = await askStatus(running.baseUrl, { key: VIEWER })
    expect(late.json()['code']).toBe('time-outside-window')
    const aheadMs = Date.now() - Date.parse(String(late.headers['date']))
    expect(aheadMs).toBeGreaterThan(80_000)
    const corrected = { key: VIEWER, timestamp: Math.floor(Date.now() / 1_000) - 90 }
    expect((await askStatus(running.baseUrl, corrected)).status).toBe(200)
  })

  it('returns statistics and nodes', async () => {
    const running = await runReference({ controlToken: TOKEN, nodes: 3 })
    await askStatus(running.baseUrl, { key: VIEWER })
    expect((await control(running, 'GET /stats')).json()).toMatchObject({ requests: 1, byStatus: { 200: 1 } })
    expect((await control(running, 'DELETE /stats')).json()).toMatchObject({ requests: 0 })
    expect((await control(running, 'GET /nodes?from=1&count=9')).json()).toEqual({
      total: 3,
      nodes: [
        { id: running.id(1), name: 'orion-002' },
        { id: running.id(2), name: 'lyra-003' },
      ],
    })
  })

  it.each([
    ['no token', { Authorization: '' }, 401],
    ['a wrong token', { Authorization: 'Bearer token-of-this-tes' }, 401],
    ['a token with a character more', { Authorization: `Bearer ${TOKEN}x` }, 401],
    ['the token without Bearer', { Authorization: TOKEN }, 401],
    ['the Host of a rebound name', { Host: 'evil.example' }, 421],
    ['another port in the Host', { Host: '127.0.0.1:80' }, 421],
    ["a page's Origin", { Origin: 'http://localhost:7420' }, 403],
    ['the Origin null', { Origin: 'null' }, 403],
  ])('refuses %s', async (_, headers, status) => {
    const running = await runReference({ controlToken: TOKEN })
    const reply = await control(running, 'PUT /faults', { fault: 'hang' }, headers)
    expect([reply.status, running.service.faults.list()]).toEqual([status, []])
    expect(reply.text).not.toContain(TOKEN)
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each([
    ['no Host', 'GET /faults HTTP/1.0'],
    ['a Host twice', 'GET /faults HTTP/1.1\r\nHost: HOST\r\nHost: HOST'],
  ])('refuses %s', async (_, lines) => {
    const { controlUrl } = await runReference({ controlToken: TOKEN })
    const head = `${lines.replaceAll('HOST', new URL(controlUrl).host)}\r\nAuthorization: Bearer ${TOKEN}`
    const reply = await rawAnswer(controlUrl, `${head}\r\nConnection: close\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 421 /)
    expect(reply).toContain('{"error":"Host must be this address"}')
  })

  it.skipIf(process.platform !== 'linux')('uses 127.0.0.1 only, even with --host 0.0.0.0', async () => {
    const { controlUrl } = await runReference({ controlToken: TOKEN, host: '0.0.0.0' })
    const elsewhere = controlUrl.replace('127.0.0.1', '127.0.0.2')
    await expect(send(`${elsewhere}/clock`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  const WANTS_FAULT = 'expected {"node":"*" or an id,"fault":"name","value":…}'
  it.each([
    ['PUT /faults', [], 'the body is not a JSON object'],
    ['PUT /faults', null, 'the body is not a JSON object'],
    ['PUT /faults', 'hang', 'the body is not a JSON object'],
    ['PUT /faults', undefined, 'the body is not a JSON object'],
    ['PUT /faults', {}, WANTS_FAULT],
    ['PUT /faults', { fault: 7 }, WANTS_FAULT],
    ['PUT /faults', { node: 7, fault: 'hang' }, WANTS_FAULT],
    ['PUT /faults', { node: null, fault: 'hang' }, WANTS_FAULT],
    ['PUT /faults', { fault: 'nonsense' }, 'unknown fault'],
    ['PUT /faults', { fault: 'hang', note: 'x'.repeat(4_071) }, 'the body is too large'],
    ['PUT /clock', {}, 'expected {"offsetMs":…}: "clock-offset" takes -315360000000 to 315360000000 (ms)'],
    ['PUT /clock', undefined, 'expected {"offsetMs":…}: the body is not a JSON object'],
    ['GET /nodes?from=-1', undefined, 'from and count must be whole numbers'],
    ['GET /nodes?count=-1', undefined, 'from and count must be whole numbers'],
    ['GET /nodes?from=1.5', undefined, 'from and count must be whole numbers'],
    ['GET /nodes?count=x', undefined, 'from and count must be whole numbers'],
  ])('rejects %s %j with what is expected', async (action, body, error) => {
    const running = await runReference({ controlToken: TOKEN })
    const reply = await control(running, action, body)
    expect([reply.status, reply.json()]).toEqual([400, { error }])
  })

  it('answers in JSON with no-store and nosniff', async () => {
    const running = await runReference({ controlToken: TOKEN })
    const Host = `LocalHost:${new URL(running.controlUrl).port}`
    const { headers, text } = await control(running, 'GET /clock', undefined, { Host })
    expect(text).toBe('{"offsetMs":0}')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '14',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect((await control(running, 'HEAD /clock')).text).toBe('')
  })

  it('clears one fault by its name', async () => {
    const running = await runReference({ controlToken: TOKEN })
    await control(running, 'PUT /faults', { fault: 'hang' })
    await control(running, 'PUT /faults', { fault: 'late' })
    expect((await control(running, 'DELETE /faults?fault=hang')).json()).toEqual([
      { node: '*', name: 'late', value: 2_000 },
    ])
  })

  it.each([
    ['', 0, 100],
    ['?count=5000', 0, 1_000],
    ['?from=1150', 1_150, 50],
    ['?from=1199&count=2', 1_199, 1],
    ['?from=1200', 1_200, 0],
    ['?from=5000', 5_000, 0],
    ['?count=0', 0, 0],
  ])('lists nodes %s: from %d, %d of them', async (query, from, count) => {
    const running = await runReference({ controlToken: TOKEN, nodes: 1_200 })
    const { total, nodes } = (await control(running, `GET /nodes${query}`)).json()
    const ids = Array.isArray(nodes) ? nodes.map((node: { readonly id: string }) => node.id) : []
    expect([total, ids.length]).toEqual([1_200, count])
    if (count > 0) expect([ids[0], ids.at(-1)]).toEqual([running.id(from), running.id(from + count - 1)])
  })

  it.each(['GET /', 'POST /faults', 'GET /node/status'])('answers %s with 404', async (action) => {
    const running = await runReference({ controlToken: TOKEN })
    const reply = await control(running, action)
    expect([reply.status, reply.json()]).toEqual([
      404,
      { error: 'no such action; see the documentation of the reference service' },
    ])
  })

  it.each(['1234567', '', 'a 12345678', '12345678 a'])('cannot have the token %j', async (controlToken) => {
    await expect(runReference({ controlToken })).rejects.toThrow(
      new OptionsError('The control token must have at least 8 characters and no spaces.'),
    )
    expect((await runReference({ controlToken: '12345678' })).controlToken).toBe('12345678')
  })
})
