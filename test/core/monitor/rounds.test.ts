import { expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createMonitor } from '#monitor/monitor.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { nodes, record, service } from './watch.ts'

const bug = new Error('bug')
const broken = (): never => {
  throw bug
}

it.each([
  ['recorded', { sample: broken }, () => record('0x0001')],
  ['read', { sample: () => undefined }, broken],
])('a poll that cannot be %s is repeated, and the error is reported', async (_what, records, body) => {
  const clock = createFakeClock()
  const errors: unknown[] = []
  let polls = 0
  const monitor = createMonitor({
    ...MONITOR_PARTS,
    clock,
    transport: async () => {
      polls++
      return ok({
        status: 200,
        get body() {
          return body()
        },
      })
    },
    signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
    records: { ...records, gap: () => undefined, forget: () => undefined },
    onChange: () => undefined,
    onError: (error) => errors.push(error),
  })
  monitor.configure({
    serverUrl: 'http://127.0.0.1',
    services: [service({ pollIntervalMs: 10_000 })],
    nodes: nodes(1),
  })
  await clock.advance(50_000)
  expect(polls).toBeGreaterThanOrEqual(2)
  expect(errors.length).toBeGreaterThanOrEqual(polls - 1)
  expect(new Set(errors)).toEqual(new Set([bug]))
  monitor.dispose()
})
