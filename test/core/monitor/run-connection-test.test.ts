import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { runConnectionTest } from '#monitor/run-connection-test.ts'
import type { TestDraft, TestStep } from '#monitor/connection-test.ts'
import type { ClockOffset } from '#record/clock-offset.ts'
import type { HttpReply, NetworkProbe, TransportFailure } from '#protocol/transport.ts'
import type { SignFailure } from '#signing/signer.ts'
import { serviceIdOf, type ServiceId } from '#record/service.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { BASE, nodeId, nodes, record, service } from './watch.ts'

type Scene = {
  readonly unsigned?: Partial<HttpReply> | TransportFailure['kind']
  readonly signed?: (node: string) => Partial<HttpReply> | TransportFailure['kind']
  readonly sign?: SignFailure
  /** How long the unsigned request takes. */
  readonly takesMs?: number
  readonly probe?: NetworkProbe
}

const failure = (kind: TransportFailure['kind']): TransportFailure => {
  if (kind === 'timeout') return { kind, afterMs: 10_000 }
  return kind === 'too-large' ? { kind, limitBytes: 65_536 } : { kind }
}

/** Runs the test against a scene; returns the reported steps, without "running", and the requests. */
async function runTest(
  scene: Scene,
  given: Partial<TestDraft> = {},
  heartbeatOffset?: (id: ServiceId) => ClockOffset | undefined,
) {
  const clock = createFakeClock()
  const asked: string[] = []
  const urls: string[] = []
  const timeoutsMs: number[] = []
  const steps: TestStep[] = []
  await runConnectionTest(
    {
      clock,
      heartbeatOffset,
      probe: scene.probe,
      transport: async ({ url, headers, timeoutMs }) => {
        const node = new URL(url).searchParams.get('node_id') ?? ''
        timeoutsMs.push(timeoutMs)
        urls.push(url)
        asked.push(`${'Authorization' in headers ? 'signed' : 'unsigned'} ${node}`)
        const answer =
          'Authorization' in headers ? (scene.signed?.(node) ?? {}) : (scene.unsigned ?? { status: 401 })
        clock.advanceSync(scene.takesMs ?? 0)
        if (typeof answer === 'string') return err(failure(answer))
        return ok({ status: 200, body: record(node), ...answer })
      },
      signer: {
        signStatusRequest: async (_, id) =>
          scene.sign === undefined
            ? ok({
                headers: { Authorization: 'x', 'X-Node-Key': 'ab'.repeat(32) },
                query: id === undefined ? '' : `node_id=${id}`,
              })
            : err(scene.sign),
      },
    },
    {
      serverUrl: 'http://127.0.0.1:7420',
      service: service(),
      nodes: nodes(2),
      sign: true,
      ...given,
    },
    (step) => steps.push(step),
  )
  const ended = steps.filter(({ state }) => state !== 'running')
  return {
    asked,
    urls,
    timeoutsMs,
    ended,
    all: steps.map(({ name, state }) => `${name} ${state}`),
    states: ended.map(({ name, state }) => `${name} ${state}`).join(', '),
    clock,
  }
}

const REFUSING_PAGE = { status: 403, body: '<html><head><title>Forbidden</title>' }
const STEPS = ['reached', 'readable', 'clocks', 'key', 'signature', 'nodes', 'record']
const WELL = STEPS.map((step) => `${step} ok`).join(', ')
/** The states of all steps if one is not ok: after a failed step the others are skipped. */
function statesWith(other: string): string {
  const at = STEPS.findIndex((step) => other.startsWith(step))
  const after = other.endsWith('warning') ? 'ok' : 'skipped'
  return STEPS.map((step, place) => (place === at ? other : `${step} ${place < at ? 'ok' : after}`)).join(
    ', ',
  )
}

describe('the connection test', () => {
  it('sends one unsigned request and one signed request per node', async () => {
    const { states, asked, ended } = await runTest({})
    expect(states).toBe(WELL)
    expect(asked).toEqual([`unsigned ${nodeId(0)}`, `signed ${nodeId(0)}`, `signed ${nodeId(1)}`])
    expect(ended[3]).toEqual({ name: 'key', state: 'ok', publicKey: 'ab'.repeat(32) })
    expect(ended[5]).toEqual({ name: 'nodes', state: 'ok', found: 2, asked: 2, untested: 0 })
    expect(ended[6]).toMatchObject({ name: 'record', state: 'ok', fields: 7 })
  })

  it('tries at most 20 nodes, and the default node if none is named', async () => {
    const many = await runTest({}, { nodes: nodes(50) })
    expect(many.asked).toHaveLength(21)
    expect(many.ended[5]).toEqual({ name: 'nodes', state: 'ok', found: 20, asked: 20, untested: 30 })
    expect((await runTest({}, { nodes: [] })).asked).toEqual(['unsigned ', 'signed '])
  })

  it('does not count a signature as accepted if an unsigned request gets the same 404', async () => {
    const { states } = await runTest({ unsigned: { status: 404 }, signed: () => ({ status: 404 }) })
    expect(states).toMatch(/signature skipped, nodes failed/)
  })

  it.each<[string, Scene, Partial<TestDraft>, string]>([
    ['no answer in time', { unsigned: 'timeout' }, {}, 'reached failed'],
    ['a redirect', { unsigned: 'redirected' }, {}, 'readable failed'],
    ['a proxy that gets no answer', { unsigned: { status: 502, proxyFailure: 'dns' } }, {}, 'reached failed'],
    ['signing turned off', {}, { sign: false }, 'key skipped'],
    ['a refused signature', { signed: () => ({ status: 401 }) }, {}, 'signature failed'],
    ['a server error for the signed request', { signed: () => ({ status: 500 }) }, {}, 'signature failed'],
    [
      'a web server’s page instead of an answer',
      { signed: () => ({ status: 404, body: '<html><title>nginx</title>' }) },
      {},
      'signature failed',
    ],
    [
      'an answer from in front of the dashboard’s server',
      { unsigned: { status: 502, isOfFront: true } },
      {},
      'reached failed',
    ],
    ['no node known', { signed: () => ({ status: 404 }) }, {}, 'nodes failed'],
    [
      'the first node unknown',
      { signed: (node) => (node === nodeId(0) ? { status: 404 } : {}) },
      {},
      'nodes warning',
    ],
  ])('with %s: %s', async (_what, scene, given, expected) => {
    expect((await runTest(scene, given)).states).toBe(statesWith(expected))
  })

  it('does not mistake a web page for a service that requires a key', async () => {
    const unsigned = await runTest({ unsigned: REFUSING_PAGE }, { sign: false })
    expect(unsigned.ended[1]).toEqual({
      name: 'readable',
      state: 'warning',
      latencyMs: 0,
      status: 403,
      page: 'Forbidden',
    })
    // The page may refuse only unsigned requests.
    expect((await runTest({ unsigned: REFUSING_PAGE })).states).toBe(WELL)
    const signed = await runTest({ unsigned: REFUSING_PAGE, signed: () => REFUSING_PAGE })
    expect(signed.ended[4]).toMatchObject({ state: 'failed', diagnosis: { likely: ['in-front'] } })
  })

  it('reports which nodes are missing, and why a step failed', async () => {
    const { ended } = await runTest({ signed: (node) => (node === nodeId(1) ? { status: 404 } : {}) })
    expect(ended[5]).toEqual({ name: 'nodes', state: 'warning', found: 1, asked: 2, missing: [nodeId(1)] })
    const refused = await runTest({ signed: () => ({ status: 401, body: '{"detail":"unknown key"}' }) })
    expect(refused.ended[4]).toMatchObject({
      name: 'signature',
      state: 'failed',
      failure: { kind: 'unauthorized', answer: 'unknown key' },
    })
    const proxied = await runTest({ unsigned: 'unreachable' }, { service: service({ via: 'proxy' }) })
    expect(proxied.ended[0]).toEqual({
      name: 'reached',
      state: 'failed',
      failure: { kind: 'unreachable', hop: 'proxy' },
    })
    expect(proxied.asked[0]).toBe(`unsigned ${nodeId(0)}`)
  })

  it.each([
    [29_000, 'ok'],
    [32_000, 'warning'],
    [-32_000, 'warning'],
  ])('compares the clocks: %d ms apart is %s', async (apartMs, state) => {
    const { clock } = await runTest({})
    const date = new Date(clock.wallMs() + apartMs).toUTCString()
    const { ended } = await runTest({ unsigned: { status: 401, date } })
    expect(ended[2]).toMatchObject({ name: 'clocks', state })
  })

  it.each([
    [{ lowMs: 25_000, highMs: 41_000 }, 'ok'],
    [{ lowMs: 31_000, highMs: 41_000 }, 'warning'],
  ])(
    'compares the clocks by observed heartbeats if answers have no Date: %o is %s',
    async (offset, state) => {
      const heartbeats = (id: ServiceId) => (id === serviceIdOf(BASE) ? offset : undefined)
      const { ended } = await runTest({}, {}, heartbeats)
      expect(ended[2]).toEqual({ name: 'clocks', state, offset, by: 'heartbeats' })
      const dated = await runTest(
        { unsigned: { status: 401, date: 'Fri, 20 Nov 2026 14:02:31 GMT' } },
        {},
        heartbeats,
      )
      expect(dated.ended[2]).not.toHaveProperty('by')
    },
  )

  it('includes the refused exchange, so that it can be reported', async () => {
    const refused = await runTest({ signed: () => ({ status: 401, body: 'no' }) })
    expect(refused.ended[4]).toMatchObject({
      name: 'signature',
      exchange: { status: 401, body: 'no', requestHeaders: { Authorization: 'x' } },
    })
    const unknown = await runTest({ signed: () => ({ status: 404, body: 'none' }) })
    expect(unknown.ended[5]).toMatchObject({ name: 'nodes', exchange: { status: 404, body: 'none' } })
  })

  it('uses the proxy’s path for a service behind the proxy', async () => {
    const { urls } = await runTest({}, { service: service({ via: 'proxy' }), nodes: [] })
    expect(new Set(urls)).toEqual(
      new Set([`http://127.0.0.1:7420/proxy/https~3A~2F~2Fapi.example/node/status`]),
    )
  })

  it('reports each step before it waits', async () => {
    expect((await runTest({})).all).toEqual([
      'reached running',
      'reached ok',
      'readable ok',
      'clocks ok',
      'key running',
      'key ok',
      'signature ok',
      'nodes running',
      'nodes ok',
      'record ok',
    ])
  })

  const proxied = { service: service({ via: 'proxy' }) }
  const unreachable = (hop: 'service' | 'proxy') => ({ failure: { kind: 'unreachable', hop } })
  const other = { kind: 'wrong-node', asked: nodeId(0), answered: nodeId(8) }
  const overdue = { kind: 'timeout', afterMs: 7_000, hop: 'service' }
  const cutOff = { failure: { kind: 'cut-off', hop: 'service' } }
  it.each<[string, Scene, Partial<TestDraft>, step: string, object]>([
    [
      'an https page and a service on plain http',
      {},
      { serverUrl: 'https://dash.example', service: service({ baseUrl: 'http://10.0.0.1' }) },
      'reached failed',
      { failure: { kind: 'mixed-content' } },
    ],
    ['an unreachable service', { unsigned: 'unreachable' }, {}, 'reached failed', unreachable('service')],
    ['an aborted request', { unsigned: 'aborted' }, {}, 'reached failed', unreachable('service')],
    [
      'an answer that is too large',
      { unsigned: 'too-large' },
      {},
      'readable failed',
      { failure: { kind: 'too-large', limitBytes: 65_536 } },
    ],
    ['a truncated answer', { unsigned: 'cut-off' }, {}, 'readable failed', cutOff],
    [
      'a timeout of the proxy',
      { unsigned: { status: 504, proxyFailure: 'timeout' } },
      { service: service({ via: 'proxy', timeoutMs: 7_000 }) },
      'reached failed',
      { failure: overdue },
    ],
    ['no key', { sign: 'no-key' }, {}, 'key failed', { failure: { kind: 'no-key' } }],
    [
      'an aborted signed request',
      { signed: () => 'aborted' },
      {},
      'key failed',
      { failure: { kind: 'signer-failed', reason: 'error' } },
    ],
    ['a late service loss', { signed: () => 'unreachable' }, {}, 'signature failed', unreachable('service')],
    ['a late proxy loss', { signed: () => 'unreachable' }, proxied, 'signature failed', unreachable('proxy')],
    [
      'node ids that the service rejects',
      { signed: () => ({ status: 400, body: '' }) },
      {},
      'nodes failed',
      { failure: { kind: 'node-id-invalid' } },
    ],
    ['another node', { signed: () => ({ body: record(nodeId(8)) }) }, {}, 'nodes failed', { failure: other }],
    [
      'no default node for the key, and one known node',
      { signed: (node) => (node === '' ? { status: 404 } : {}) },
      { nodes: [{ tags: [] }, ...nodes(1)] },
      'nodes warning',
      { found: 1, asked: 2, missing: [''] },
    ],
    [
      'a record that lacks two fields',
      { signed: (node) => ({ body: record(node, { stake_deployed: undefined, status: undefined }) }) },
      {},
      'record warning',
      { fields: 5 },
    ],
  ])('with %s reports it', async (_what, scene, given, step, expected) => {
    const { ended } = await runTest(scene, given)
    const [name, state] = step.split(' ')
    expect(ended.findLast((one) => one.name === name)).toMatchObject({ state, ...expected })
  })

  it('bounds the clock offset by the times of the request and its answer', async () => {
    const { clock } = await runTest({})
    const sentMs = clock.wallMs()
    const dateMs = sentMs + 34_000
    const unsigned = { status: 401, date: new Date(dateMs).toUTCString() }
    const { ended } = await runTest({ unsigned, takesMs: 4_000 })
    expect(ended[0]).toEqual({ name: 'reached', state: 'ok', latencyMs: 4_000 })
    // Between 30 and 35 s apart: only 30 s is certain, which is within the limit.
    expect(ended[2]).toEqual({ name: 'clocks', state: 'ok', offset: { lowMs: 30_000, highMs: 35_000 } })
  })

  it('diagnoses an unreachable service by probes, even if no node is named', async () => {
    const probe: NetworkProbe = { opaque: async () => 'nothing', localNetwork: async () => 'granted' }
    const { ended } = await runTest({ unsigned: 'unreachable', probe }, { nodes: [] })
    expect(ended[0]).toMatchObject({
      failure: { kind: 'unreachable', hop: 'service' },
      diagnosis: { likely: ['nothing-answers'] },
    })
  })

  it('diagnoses a refusal by its words and the clocks, and a foreign page over plain http', async () => {
    const date = new Date(createFakeClock().wallMs() + 600_000).toUTCString()
    const signed = () => ({ status: 401, body: '{"detail":"who"}', date })
    const { ended } = await runTest({ signed })
    const step = ended.find(({ name }) => name === 'signature')
    expect(step).toMatchObject({
      diagnosis: {
        clues: expect.arrayContaining([
          { kind: 'said', words: expect.objectContaining({ text: 'who' }) },
          { kind: 'clocks', offset: { lowMs: 600_000, highMs: 601_000 } },
          { kind: 'correction', correction: expect.objectContaining({ state: 'refused' }) },
        ]),
      },
    })
    const page = { status: 200, body: '<html><title>Sign in</title>', contentType: 'text/html' }
    const plain = { service: service({ baseUrl: 'http://10.0.0.1' }) }
    const foreign = await runTest({ signed: () => page, unsigned: page }, plain)
    expect(foreign.ended.find(({ name }) => name === 'signature')).toMatchObject({
      diagnosis: { likely: ['captive-portal', 'sign-in-page'] },
    })
  })

  it('warns of a key that is accepted only with the service’s time', async () => {
    const date = new Date(createFakeClock().wallMs() + 73_000).toUTCString()
    let requests = 0
    const late = await runTest({
      signed: () => (requests++ === 0 ? { status: 401, body: '', date } : { date }),
    })
    expect(late.ended[4]).toEqual({
      name: 'signature',
      state: 'warning',
      latencyMs: 0,
      corrected: { lowMs: 73_000, highMs: 74_000 },
    })
    const onTime = await runTest({ signed: () => ({ date }) })
    expect(onTime.ended[4]).toEqual({ name: 'signature', state: 'ok', latencyMs: 0 })
  })

  it('names the configured key if the profile sends none', async () => {
    const key = 'cd'.repeat(32)
    const profile = {
      v: 1 as const,
      message: { kind: 'template' as const, template: '{path}' },
      headers: { Authorization: '{sig.hex}' },
    }
    const named = await runTest({}, { service: service({ key, profile }) })
    expect(named.ended[3]).toEqual({ name: 'key', state: 'ok', publicKey: key })
    const unnamed = await runTest({}, { service: service({ profile }) })
    expect(unnamed.ended[3]).toEqual({ name: 'key', state: 'ok', publicKey: undefined })
  })
})
