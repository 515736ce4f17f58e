import { describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { METRICS } from '#metrics/metrics.ts'
import { series, stepExpression } from '#prometheus/queries.ts'

const only = (...ids: readonly string[]) => METRICS.filter(({ id }) => ids.includes(id))

/** The query of each part. */
const partsOf = (expression: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (expression ?? '').split(' or ').map((each) => {
      const [, asked, name] = /^label_replace\((.*), "part", "([^"]*)", "", ""\)$/.exec(each) ?? []
      return [name ?? each, asked ?? '']
    }),
  )

describe('the series of a selector', () => {
  it('contain its labels and further matchers in PromQL', () => {
    expect(series('immune_node_up', { service: 'https://a.example', node: '0x1' })).toBe(
      'immune_node_up{service="https://a.example",node="0x1"}',
    )
    expect(series('immune_node_up', { job: 'a' }, 'service=~"a|b"')).toBe(
      'immune_node_up{job="a",service=~"a|b"}',
    )
    expect(series('immune_node_up', {})).toBe('immune_node_up{}')
  })

  it('have their label values quoted and escaped', () => {
    expect(series('immune_node_up', { job: 'two "big"\nlines\\, größer' })).toBe(
      'immune_node_up{job="two \\"big\\"\\nlines\\\\, größer"}',
    )
  })
})

describe('the step query of a node', () => {
  const NODE = { service: 'a', node: '0x1' }
  const HALF_HOURS = { stepMs: 30 * MINUTE_MS, count: 96 }

  it('asks for availability, scrapes and failures', () => {
    expect(partsOf(stepExpression([], NODE, HALF_HOURS, MINUTE_MS))).toEqual({
      up: 'avg(avg_over_time(immune_node_up{service="a",node="0x1"}[1800s]))',
      upMin: 'min(min_over_time(immune_node_up{service="a",node="0x1"}[1800s]))',
      scrapes: 'sum(count_over_time(immune_node_up{service="a",node="0x1"}[1800s]))',
      failure: 'sum by (kind) (count_over_time(immune_node_failure{service="a",node="0x1"}[1800s]))',
    })
  })

  it('asks for minimum, maximum and last value of a gauge across collectors', () => {
    const { up, upMin, scrapes, failure, ...parts } = partsOf(
      stepExpression(only('stake'), { node: '0x1' }, HALF_HOURS, MINUTE_MS),
    )
    expect(parts).toEqual({
      'stake:min': 'min(min_over_time(immune_node_stake_deployed{node="0x1"}[1800s]))',
      'stake:max': 'max(max_over_time(immune_node_stake_deployed{node="0x1"}[1800s]))',
      'stake:last': 'max(last_over_time(immune_node_stake_deployed{node="0x1"}[1800s]))',
    })
    for (const each of [up, upMin, scrapes, failure]) expect(each).toContain('{node="0x1"}')
  })

  it('also asks for percentiles if the chart has a band', () => {
    const parts = partsOf(stepExpression(only('answerTime'), { node: '0x1' }, HALF_HOURS, MINUTE_MS))
    expect(parts).toMatchObject({
      'answerTime:p50': 'max(quantile_over_time(0.5, immune_node_answer_time_seconds{node="0x1"}[1800s]))',
      'answerTime:p95': 'max(quantile_over_time(0.95, immune_node_answer_time_seconds{node="0x1"}[1800s]))',
    })
    expect(Object.keys(parts)).toHaveLength(9)
  })

  it('asks for the age of a timestamp', () => {
    const parts = partsOf(stepExpression(only('heartbeat'), { node: '0x1' }, HALF_HOURS, MINUTE_MS))
    const age = '(time() - immune_node_last_heartbeat_timestamp_seconds{node="0x1"})[1800s:60s]'
    expect(parts).toMatchObject({
      'heartbeat:min': `min(min_over_time(${age}))`,
      'heartbeat:max': `max(max_over_time(${age}))`,
      'heartbeat:last': `max(last_over_time(${age}))`,
    })
  })

  it('asks for increase, restarts and total of a counter', () => {
    const asked = stepExpression(only('threatResponses'), { node: '0x1' }, HALF_HOURS, MINUTE_MS)
    expect(partsOf(asked)).toMatchObject({
      'threatResponses:increase': 'max(increase(immune_node_threat_responses_total{node="0x1"}[1800s]))',
      'threatResponses:restarts': 'max(resets(immune_node_threat_responses_total{node="0x1"}[1800s]))',
      'threatResponses:total': 'max(last_over_time(immune_node_threat_responses_total{node="0x1"}[1800s]))',
    })
  })

  it.each([
    ['as often as it is scraped', 60_000, 60, 15_000, '60s:15s'],
    ['at most 240 times a step', DAY_MS, 7, 60_000, '86400s:360s'],
    ['at most 25,000 times in all steps and the one before', DAY_MS, 400, 60_000, '86400s:1386s'],
    ['in whole seconds', 60_000, 1, 100, '60s:1s'],
    ['at most once a second', 1_000, 1, 100, '1s:1s'],
  ])('samples the age of a timestamp %s', (_what, stepMs, count, scrapeMs, window) => {
    const asked = stepExpression(only('heartbeat'), {}, { stepMs, count }, scrapeMs)
    expect(partsOf(asked)['heartbeat:min']).toContain(`[${window}]`)
  })
})
