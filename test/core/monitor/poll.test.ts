import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { err, ok, type Result } from '#base/result.ts'
import { deadlineOf, runPoll, type PollTarget } from '#monitor/poll.ts'
import type { HttpReply, TransportFailure, TransportRequest } from '#protocol/transport.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignFailure, SignedHeaders } from '#signing/signer.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { BASE, nodeId, record } from './watch.ts'

const TOKEN = 'a-token-of-the-operator'
const TARGET: PollTarget = {
  metrics: METRICS,
  serviceId: serviceIdOf(BASE),
  nodeId: nodeId(0),
  base: BASE,
  proxied: false,
  timeoutMs: 10_000,
}

type Polled = {
  readonly reply?: Partial<HttpReply>
  readonly fails?: TransportFailure
  readonly signed?: Partial<SignedHeaders>
  /** The failure of the signer, by correction. */
  readonly sign?: (correctionMs: number | undefined) => SignFailure | undefined
  readonly target?: Partial<PollTarget>
  readonly latencyMs?: number
}

/** Runs one poll; returns its outcome and the requests sent. */
async function polled({ reply = {}, fails, signed = {}, sign, target = {}, latencyMs = 40 }: Polled) {
  const clock = createFakeClock()
  const requests: TransportRequest[] = []
  const corrections: (number | undefined)[] = []
  const outcome = runPoll(
    {
      clock,
      nowMs: clock.monotonicMs,
      transport: (request): Promise<Result<HttpReply, TransportFailure>> => {
        requests.push(request)
        const answer = fails ? err(fails) : ok({ status: 200, body: record(nodeId(0)), ...reply })
        return new Promise((resolve) => clock.after(latencyMs, () => resolve(answer)))
      },
      signer: {
        signStatusRequest: async (_, _id, correctionMs) => {
          corrections.push(correctionMs)
          const failure = sign?.(correctionMs)
          if (failure !== undefined) return err(failure)
          return ok({ headers: { Authorization: `Bearer ${TOKEN}` }, query: 'node_id=0x0001', ...signed })
        },
      },
    },
    { ...TARGET, ...target },
    new AbortController().signal,
  )
  await clock.advance(1_000)
  return { outcome: await outcome, requests, corrections }
}

const dateIn = (ms: number): string => new Date(createFakeClock().wallMs() + ms).toUTCString()

describe('a request with the operator’s token', () => {
  const refusal = {
    status: 403,
    body: JSON.stringify({ detail: `${TOKEN} is no good` }),
    challenge: `Bearer error="${TOKEN}"`,
  }

  it('is shown without it, even in a refusal that repeats it', async () => {
    const { outcome, requests } = await polled({ reply: refusal, signed: { token: TOKEN } })
    expect(requests[0]?.headers).toEqual({ Authorization: `Bearer ${TOKEN}` })
    expect(outcome).toMatchObject({ kind: 'sent', byToken: true })
    expect(JSON.stringify(outcome)).not.toContain(TOKEN)
    expect(outcome).toMatchObject({
      reply: {
        status: 403,
        body: '{"detail":"[token] is no good"}',
        challenge: 'Bearer error="[token]"',
      },
    })
  })

  it('leaves an answer with a record unchanged', async () => {
    const body = record(nodeId(0), { status: TOKEN })
    const { outcome } = await polled({ reply: { body }, signed: { token: TOKEN } })
    expect(outcome).toMatchObject({ reply: { body } })
  })

  it('is not repeated with a corrected time, because it signs none', async () => {
    const late = { status: 401, date: dateIn(300_000) }
    const byToken = await polled({ reply: late, signed: { token: TOKEN } })
    expect(byToken.requests).toHaveLength(1)
    expect(byToken.outcome).toMatchObject({ correction: undefined })
    const bySignature = await polled({ reply: late })
    expect(bySignature.requests).toHaveLength(2)
  })

  it('is not repeated after a nonce error, unlike a signed one', async () => {
    const taken = { status: 401, body: '{"code":"nonce-used"}' }
    expect((await polled({ reply: taken, signed: { token: TOKEN } })).requests).toHaveLength(1)
    expect((await polled({ reply: taken })).requests).toHaveLength(2)
  })

  it('is shown in full if it is signed instead', async () => {
    const { outcome } = await polled({ reply: refusal })
    expect(outcome).toMatchObject({ reply: refusal })
    expect(outcome).not.toHaveProperty('byToken')
  })
})

describe('a request that cannot be signed', () => {
  it.each<[SignFailure, object]>([
    ['no-key', { kind: 'no-key' }],
    ['no-token', { kind: 'no-token' }],
    ['key-locked', { kind: 'key-locked' }],
    ['chain-key', { kind: 'signer-failed', reason: 'chain-key' }],
    ['key-not-allowed', { kind: 'signer-failed', reason: 'key-not-allowed' }],
    ['profile-not-accepted', { kind: 'signer-failed', reason: 'profile-not-accepted' }],
    ['text-refused', { kind: 'signer-failed', reason: 'text-refused' }],
    ['not-configured', { kind: 'signer-failed', reason: 'not-configured' }],
    ['no-answer', { kind: 'signer-failed', reason: 'no-answer' }],
    ['error', { kind: 'signer-failed', reason: 'error' }],
    ['time-not-allowed', { kind: 'signer-failed', reason: 'error' }],
  ])('(%s) is not sent, and the failure is reported', async (failure, said) => {
    const { outcome, requests } = await polled({ sign: () => failure })
    expect(outcome).toMatchObject({ kind: 'not-sent', failure: said })
    expect(requests).toEqual([])
  })

  it('with a time that the signer no longer allows is signed with this computer’s time', async () => {
    const { outcome, corrections } = await polled({
      target: { correctionMs: 300_000 },
      sign: (ms) => (ms === undefined ? undefined : 'time-not-allowed'),
    })
    expect(corrections).toEqual([300_000, undefined])
    expect(outcome).toMatchObject({ kind: 'sent', result: { ok: true }, correction: undefined })
  })
})

describe('a refusal with a different Date', () => {
  const refusal = { status: 401, date: dateIn(3_600_000) }

  it('is the result if the second signature fails', async () => {
    const { outcome } = await polled({
      reply: refusal,
      sign: (ms) => (ms === undefined ? undefined : 'key-locked'),
    })
    expect(outcome).toMatchObject({ kind: 'sent', result: { error: { kind: 'unauthorized' } } })
  })

  it('is not followed by a second request without time for an answer', async () => {
    const timeoutMs = DEFAULTS.timeoutMinMs + 40
    expect((await polled({ reply: refusal, target: { timeoutMs } })).requests).toHaveLength(2)
    expect((await polled({ reply: refusal, target: { timeoutMs: timeoutMs - 1 } })).requests).toHaveLength(1)
  })
})

describe('the outcome of a poll', () => {
  it('has its times, its URL and its headers', async () => {
    const { outcome } = await polled({ latencyMs: 70 })
    const clock = createFakeClock()
    expect(outcome).toMatchObject({
      kind: 'sent',
      latencyMs: 70,
      startedMs: clock.monotonicMs(),
      startedWallMs: clock.wallMs(),
      url: 'https://api.example/node/status?node_id=0x0001',
      requestHeaders: { Authorization: `Bearer ${TOKEN}` },
    })
  })

  it('is a failure without a reply if none came', async () => {
    const { outcome } = await polled({ fails: { kind: 'unreachable' } })
    expect(outcome).toMatchObject({ result: { error: { kind: 'unreachable' } }, reply: undefined })
  })

  it('is aborted if the transport was aborted', async () => {
    expect((await polled({ fails: { kind: 'aborted' } })).outcome).toEqual({ kind: 'aborted' })
  })
})

it('a poll through the dashboard’s server waits longer, so that the server can report a timeout itself', () => {
  expect(deadlineOf({ timeoutMs: 5_000, proxied: false })).toBe(5_000)
  expect(deadlineOf({ timeoutMs: 5_000, proxied: true })).toBe(5_000 + DEFAULTS.proxyGraceMs)
})

it.each<['signed' | 'answered', number]>([
  ['signed', 0],
  ['answered', 1],
])('an aborted request is not a poll if it was aborted while being %s', async (when, requests) => {
  const clock = createFakeClock()
  const ended = new AbortController()
  let sent = 0
  const outcome = await runPoll(
    {
      clock,
      nowMs: clock.monotonicMs,
      transport: async () => {
        sent++
        if (when === 'answered') ended.abort()
        return ok({ status: 200, body: record(nodeId(0)) })
      },
      signer: {
        signStatusRequest: async () => {
          if (when === 'signed') ended.abort()
          return ok({ headers: {}, query: '' })
        },
      },
    },
    TARGET,
    ended.signal,
  )
  expect([outcome, sent]).toEqual([{ kind: 'aborted' }, requests])
})
