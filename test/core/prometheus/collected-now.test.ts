import { describe, expect, it } from 'vitest'
import { METRICS } from '#metrics/metrics.ts'
import { badFields } from '#metrics/answer.ts'
import { readReply } from '#protocol/reply.ts'
import { collectedNow, COLLECTED_UNITS, nowExpression } from '#prometheus/collected-now.ts'
import type { AnsweredSeries } from '#prometheus/answer.ts'

const NODE = '0xAB'
const AT_S = 1_790_000_000

const series = (
  part: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): AnsweredSeries => ({
  labels: { part, node: NODE, ...labels },
  values: [[AT_S, value]],
})

const ANSWER: readonly AnsweredSeries[] = [
  series('up', 1),
  series('answered', AT_S - 12),
  series('status', 1, { status: 'ACTIVE' }),
  series('stake', 12_345_678_901_234_567_000),
  series('stake:exact', 1, { exact: '12345678901234567890.5' }),
  series('participation', 0.97),
  series('threatResponses', 7),
  series('heartbeat', AT_S - 20.5),
]

const nodeOf = (answer: readonly AnsweredSeries[]) => collectedNow(METRICS, answer).get('0xab')

const read = (body: string, collectedAge?: string) =>
  readReply(
    { status: 200, body, ...(collectedAge !== undefined && { collectedAge }) },
    {
      nodeId: NODE,
      timeoutMs: 1,
      wallMs: AT_S * 1_000,
      readAs: { heartbeat: COLLECTED_UNITS.heartbeat, extraFields: [] },
    },
  )

describe('what collectors told last', () => {
  it('is a record as a service writes one: exact amounts to the last digit, times in ms', () => {
    const record = read(nodeOf(ANSWER)?.record ?? '', '12')
    if (!record.ok) throw new Error(record.error.kind)
    expect(record.value.stake).toMatchObject({ ok: true, value: { text: '12345678901234567890.5' } })
    expect(record.value.heartbeat).toMatchObject({ ok: true, value: { atMs: (AT_S - 20.5) * 1_000 } })
    expect(record.value.participation).toMatchObject({ ok: true, value: { value: 0.97 } })
    expect(record.value.status).toEqual({ ok: true, value: 'ACTIVE' })
  })

  it('has no proof, which is nothing wrong with the service’s record', () => {
    const body = nodeOf(ANSWER)?.record ?? ''
    const [collected, direct] = [read(body, '12'), read(body)]
    if (!collected.ok || !direct.ok) throw new Error('not a record')
    expect(badFields(collected.value)).toEqual([])
    expect(badFields(direct.value)).toMatchObject([{ field: 'cryptographic_proof', problem: 'missing' }])
  })

  it('says whether the node fails, and that nothing holds of one that no collector answers for', () => {
    expect(nodeOf(ANSWER)).toMatchObject({ isUp: true, answeredS: AT_S - 12 })
    const failing = [series('up', 0), series('failure', 1, { kind: 'timeout' })]
    expect(nodeOf(failing)).toMatchObject({ isUp: false, isSlow: true, record: undefined })
    expect(nodeOf([])).toBeUndefined()
  })

  it('is asked for by names of the definitions, in one query', () => {
    const expression = nowExpression(METRICS, { service: 'https://a.example' })
    for (const { field, kind, prometheusName } of METRICS)
      expect(expression.includes(prometheusName)).toBe(field !== undefined && kind !== 'fingerprint')
  })
})
