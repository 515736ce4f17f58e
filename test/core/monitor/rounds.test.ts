import { expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { createMonitor } from '#monitor/monitor.ts'
import { MONITOR_PARTS } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { nodes, record, service } from './watch.ts'

it('a poll whose outcome cannot be recorded is repeated at each slot, and the error is reported', async () => {
  const clock = createFakeClock()
  const bug = new Error('bug')
  const errors: unknown[] = []
  let polls = 0
  const monitor = createMonitor({
    ...MONITOR_PARTS,
    clock,
    transport: async () => {
      polls++
      return ok({ status: 200, body: record('0x0001') })
    },
    signer: { signStatusRequest: async () => ok({ headers: {}, query: '' }) },
    records: {
      sample: () => {
        throw bug
      },
      gap: () => undefined,
      forget: () => undefined,
    },
    onChange: () => undefined,
    onError: (error) => errors.push(error),
  })
  monitor.configure({
    serverUrl: 'http://127.0.0.1',
    services: [service({ pollIntervalMs: 10_000 })],
    nodes: nodes(1),
  })
  await clock.advance(50_000)
  expect(polls).toBe(6)
  expect(errors).toEqual([bug, bug, bug, bug, bug, bug])
  monitor.dispose()
})
