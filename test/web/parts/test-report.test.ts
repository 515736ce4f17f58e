import { expect, it } from 'vitest'
import type { TestStep } from '#monitor/connection-test.ts'
import { testReportOf } from '#parts/test-report.ts'
import { A_KEY } from '#test/support/fake-dashboard.tsx'
import { aService, BASE_URL, recordOf, WALL_MS } from '#test/support/fleet-fixture.ts'

const CLOCKS: TestStep = { name: 'clocks', state: 'warning', offset: { lowMs: 59_000, highMs: 61_000 } }
const NODES: TestStep = { name: 'nodes', state: 'warning', found: 1, asked: 2, missing: ['0x2'] }
const RECORD: TestStep = { name: 'record', state: 'warning', record: recordOf('{}'), fields: 0 }
const FAILED: TestStep = { name: 'signature', state: 'failed', failure: { kind: 'unauthorized' } }
const OK: TestStep = { name: 'reached', state: 'ok', latencyMs: 20 }

const reportOf = (...steps: readonly TestStep[]) =>
  testReportOf({
    draft: { serverUrl: '', service: aService({ key: A_KEY.publicKey }), nodes: [], sign: true },
    steps,
    context: { baseUrl: BASE_URL, via: 'proxy', pageOrigin: 'http://localhost', headerNames: [] },
    wallMs: WALL_MS,
  })

it.each([
  ['a failed step rather than a warning', [OK, CLOCKS, FAILED], 'auth/401'],
  ['the first warning if no step failed', [OK, CLOCKS, NODES], 'data/clock'],
  ['a node unknown to the service', [OK, NODES], 'node/404'],
  ['a record with missing fields', [OK, RECORD], 'data/field'],
])('the report of a connection test names %s', (_, steps, code) => {
  expect(reportOf(...steps)).toContain(code)
  expect(reportOf(...steps)).toContain(A_KEY.publicKey)
})

it('a successful connection test has no report', () => {
  expect(reportOf(OK)).toBeUndefined()
})
