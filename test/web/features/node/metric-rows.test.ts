import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import { resolveSettings, type ScopedRule } from '#settings/effective.ts'
import type { KeptEntry } from '#history/event-log.ts'
import type { SeriesData, SeriesSpan, SeriesStats, LineSeries, MetricSeries, Points } from '#charts/charts.ts'
import { stageAt } from '#fleet/assessment.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import type { NodeLive } from '#fleet/live.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { textAt } from '#ui/chart/value-at.ts'
import { healthyShare, marksOf, spansOf } from '#parts/chart-spans.ts'
import { rowOf, type RowContext } from '#features/node/metric-rows.ts'
import { fieldsOfBody } from '#features/node/last-record.tsx'
import { aNode, aReading, aServiceLive, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'
import { failureShort } from '#texts/en-failure-names.ts'
import { withAssessment } from '#test/support/evaluated.ts'

const read = (parts: readonly { readonly text: string }[]): string =>
  parts
    .map(({ text }) => text)
    .join('')
    .replaceAll('\u00a0', ' ')

const points = (...value: readonly number[]) => ({
  atMs: Float64Array.from(value, (_, place) => WALL_MS - 60_000 + place * 15_000),
  value: Float64Array.from(value),
})
const stats = (min: number, max: number) => ({ min, max, last: max })

const line = (id: string, drawn: Points, range: SeriesStats): LineSeries => ({
  id,
  kind: 'line',
  points: drawn,
  stats: range,
  exact: new Map(),
})

const SERIES: readonly MetricSeries[] = [
  line('heartbeat', points(4_000, 33_000), stats(4_000, 33_000)),
  line('participation', points(0.98, 0.964), stats(0.964, 0.98)),
  line('stake', points(1, 2), stats(1, 2)),
  line('answerTime', points(184, 241), stats(184, 241)),
  {
    id: 'threatResponses',
    kind: 'bars',
    bars: [
      { fromMs: WALL_MS - 900_500, toMs: WALL_MS - 885_500, increase: 30, restarted: false },
      { fromMs: WALL_MS - 14_000, toMs: WALL_MS + 1_000, increase: 7, restarted: false },
    ],
    increase: 37,
    unwatched: [],
    restarts: Float64Array.of(WALL_MS - 30_000),
  },
  { id: 'proof', kind: 'ticks', atMs: Float64Array.of(WALL_MS - 14_000) },
]

const LANES: SeriesData = {
  fromMs: WALL_MS - 900_000,
  toMs: WALL_MS,
  stepMs: 0,
  samples: 4,
  answered: 3,
  answeredMs: 600_000,
  notWatchedMs: 100_000,
  spans: [],
  metrics: SERIES,
}

/** LANES with some fields of one metric replaced. */
const seriesWith = (id: string, given: object): SeriesData => ({
  ...LANES,
  metrics: SERIES.map((each) => (each.id === id ? { ...each, ...given } : each)),
})

type SetParts = Partial<Pick<ScopedRule, 'units' | 'limits'>>

const ruleOf = (set: SetParts): ScopedRule => ({
  from: { kind: 'service', by: 'browser' },
  units: {},
  limits: {},
  ...set,
})
const assessed = (fields: Partial<NodeLive>, set: SetParts = {}) =>
  withAssessment(
    aNode(fields),
    aServiceLive(undefined, { rules: { service: [ruleOf(set)], tags: [], detected: {} } }),
  )

const row = (id: string, context: RowContext) => {
  const metric = METRICS.find((each) => each.id === id)
  const made = metric && rowOf(metric, context)
  if (made === undefined) throw new Error(id)
  return made
}

const contextOf = (fields: Readonly<Record<string, unknown>> = {}, set: SetParts = {}): RowContext => {
  const node = assessed({ reading: aReading({ fields }) }, set)
  return {
    node,
    checks: stageAt(node.assessment, NOW_MS).checks,
    settings: resolveSettings([ruleOf(set)], {}),
    data: LANES,
    old: false,
    inRange: 'in 15 m',
    usual: {},
    barMs: 15_000,
  }
}

describe('metric rows', () => {
  it('show counter increases at each unwatched gap, and their sum beside the watched increase', () => {
    const span = (kind: SeriesSpan['kind'], fromS: number, toS: number): SeriesSpan => ({
      fromMs: WALL_MS + fromS * 1_000,
      toMs: WALL_MS + toS * 1_000,
      kind,
    })
    const [first, second] = [span('not-watched', -800, -600), span('not-watched', -400, -100)]
    const spans = [
      span('not-watched', -900, -890),
      span('answered', -890, -800),
      first,
      span('answered', -600, -550),
      span('not-watched', -550, -500),
      span('no-answer', -500, -400),
      second,
    ]
    const unwatched = [
      { atMs: first.toMs, increase: 5 },
      { atMs: second.toMs, increase: 32 },
    ]
    const data = { ...seriesWith('threatResponses', { increase: 2, unwatched }), spans }
    const made = row('threatResponses', { ...contextOf(), data })
    expect(read(made.value)).toBe('+2 in 15 m · 37 while not watched')
    expect(made).toMatchObject({
      gaps: [
        { fromMs: first.fromMs, toMs: first.toMs, label: '5 while not watched' },
        { fromMs: WALL_MS - 550_000, toMs: second.toMs, label: '32 while not watched' },
      ],
    })
  })

  it('show the last value and the minimum, maximum or total', () => {
    const context = contextOf()
    const shown = ['heartbeat', 'participation', 'threatResponses', 'stake', 'answerTime', 'proof'].map(
      (lane) => {
        const { value, note } = row(lane, context)
        return [read(value), typeof note === 'string' ? note.replaceAll('\u00a0', ' ') : note]
      },
    )
    expect(shown).toEqual([
      ['2s at the last answer', 'max 33 s'],
      ['98.42 %', 'min 96.40 %'],
      ['+37 in 15 m', '1,204,882 total'],
      ['1,250,000', undefined],
      ['184ms', 'max 241 ms'],
      ['0x9c41aa0077ab', undefined],
    ])
  })

  it('draw heartbeat limits as multiples of the heartbeat period', () => {
    const lane = row('heartbeat', contextOf({}, { units: { heartbeatPeriodMs: 60_000 } }))
    expect('limits' in lane ? lane.limits?.map(({ value, level }) => [value, level]) : []).toEqual([
      [240_000, 'warning'],
      [720_000, 'critical'],
    ])
  })

  it('show a heartbeat age with its clock uncertainty, or as unknown if that is too large', () => {
    const shown = (heartbeat: HeartbeatAge) =>
      read(
        row('heartbeat', {
          ...contextOf(),
          node: assessed({ reading: { ...aReading(), ages: { heartbeat } } }),
        }).value,
      )
    expect(shown({ kind: 'known', ageMs: 4_000, uncertaintyMs: 1_999 })).toBe('4s at the last answer')
    expect(shown({ kind: 'known', ageMs: 4_000, uncertaintyMs: 2_000 })).toBe('4s ± 2 s at the last answer')
    expect(shown({ kind: 'unchecked', ageMs: 4_000 })).toBe('4s by this computer’s clock at the last answer')
    expect(shown({ kind: 'uncertain', uncertaintyMs: 40_000 })).toBe('unknown')
    expect(shown({ kind: 'unknown', aheadMs: 9_000 })).toBe('unknown')
  })

  it('show the usual range where it is known, and scale the chart to include it', () => {
    const usual = { participation: [0.9, 0.95], threatResponses: [1, 40], answerTime: [100, 300] } as const
    const context = { ...contextOf(), usual }
    const lanes = ['heartbeat', 'participation', 'threatResponses', 'stake', 'answerTime'].map((lane) =>
      row(lane, context),
    )
    expect(lanes.map((lane) => ('usual' in lane ? lane.usual : undefined))).toEqual([
      undefined,
      [0.9, 0.95],
      [1, 40],
      undefined,
      [100, 300],
    ])
    // Once the p95 response time is known, it replaces the maximum.
    expect(lanes[4]?.note).toBe(nodeHistoryTexts.chart.p95('300\u00a0ms'))
    expect(row('answerTime', contextOf()).note).toMatch(/^max /)
    const domain = lanes[1] !== undefined && 'domain' in lanes[1] ? lanes[1].domain : undefined
    expect(domain?.[0]).toBeLessThan(0.9)
  })

  it('abbreviate a stake that is too long, and show its unit if one is set', () => {
    expect(read(row('stake', contextOf({ stake_deployed: 1250000.25 })).value)).toBe('1,250,000.25')
    expect(read(row('stake', contextOf({}, { units: { stakeSymbol: 'IMM' } })).value)).toBe('1,250,000 IMM')
    expect(read(row('stake', contextOf({ stake_deployed: 1e29 })).value)).toBe('1E29')
  })

  it('show the exact stake at a point in time, or mark it as approximate', () => {
    const { atMs } = points(1, 2)
    const [first = 0, second = 0] = atMs
    const stake = {
      points: { atMs, value: Float64Array.of(2 ** 53, 1_250_000.25) },
      exact: new Map([[first, '9007199254740993']]),
    }
    const told = (set: SetParts = {}) => {
      const lane = row('stake', { ...contextOf({}, set), data: seriesWith('stake', stake) })
      return [first, second].map((at) => textAt(lane, at, 0))
    }
    expect(told()).toEqual(['9,007,199,254,740,993', '1,250,000.25'])
    expect(told({ units: { stakeDecimals: 6 } })).toEqual(['9,007,199,254.740993', '1.25000025'])
    stake.exact.clear()
    expect(told()).toEqual(['about 9,007,199,254,740,990', '1,250,000.25'])
  })
})

it('a row colours a current value beyond its limit and distinguishes unusable from unknown values', () => {
  const context = contextOf(
    { network_participation: 0.9, stake_deployed: 'much' },
    { limits: { participationBelow: 0.97 } },
  )
  expect(row('participation', context).level).toBe('warning')
  expect(row('participation', { ...context, old: true }).level).toBeUndefined()
  expect(read(row('stake', context).value)).toBe('not usable')
  const never = { ...context, node: assessed({ reading: undefined }), data: { ...LANES, answered: 0 } }
  for (const lane of ['stake', 'answerTime', 'threatResponses'])
    expect(read(row(lane, never).value)).toBe('unknown')
})

describe('the spans of the time axis', () => {
  it('have labels that describe what happened', () => {
    const at = { fromMs: 0, toMs: 90_000 }
    const spans = spansOf({
      ...LANES,
      spans: [
        { ...at, kind: 'answered' },
        { ...at, kind: 'no-answer', failure: 'timeout' },
        { ...at, kind: 'no-answer' },
        { ...at, kind: 'not-watched' },
      ],
    })
    expect(spans.map(({ label }) => label.replaceAll('\u00a0', ' '))).toEqual([
      'answered',
      nodeHistoryTexts.chart.noAnswerWhy(failureShort.timeout),
      nodeHistoryTexts.chart.noAnswer,
      '1 m 30 s not watched',
    ])
  })

  it('mark counter restarts, 100 at most', () => {
    expect(marksOf(LANES)).toEqual([{ atMs: WALL_MS - 30_000, label: 'Threat responses reset' }])
    expect(marksOf(seriesWith('threatResponses', { restarts: new Float64Array(5_000) }))).toHaveLength(100)
  })

  it('give the answered share of the watched time, or undefined if none was watched', () => {
    expect(healthyShare(LANES, [])).toBe(0.75)
    expect(healthyShare({ ...LANES, answeredMs: 0, notWatchedMs: 900_000 }, [])).toBeUndefined()
  })

  it('take the severity of active alarms, of which only info counts as healthy time', () => {
    const spans = [
      { fromMs: 0, toMs: 60_000, kind: 'answered' },
      { fromMs: 60_000, toMs: 80_000, kind: 'no-answer' },
      { fromMs: 80_000, toMs: 100_000, kind: 'answered' },
    ] as const
    const lanes = { ...LANES, fromMs: 0, toMs: 100_000, notWatchedMs: 0, answeredMs: 80_000, spans }
    const entry = (wallMs: number, what: string, severity: string): KeptEntry => ({
      id: String(wallMs),
      wallMs,
      area: 'alarm',
      what: `alarm-${what}`,
      facts: { alarm: 'heartbeat-old vela', kind: 'heartbeat-old', severity },
    })
    const alarms = [
      entry(90_000, 'cleared', 'critical'),
      entry(50_000, 'worse', 'critical'),
      entry(30_000, 'worse', 'warning'),
      entry(10_000, 'raised', 'info'),
    ]
    const shown = spansOf(lanes, alarms)
    expect(
      shown.map(({ fromMs, toMs, kind, level }) => [fromMs, toMs, ...(level ? [level] : []), kind]),
    ).toEqual([
      [0, 10_000, 'answered'],
      [10_000, 30_000, 'info', 'answered'],
      [30_000, 50_000, 'warning', 'answered'],
      [50_000, 60_000, 'critical', 'answered'],
      [60_000, 80_000, 'critical', 'no-answer'],
      [80_000, 90_000, 'critical', 'answered'],
      [90_000, 100_000, 'answered'],
    ])
    expect(healthyShare(lanes, shown)).toBe(0.4)
  })
})

describe('the raw record', () => {
  it('keeps each value exactly as the service sent it', () => {
    const fields = fieldsOfBody('{"a":1.50e2,"b":"x\\"y","c":[1,{"d":null}],"e":9007199254740993}')
    expect(fields?.fields).toEqual([
      { name: 'a', valueText: '1.50e2' },
      { name: 'b', valueText: '"x\\"y"' },
      { name: 'c', valueText: '[1,{"d":null}]' },
      { name: 'e', valueText: '9007199254740993' },
    ])
  })

  it('is undefined for a body that is not JSON, and keeps at most 48 fields', () => {
    expect(fieldsOfBody('<h1>')).toBeUndefined()
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`f${place}`, place]))
    expect(fieldsOfBody(JSON.stringify(many))?.fields).toHaveLength(48)
    expect(fieldsOfBody(JSON.stringify(many))?.more).toBe(452)
  })
})
