import { describe, expect, it } from 'vitest'
import { askStatus, send } from './client.ts'
import { runReference, VIEWER, type Running } from './running.ts'

const TOKEN = 'token-of-this-test'

const control = (
  { controlUrl }: Running,
  action: string,
  body?: unknown,
  headers: Record<string, string> = {},
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

  it('tells statistics and nodes', async () => {
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
    ['a token that goes on', { Authorization: `Bearer ${TOKEN}x` }, 401],
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

  it('answers to localhost as well', async () => {
    const running = await runReference({ controlToken: TOKEN })
    const Host = `localhost:${new URL(running.controlUrl).port}`
    expect((await control(running, 'GET /faults', undefined, { Host })).status).toBe(200)
  })

  it.each([
    ['PUT /faults', 'hang'],
    ['PUT /faults', []],
    ['PUT /faults', { fault: 'nonsense' }],
    ['PUT /faults', { fault: 'toString' }],
    ['PUT /faults', { fault: 'hang', value: 1 }],
    ['PUT /faults', { fault: 'late', value: 'soon' }],
    ['PUT /faults', { fault: 'late', value: -1 }],
    ['PUT /faults', { fault: 'late', value: {} }],
    ['PUT /faults', { fault: 'chaos', value: 1.5 }],
    ['PUT /faults', { node: 'all', fault: 'hang' }],
    ['PUT /faults', { node: `0x${'a'.repeat(64)}`, fault: 'refused' }],
    ['PUT /faults', { fault: 'hang', note: 'x'.repeat(5_000) }],
    ['PUT /clock', {}],
    ['PUT /clock', { offsetMs: 'soon' }],
    ['GET /nodes?from=-1', undefined],
  ])('does not take %s %j', async (action, body) => {
    const running = await runReference({ controlToken: TOKEN })
    const reply = await control(running, action, body)
    expect([reply.status, running.service.faults.list()]).toEqual([400, []])
  })

  it.each(['GET /', 'POST /faults', 'GET /node/status'])('has no action %s', async (action) => {
    const running = await runReference({ controlToken: TOKEN })
    expect((await control(running, action)).status).toBe(404)
  })

  it('makes a token of its own when none is given', async () => {
    const [one, other] = [await runReference(), await runReference()]
    expect(one.controlToken).toMatch(/^[0-9a-f]{32}$/)
    expect(one.controlToken).not.toBe(other.controlToken)
  })
})
