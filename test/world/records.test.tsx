import { METRICS } from '#metrics/metrics.ts'
import { describe, expect, it } from 'vitest'
import { parseJsonRecord } from '#record/json-record.ts'
import { readStatusRecord } from '#metrics/status-record.ts'
import { damaged } from '#test/support/bench-faults.ts'
import { FAULTS } from '#test/faults/matrix.ts'
import { faultRows } from './fault-rows.ts'
import { lost, used, type Told, type Used } from './told.ts'

const NO_RECORD = [
  /The answer is not a status record/,
  /The node’s page shows the answer; tell the service operator/,
] as const
const TOO_LARGE = [/The answer is larger than 64 KiB/, /Tell the service operator/] as const

const LOST: readonly Told[] = [
  [
    42,
    'wrong-types',
    'data/record',
    /lacks the fields of a status record/,
    /The node’s page shows the answer; tell the service operator/,
  ],
  [49, 'nan', 'data/not-json', ...NO_RECORD],
  [50, 'truncated-json', 'data/not-json', ...NO_RECORD],
  [50, 'trailing-bytes', 'data/not-json', ...NO_RECORD],
  [50, 'utf-16', 'data/not-json', ...NO_RECORD],
  [52, 'null', 'data/not-json', ...NO_RECORD],
  [52, 'array', 'data/not-json', ...NO_RECORD],
  [52, 'string', 'data/not-json', ...NO_RECORD],
  [53, 'html', 'data/not-json', /not a status record/, /The body is a web page/],
  [
    55,
    'proto-only',
    'data/record',
    /lacks the fields of a status record/,
    /The node’s page shows the answer; tell the service operator/,
  ],
  [59, 'long-status', 'data/too-large', ...TOO_LARGE],
  [60, 'padding', 'data/too-large', ...TOO_LARGE],
  [62, 'deep', 'data/too-large', ...TOO_LARGE],
  [62, ['deep', 30_000], 'data/not-json', ...NO_RECORD],
  [70, 'other-node', 'data/wrong-node', /The answer is about another node/, /cache or proxy/],
]

const NO_MEANING = /set what it means/
const USED: readonly Used[] = [
  [41, 'missing', 'data/field', /stake_deployed is missing/],
  // A number is never read from a string, because nothing would show a wrong guess.
  [43, 'numbers-as-text', 'data/field', /fields can’t be used/],
  [44, 'negative', 'data/field', /3 fields can’t be used/],
  [45, 'percent', 'data/unit', /out of range/],
  [45, ['participation', 250], 'data/unit', /out of range/],
  [46, 'infinity', 'data/field', /stake_deployed can’t be used/],
  [46, 'negative-infinity', 'data/field', /stake_deployed can’t be used/],
  [47, 'big', undefined, undefined, { shown: /9,007,199,254,740,993/, never: /9,007,199,254,740,992/ }],
  [48, 'tiny', undefined],
  [48, 'denormal', undefined],
  [48, 'negative-zero', undefined, undefined, { never: /[−]0\b|\D-0\b/ }],
  [49, 'nan-text', 'data/field', /network_participation can’t be used/],
  [51, 'bom', undefined, undefined, { shown: /ACTIVE/ }],
  [55, 'proto', undefined, undefined, { shown: /ACTIVE/, never: /isAdmin/ }],
  [56, 'xss', 'data/status', NO_MEANING, { shown: /<img/ }],
  [57, 'bidi', 'data/status', NO_MEANING, { shown: /U\+202E/i, never: /[\u202a-\u202e\u2066-\u2069\u200b]/ }],
  [57, 'surrogate', 'data/status', NO_MEANING, { shown: /U\+D800/i }],
  [58, 'look-alike', 'data/status', NO_MEANING, { shown: /look-alike/ }],
  [58, 'padded-status', 'data/status', NO_MEANING],
  [58, ['status-word', 'active'], 'data/status', NO_MEANING],
  [59, ['long-status', 40_000], 'data/status', NO_MEANING, { never: /[^]{20000}/ }],
  [66, 'heartbeat-future', 'data/clock', /in the future/, { shown: /clocks disagree/ }],
  [66, ['heartbeat-future', 1], undefined, undefined, { never: /clocks disagree/ }],
  [67, 'heartbeat-ms', undefined, undefined, { shown: /Read as milliseconds/ }],
  [68, 'heartbeat-zero', 'data/field', /last_heartbeat/, { never: /\d{4,}\s*(d|years?)\b/ }],
  [68, 'heartbeat-negative', 'data/field', /last_heartbeat/, { never: /\d{4,}\s*(d|years?)\b/ }],
  [68, 'heartbeat-fraction', 'data/field', /last_heartbeat/, { never: /\d{4,}\s*(d|years?)\b/ }],
  [68, 'heartbeat-text', 'data/field', /last_heartbeat/],
  [69, ['silent-heartbeat', 600], undefined, undefined, { shown: /Heartbeat too old/ }],
  [69, ['heartbeat-backwards', 120], undefined, undefined, { shown: /Heartbeat too old/ }],
  [70, 'id-upper-case', undefined],
  [70, 'id-bare', undefined],
  [73, 'status-word', 'data/status', /Unknown status DRAINING: set what it means/, { shown: /DRAINING/ }],
  [74, 'extra-fields', undefined, undefined, { shown: /New fields/ }],
]

describe('a record', () => {
  const rows = faultRows()
  lost(rows, LOST)
  used(rows, USED)
  const { row } = rows

  row(72, {}, async ({ set, told, old }) => {
    await set('cached')
    expect(await told(/A cache answers/)).toMatch(/old on arrival/)
    await old()
  })

  row(54, {}, async ({ page, set, told }) => {
    await set('duplicate-keys')
    expect(await told('data/record-odd')).toMatch(
      /more than once, with different values; the last one is shown/,
    )
    // As in every JSON parser the last one counts.
    expect(page.hero()).toContain('INACTIVE')
  })
})

it(`F 75: ${FAULTS[75]} (1,000 times, in the parser)`, () => {
  const good = JSON.stringify({
    node_id: `0x${'5c'.repeat(32)}`,
    status: 'ACTIVE',
    stake_deployed: 1_250_000,
    network_participation: 0.9731,
    threat_responses_executed: 4_182,
    last_heartbeat: 1_763_450_000,
    cryptographic_proof: `0x${'a1'.repeat(64)}`,
  })
  let records = 0
  for (let turn = 0; turn < 1_000; turn++) {
    const json = parseJsonRecord(damaged(good, 75, turn))
    if (!json.ok) continue
    records++
    expect(
      numbersIn(readStatusRecord(json.value, METRICS)).filter(
        (number) => !Number.isFinite(number) || number < 0,
      ),
    ).toEqual([])
  }
  // The corruption produced both records and parse errors.
  expect(records).toBeGreaterThan(50)
  expect(records).toBeLessThan(950)
})

const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : []
}

describe('random corruption', () => {
  const { row } = faultRows()
  row(75, { of: 'in polls', leaves: 'data/' }, async ({ page, set, polls }) => {
    await set('fuzz', 17)
    await polls(6)
    expect(page.values()).not.toMatch(/\bNaN\b|Infinity|∞/)
  })
})

/** The increase of the counter that the chart row shows. */
const rise = (values: string): number => Number(/[+](\d+) in /.exec(values)?.[1])

// The message about a restart remains for ten minutes, so each test has its own world.
describe('a counter whose first value is large', () => {
  const { row } = faultRows({ before: { name: 'counter-jump', value: 5e9 } })
  row(65, { leaves: 'data/counter' }, async ({ page, reference, polls, told }) => {
    await polls(2)
    expect(page.values()).toMatch(/5,000,0\d\d,\d{3}/)
    // The engine did not see this increase, so it must not report it.
    expect(rise(page.values())).toBeLessThan(1_000)
    await reference.faults.clear()
    await told('data/counter')
  })
})

describe('a counter that goes down', () => {
  const { row } = faultRows()
  row(63, { leaves: 'data/counter' }, async ({ page, set, told }) => {
    await set('counter-restart')
    expect(await told('data/counter')).toMatch(/Threat responses reset/)
    expect(page.isLive()).toBe(true)
    expect(rise(page.values())).toBeGreaterThanOrEqual(0)
  })
})

describe('a counter that jumps', () => {
  const { row } = faultRows()
  row(64, { leaves: 'data/counter' }, async ({ page, set, polls }) => {
    await set('counter-jump', 1e12)
    await polls(2)
    expect(page.values()).toMatch(/1,000,000,0\d\d,\d{3}/)
    expect(page.isLive()).toBe(true)
  })
})

describe('proofs', () => {
  const never = /Verified/
  const rows = faultRows({ service: { proof: 'record-v1' } })
  rows.row(71, { of: 'and its alarm', leaves: 'data/proof' }, async ({ alarms, polls, set }) => {
    await set('proof-wrong')
    await polls(3)
    expect(alarms()).toEqual([
      expect.objectContaining({ kind: 'proof-wrong', severity: 'critical', phase: 'firing' }),
    ])
  })
  used(rows, [
    [71, 'proof-wrong', 'data/proof', undefined, { never }],
    [71, 'proof-by-other-node', 'data/proof', undefined, { never }],
    [71, 'proof-short', 'data/proof', undefined, { never }],
    [71, ['missing', 'cryptographic_proof'], 'data/field', /cryptographic_proof is missing/, { never }],
  ])
})
