import { METRICS } from '#metrics/metrics.ts'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { stageAt } from '#fleet/assessment.ts'
import { runPoll } from '#monitor/poll.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { HttpReply, TransportFailure } from '#protocol/transport.ts'
import { serviceIdOf } from '#record/service.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { BASE, nodeId, record, service, watch, type Answer } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const mutatedBody = fc.tuple(fc.nat(400), fc.nat(20), fc.string({ maxLength: 12 })).map(([at, cut, text]) => {
  const body = record(nodeId(0))
  return body.slice(0, at) + text + body.slice(at + cut)
})
const body = fc.oneof(mutatedBody, fc.json(), fc.string(), fc.constant(record(nodeId(0))))
const header = fc.option(fc.oneof(fc.string({ maxLength: 30 }), fc.nat().map(String)), { nil: undefined })
const reply: fc.Arbitrary<HttpReply> = fc
  .record(
    {
      status: fc.constantFrom(200, 200, 200, 204, 304, 400, 401, 404, 429, 500, 503, 599),
      body,
      date: header,
      age: header,
      retryAfter: header,
      proxyFailure: header,
    },
    { requiredKeys: ['status', 'body'] },
  )
  .map(({ status, body: text, ...headers }) => ({
    status,
    body: text,
    ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
  }))
const broken: fc.Arbitrary<TransportFailure> = fc.constantFrom(
  { kind: 'unreachable' },
  { kind: 'cut-off' },
  { kind: 'redirected' },
  { kind: 'timeout', afterMs: 5 },
  { kind: 'too-large', limitBytes: 9 },
)

it('a poll never throws, and never yields a number that is not finite', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 5, arbitrary: reply.map(ok) }, { weight: 1, arbitrary: broken.map(err) }),
      async (answer) => {
        const clock = createFakeClock()
        const outcome = await runPoll(
          {
            clock,
            nowMs: clock.monotonicMs,
            transport: async () => answer,
            signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
          },
          {
            serviceId: serviceIdOf(BASE),
            nodeId: nodeId(0),
            base: BASE,
            proxied: false,
            metrics: METRICS,
            timeoutMs: 10,
          },
          new AbortController().signal,
        )
        if (outcome.kind !== 'sent') throw new Error('it was sent')
        if (!outcome.result.ok) return
        const { stake, participation, threatResponses, heartbeat } = outcome.result.value
        for (const field of [stake, participation, threatResponses])
          expect(!field.ok || Number.isFinite(field.value.value)).toBe(true)
        expect(!heartbeat.ok || Number.isFinite(heartbeat.value.atMs)).toBe(true)
      },
    ),
    { numRuns: 1_000 },
  )
})

it('an engine fed with such answers goes on, and judges what it has', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 5, maxLength: 5 }), async (replies) => {
      const answers: Answer[] = [...replies]
      const screen = watch(
        { services: [service({ pollIntervalMs: 1_000 })] },
        { answer: () => answers.shift() ?? {} },
      )
      await screen.clock.advance(5 * 60_000)
      const snapshot = screen.monitor.snapshot()
      const { inFlight, nextPollMs = Number.POSITIVE_INFINITY } = screen.node(0)
      expect(inFlight || nextPollMs <= snapshot.nowMs + DEFAULTS.retryAfterMaxMs + 2_000).toBe(true)
      expect(causesOf(snapshot, snapshot.nowMs).length).toBeLessThanOrEqual(50)
      expect(stageAt(screen.node(0).assessment, snapshot.nowMs).checks).toHaveLength(8)
      for (const sample of screen.samples())
        for (const value of Object.values(sample))
          expect(typeof value !== 'number' || Number.isFinite(value)).toBe(true)
      screen.monitor.dispose()
    }),
    { numRuns: 10 },
  )
})
