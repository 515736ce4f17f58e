/* oxlint-disable vitest/no-standalone-expect -- the rows of the table run inside tests */
import { createPublicKey, verify } from 'node:crypto'
import { request } from 'node:http'
import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseFaultFlag, type FaultValue } from '#reference/faults.ts'
import { BENCH_FAULTS, FAULT_NAMES, type FaultName } from '#test/support/bench-faults.ts'
import { recordMembers, textToProve, type Members } from '#reference/record-json.ts'
import { createFakeClock, type FakeClock } from '#test/support/fake-clock.ts'
import { askStatus, send, signedHeaders, type Ask, type TestReply } from './client.ts'
import { runReference, VIEWER, type Running } from './running.ts'

const PAGE = 'http://localhost:7420'

type Stage = Running & {
  readonly clock: FakeClock
  /** A signed request for node 1, as from a page. */
  readonly ask: (more?: Partial<Ask>) => Promise<TestReply>
  /** Node 1's record as it would be without faults. */
  readonly truth: () => ReturnType<Running['service']['network']['stateAt']>
}

type Check = (stage: Stage) => Promise<void>
type Row = { readonly value?: FaultValue; readonly check: Check }

async function stageFor(name: FaultName | undefined, value?: FaultValue): Promise<Stage> {
  const clock = createFakeClock()
  const running = await runReference({ clock })
  const node = running.id(1)
  if (name !== undefined) {
    await running.service.faults.set(name === 'refused' || name === 'clock-offset' ? '*' : node, {
      name,
      ...(value === undefined ? {} : { value }),
    })
  }
  return {
    ...running,
    clock,
    ask: (more) =>
      askStatus(running.baseUrl, {
        key: VIEWER,
        query: `node_id=${node}`,
        timestamp: Math.floor(clock.wallMs() / 1_000),
        ...more,
        headers: { Origin: PAGE, ...more?.headers },
      }),
    truth: () => running.service.network.stateAt(1, clock.wallMs()),
  }
}

const body = (expected: (json: string, stage: Stage) => void): Row => ({
  check: async (stage) => {
    const reply = await stage.ask()
    expect(reply.status).toBe(200)
    expected(reply.text, stage)
  },
})
const text = (pattern: RegExp): Row => body((json) => expect(json).toMatch(pattern))
const record = (expected: (stage: Stage) => Record<string, unknown>): Row =>
  body((json, stage) => expect(JSON.parse(json)).toMatchObject(expected(stage)))
const notJson = body((json) => expect(() => JSON.parse(json)).toThrow(SyntaxError))
const status = (wanted: number, headers: Record<string, unknown> = {}): Row => ({
  check: async ({ ask }) => {
    const reply = await ask()
    expect(reply.status).toBe(wanted)
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': PAGE, ...headers })
  },
})
const fails = (message: RegExp): Row => ({ check: async ({ ask }) => expect(ask()).rejects.toThrow(message) })

/** The service receives the request and does not answer until the client aborts. */
const silent =
  (more: Partial<Ask> = {}): Check =>
  async ({ ask, service, clock }) => {
    const giveUp = new AbortController()
    const seen = service.nextRequest()
    const outcome = ask({ ...more, signal: giveUp.signal }).then(
      () => 'answered',
      (error: Error) => error.message,
    )
    await seen
    await clock.advance(600_000)
    expect(service.stats().byStatus).toEqual({})
    giveUp.abort()
    expect(await outcome).toContain('aborted')
  }

/** Resolves once the headers arrive; `received` counts body bytes, `end` aborts. */
async function headersOf(
  { baseUrl, clock }: Stage,
  id: string,
): Promise<{ status: number; received: () => number; end: () => void }> {
  const query = `node_id=${id}`
  const headers = signedHeaders(baseUrl, {
    key: VIEWER,
    query,
    timestamp: Math.floor(clock.wallMs() / 1_000),
  })
  const outgoing = request(`${baseUrl}/node/status?${query}`, { headers, agent: false }).end()
  const [response] = await once(outgoing, 'response')
  let bytes = 0
  response.on('data', (part: Buffer) => (bytes += part.length)).on('error', () => undefined)
  return { status: response.statusCode, received: () => bytes, end: () => outgoing.destroy() }
}

const timesOf = async (count: number, ask: () => Promise<TestReply>): Promise<readonly string[]> => {
  const outcomes: string[] = []
  for (let i = 0; i < count; i++) {
    outcomes.push(
      await ask().then(
        ({ status: code }) => String(code),
        () => 'failed',
      ),
    )
  }
  return outcomes
}

/** What a client sees of each fault over a real socket, if that is more than its entry states. */
const ROWS: Partial<Readonly<Record<FaultName, Row>>> = {
  refused: {
    check: async ({ ask, service }) => {
      await expect(ask()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      await service.faults.clear()
      expect((await ask()).status).toBe(200)
    },
  },
  'clock-offset': {
    value: -3_600_000,
    check: async ({ ask, clock }) => {
      const reply = await ask()
      expect(reply.json()['code']).toBe('time-outside-window')
      expect(Date.parse(String(reply.headers['date']))).toBe(clock.wallMs() - 3_600_000)
      const timestamp = Math.floor(clock.wallMs() / 1_000) - 3_600
      expect((await ask({ timestamp })).json()['last_heartbeat']).toBeLessThanOrEqual(timestamp)
    },
  },
  'strip-authorization': {
    check: async ({ ask }) => {
      const reply = await ask()
      expect([reply.status, reply.json()['code']]).toEqual([401, 'credentials-missing'])
    },
  },
  flap: {
    value: 2,
    check: async ({ ask }) =>
      expect(await timesOf(6, ask)).toEqual(['200', '200', 'failed', 'failed', '200', '200']),
  },
  chaos: {
    value: 0,
    check: async ({ ask }) => {
      expect(new Set(await timesOf(20, ask))).toEqual(new Set(['200']))
    },
  },

  late: {
    value: 5_000,
    check: async ({ ask, clock, service }) => {
      const seen = service.nextRequest()
      const reply = ask()
      await seen
      await clock.advance(4_999)
      expect(service.stats().inFlight).toBe(1)
      await clock.advance(1)
      expect((await reply).status).toBe(200)
    },
  },
  hang: { check: silent() },
  'headers-then-hang': {
    check: async (stage) => {
      const hung = await headersOf(stage, stage.id(1))
      await stage.clock.advance(600_000)
      expect([hung.status, hung.received(), stage.service.stats().inFlight]).toEqual([200, 0, 1])
      hung.end()
    },
  },
  drip: {
    value: 1_000,
    check: async (stage) => {
      const dripping = await headersOf(stage, stage.id(1))
      expect(stage.clock.pendingMs()).toEqual([1_000])
      await stage.clock.advance(60_000)
      expect(stage.service.stats().inFlight).toBe(1)
      dripping.end()
    },
  },
  reset: fails(/ECONNRESET|hang up/),
  'reset-in-body': fails(/ECONNRESET|aborted/),
  truncated: fails(/aborted/),
  'bad-chunk': fails(/Parse Error|aborted/),
  'not-http': fails(/Parse Error/),

  'preflight-401': {
    check: async ({ ask, baseUrl, id }) => {
      expect(
        (await send(`${baseUrl}/node/status?node_id=${id(1)}`, 'OPTIONS', { Origin: PAGE })).status,
      ).toBe(401)
      expect((await ask()).status).toBe(200)
    },
  },
  'preflight-hang': { check: silent({ method: 'OPTIONS' }) },
  'preflight-each': {
    check: async ({ baseUrl, id }) => {
      const asks = { Origin: PAGE, 'Access-Control-Request-Method': 'GET' }
      const reply = await send(`${baseUrl}/node/status?node_id=${id(1)}`, 'OPTIONS', asks)
      expect(reply.headers['access-control-max-age']).toBe('0')
    },
  },

  status: { value: 418, check: status(418).check },
  'status-429': { value: 120, check: status(429, { 'retry-after': '120' }).check },
  'status-429-date': {
    value: 90,
    check: async ({ ask, clock }) => {
      const named = Date.parse(String((await ask()).headers['retry-after']))
      expect(named).toBe(clock.wallMs() + 90_000)
    },
  },
  'error-hostile': {
    check: async ({ ask }) => {
      const reply = await ask()
      expect([reply.status, reply.bytes.length > 500_000, reply.text.includes('<script>')]).toEqual([
        500,
        true,
        true,
      ])
    },
  },
  'redirect-loop': status(302, { location: expect.stringMatching(/^\/node\/status\?node_id=0x/) }),
  'redirect-login': {
    check: async ({ ask, baseUrl }) => {
      expect((await ask()).headers['location']).toBe('/login')
      expect((await send(`${baseUrl}/login`)).text).toContain('Sign in')
    },
  },

  'counter-restart': {
    check: async ({ ask, clock }) => {
      expect((await ask()).json()['threat_responses_executed']).toBe(0)
      await clock.advance(3_600_000)
      const count = Number((await ask()).json()['threat_responses_executed'])
      expect(count).toBeGreaterThan(20)
      expect(count).toBeLessThan(2_000)
    },
  },
  'silent-heartbeat': {
    value: 540,
    check: async ({ ask, clock, truth }) => {
      const before = truth().lastHeartbeat - 540
      await clock.advance(3_600_000)
      expect((await ask()).json()).toMatchObject({ last_heartbeat: before, status: 'ACTIVE' })
    },
  },
  'heartbeat-backwards': {
    value: 60,
    check: async ({ ask }) => {
      const first = Number((await ask()).json()['last_heartbeat'])
      expect((await ask()).json()['last_heartbeat']).toBe(first - 60)
    },
  },

  missing: {
    value: 'last_heartbeat',
    check: body((json) => expect(JSON.parse(json)).not.toHaveProperty('last_heartbeat')).check,
  },
  'other-node': body((json, { id }) => {
    expect(JSON.parse(json).node_id).toMatch(/^0x[0-9a-f]{64}$/)
    expect(JSON.parse(json).node_id).not.toBe(id(1))
  }),
  'proof-of-other-data': {
    check: async ({ ask, service, id, clock }) => {
      const reply = (await ask()).json()
      const at = (ms: number) => recordMembers(id(1), service.network.stateAt(1, ms))
      const proof = String(reply['cryptographic_proof'])
      expect(isProof(id(1), at(clock.wallMs()), proof)).toBe(false)
      expect(isProof(id(1), at(clock.wallMs() - 86_400_000), proof)).toBe(true)
    },
  },
  'proof-by-other-node': {
    check: async ({ ask, service, id, clock }) => {
      const proof = String((await ask()).json()['cryptographic_proof'])
      const members = recordMembers(id(1), service.network.stateAt(1, clock.wallMs()))
      expect([isProof(id(1), members, proof), isProof(id(2), members, proof)]).toEqual([false, true])
    },
  },
  'proof-wrong': {
    check: async ({ ask, service }) => {
      const wrong = (await ask()).json()['cryptographic_proof']
      await service.faults.clear()
      const right = String((await ask()).json()['cryptographic_proof'])
      expect(String(wrong).slice(3)).toBe(right.slice(3))
      expect(wrong).not.toBe(right)
    },
  },
  'long-status': { value: 70_000, check: record(() => ({ status: 'A'.repeat(70_000) })).check },
  'duplicate-keys': body((json) => {
    expect(json.match(/"status":/g)).toHaveLength(3)
    expect(JSON.parse(json).status).toBe('INACTIVE')
  }),

  'truncated-json': notJson,
  'utf-16': {
    check: async ({ ask }) => {
      const { bytes } = await ask()
      expect([...bytes.subarray(0, 4)]).toEqual([0xff, 0xfe, 0x7b, 0])
    },
  },
  deep: { value: 5_000, check: text(/^\[{5000}\]{5000}$/).check },
  padding: { value: 100_000, check: text(/^ {100000}\{"node_id"/).check },
  'big-body': { value: 300_000, check: body((json) => expect(json.length).toBe(300_000)).check },
  'gzip-bomb': {
    value: 8 * 2 ** 20,
    check: async ({ ask }) => {
      const reply = await ask()
      expect(reply.headers['content-encoding']).toBe('gzip')
      expect(reply.bytes.length).toBeLessThan(20_000)
      expect(await unpackedBytes(reply.bytes)).toBe(8 * 2 ** 20)
    },
  },
  cached: {
    check: async ({ ask, clock }) => {
      const fresh = await ask()
      await clock.advance(90_000)
      const old = await ask()
      expect([fresh.headers['age'], old.headers['age'], old.text]).toEqual(['0', '90', fresh.text])
    },
  },
  fuzz: {
    value: 7,
    check: async ({ ask, service, id }) => {
      const bodies = [(await ask()).text, (await ask()).text]
      expect(bodies[0]).not.toBe(bodies[1])
      await service.faults.set(id(1), { name: 'fuzz', value: 7 })
      expect((await ask()).text).toBe(bodies[0])
    },
  },
}

/** The unpacked bytes of a gzip stream whose end is missing on purpose. */
async function unpackedBytes(packed: Buffer): Promise<number> {
  const gunzip = createGunzip()
  let bytes = 0
  gunzip.on('data', (part: Buffer) => (bytes += part.length))
  gunzip.end(packed)
  await once(gunzip, 'error').catch(() => undefined)
  return bytes
}

/** Verifies the signature with node:crypto, not with src. */
function isProof(nodeId: string, members: Members, proof: string): boolean {
  const x = Buffer.from(nodeId.slice(2), 'hex').toString('base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  return verify(null, Buffer.from(textToProve(members)), key, Buffer.from(proof.slice(2), 'hex'))
}

describe('the fault', () => {
  const rows = FAULT_NAMES.flatMap((name) => {
    const row = ROWS[name]
    return row === undefined ? [] : [{ name, ...row }]
  })
  it.each(rows)('$name has its documented effect', async ({ name, value, check }) => {
    await check(await stageFor(name, value))
  })

  it.each(FAULT_NAMES.filter((name) => !['refused', 'clock-offset', 'redirect-login'].includes(name)))(
    '%s does not affect another node',
    async (name) => {
      const { ask, id, service, clock } = await stageFor(name, ROWS[name]?.value)
      const reply = await ask({ query: `node_id=${id(2)}` })
      expect(reply.status).toBe(200)
      const truth = service.network.stateAt(2, clock.wallMs())
      expect(reply.json()).toMatchObject({
        node_id: id(2),
        stake_deployed: truth.stake,
        last_heartbeat: truth.lastHeartbeat,
      })
    },
  )
})

describe('faults', () => {
  it('on all nodes add to those of one node', async () => {
    const { service, ask, id } = await stageFor('status-word', 'ONE')
    await service.faults.set('*', { name: 'stake', value: 5 })
    expect((await ask()).json()).toMatchObject({ status: 'ONE', stake_deployed: 5 })
    expect((await ask({ query: `node_id=${id(2)}` })).json()).toMatchObject({
      status: 'ACTIVE',
      stake_deployed: 5,
    })
  })

  it('apply before the signature is checked, like those of a gateway', async () => {
    const { ask } = await stageFor('status-503')
    expect((await ask({ origin: 'https://other.example' })).status).toBe(503)
  })

  it('end when they are cleared', async () => {
    const { ask, service, id } = await stageFor('status-500')
    await service.faults.set(id(1), { name: 'late', value: 0 })
    await service.faults.clear(id(1), 'status-500')
    expect(service.faults.list().map(({ name }) => name)).toEqual(['late'])
    await service.faults.clear(id(1).toUpperCase().replace('0X', '0x'))
    expect([(await ask()).status, service.faults.list()]).toEqual([200, []])
  })

  it('are at most 20,000 at once; one that replaces another takes no room', async () => {
    const { faults } = (await runReference()).service
    const set = (index: number) => faults.set(`0x${String(index).padStart(64, '0')}`, { name: 'hang' })
    for (let index = 0; index < 20_000; index++) await set(index)
    await set(0)
    expect(() => set(20_000)).toThrow('more than 20000 faults at once')
    await faults.clear(`0x${'0'.repeat(64)}`)
    await set(20_000)
    expect(faults.list()).toHaveLength(20_000)
  })

  it('of kind "record" change the proof, those of kind "member" do not', async () => {
    const proofs: unknown[] = []
    for (const fault of [undefined, 'negative', 'stake'] as const) {
      const { ask } = await stageFor(fault, fault === 'stake' ? 5 : undefined)
      proofs.push((await ask()).json()['cryptographic_proof'])
    }
    expect(proofs[0]).toBe(proofs[1])
    expect(proofs[0]).not.toBe(proofs[2])
  })

  it.each([
    ['hang', '*', 'hang', undefined],
    ['late=250', '*', 'late', 250],
    [`status-word=A=B@0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`, 'status-word', 'A=B'],
    ['drip@*', '*', 'drip', 1_000],
  ])('are read from the flag %s', (flag, node, name, value) => {
    expect(parseFaultFlag(BENCH_FAULTS, flag)).toEqual({ ok: true, value: { node, name, value } })
  })

  it.each(['', 'nonsense', 'hang=1', 'late=x', 'late=', 'hang@node', 'HANG'])(
    'are not read from the flag "%s"',
    (flag) => {
      expect(parseFaultFlag(BENCH_FAULTS, flag).ok).toBe(false)
    },
  )
})
