import { expect, it } from 'vitest'
import type { TestStep } from '#monitor/connection-test.ts'
import { testReportOf } from '#parts/test-report.ts'
import { aService, BASE_URL, recordOf, WALL_MS } from '#test/support/fleet-fixture.ts'

const CLOCKS: TestStep = { name: 'clocks', state: 'warning', offset: { lowMs: 59_000, highMs: 61_000 } }
const NODES: TestStep = { name: 'nodes', state: 'warning', found: 1, asked: 2, missing: ['0x2'] }
const RECORD: TestStep = { name: 'record', state: 'warning', record: recordOf('{}'), fields: 0 }
const FAILED: TestStep = { name: 'signature', state: 'failed', failure: { kind: 'unauthorized' } }
const OK: TestStep = { name: 'reached', state: 'ok', latencyMs: 20 }

const reportOf = (...steps: readonly TestStep[]) =>
  testReportOf({
    draft: { serverUrl: '', service: aService(), nodes: [], sign: true },
    steps,
    context: { baseUrl: BASE_URL, via: 'proxy', pageOrigin: 'http://localhost', headerNames: [] },
    wallMs: WALL_MS,
  })

it.each([
  ['a step that failed, before one that is odd', [OK, CLOCKS, FAILED], 'auth/401'],
  ['else the first that is odd', [OK, CLOCKS, NODES], 'data/clock'],
  ['a node that the service does not know', [OK, NODES], 'node/404'],
  ['a record that lacks fields', [OK, RECORD], 'data/field'],
])('a connection test is reported by %s', (_, steps, code) => {
  expect(reportOf(...steps)).toContain(code)
})

it('a connection test that went well needs no report', () => {
  expect(reportOf(OK)).toBeUndefined()
})
