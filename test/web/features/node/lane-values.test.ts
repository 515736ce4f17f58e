import { describe, expect, it } from 'vitest'
import type { LaneData } from '#history/history.ts'
import { answeredShare, marksOf, spansOf } from '#features/node/lane-spans.ts'
import {
  heartbeatLane,
  latencyLane,
  participationLane,
  proofLane,
  stakeLane,
  threatLane,
  type LaneContext,
} from '#features/node/lane-values.ts'
import { offeredRanges, windowOf, laterEnd, RANGE_MS } from '#features/node/range.ts'
import { fieldsOfBody, fieldsOfRecord } from '#features/node/record-fields.ts'
import { aNode, aReading, aService, RECORD_FIELDS, recordOf, WALL_MS } from '#test/support/fleet-fixture.ts'

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

const LANES: LaneData = {
  fromMs: WALL_MS - 900_000,
  toMs: WALL_MS,
  samples: 4,
  points: 4,
  answered: 3,
  failed: 1,
  notWatchedMs: 0,
  spans: [],
  heartbeatAge: points(4_000, 33_000),
  participation: points(0.98, 0.964),
  stake: points(1, 2),
  latency: points(184, 241),
  stats: {
    heartbeatAge: stats(4_000, 33_000),
    participation: stats(0.964, 0.98),
    stake: stats(1, 2),
    latency: stats(184, 241),
  },
  threats: [
    { fromMs: WALL_MS - 900_500, toMs: WALL_MS - 885_500, increase: 30, restarted: false },
    { fromMs: WALL_MS - 14_000, toMs: WALL_MS + 1_000, increase: 7, restarted: false },
  ],
  threatIncrease: 37,
  proofChanges: Float64Array.of(WALL_MS - 14_000),
  restarts: Float64Array.of(WALL_MS - 30_000),
}

const contextOf = (fields: Readonly<Record<string, unknown>> = {}, service = {}): LaneContext => ({
  node: aNode({ reading: aReading({ fields }) }),
  service: aService(service),
  lanes: LANES,
  old: false,
  inRange: 'in 15 m',
  barMs: 15_000,
})

describe('the lanes', () => {
  it('show the value of the last answer and the extreme of the range', () => {
    const context = contextOf()
    const shown = [heartbeatLane, participationLane, threatLane, stakeLane, latencyLane, proofLane].map(
      (lane) => {
        const { value, note } = lane(context)
        return [read(value), typeof note === 'string' ? note.replaceAll('\u00a0', ' ') : note]
      },
    )
    expect(shown).toEqual([
      ['2s at the answer', 'max 33 s'],
      ['98.42 %', 'min 96.40 %'],
      ['+37 in 15 m', '1,204,882 total'],
      ['1,250,000', undefined],
      ['184ms', 'max 241 ms'],
      ['0x9c41aa0077ab', undefined],
    ])
  })

  it('scale participation to what was seen, a point at least and never beyond all', () => {
    const domain = (min: number, max: number) => {
      const lanes = { ...LANES, stats: { ...LANES.stats, participation: stats(min, max) } }
      const lane = participationLane({ ...contextOf(), lanes })
      return 'domain' in lane ? lane.domain?.map((edge) => Math.round(edge * 1e4)) : undefined
    }
    expect(domain(0.975, 0.975)).toEqual([9690, 9810])
    expect(domain(0.9, 1)).toEqual([8900, 10000])
    expect(domain(0, 0)).toEqual([0, 60])
    expect(domain(Number.NaN, Number.NaN)).toEqual([0, 10000])
  })

  it('draw the heartbeat’s limits as multiples of its period', () => {
    const lane = heartbeatLane(contextOf({}, { heartbeatPeriodMs: 60_000 }))
    expect('limits' in lane ? lane.limits?.map(({ value, level }) => [value, level]) : []).toEqual([
      [240_000, 'warning'],
      [720_000, 'critical'],
    ])
  })

  it('keep bars within the axis', () => {
    const lane = threatLane(contextOf())
    expect(lane.kind === 'bars' ? lane.bars.map(({ fromMs, toMs }) => [fromMs, toMs]) : []).toEqual([
      [LANES.fromMs, WALL_MS - 885_500],
      [WALL_MS - 14_000, LANES.toMs],
    ])
  })

  it('show a stake that does not fit in short, and its unit where there is one', () => {
    expect(read(stakeLane(contextOf({ stake_deployed: 1250000.25 })).value)).toBe('1,250,000.25')
    expect(read(stakeLane(contextOf({}, { stakeUnit: 'IMM' })).value)).toBe('1,250,000 IMM')
    expect(read(stakeLane(contextOf({ stake_deployed: 1e29 })).value)).toBe('1E29')
  })

  it('tell what is not usable from what nobody has said yet', () => {
    const bad = {
      stake_deployed: 'much',
      network_participation: 250,
      cryptographic_proof: 1,
      last_heartbeat: 0,
    }
    for (const lane of [stakeLane, participationLane, proofLane, heartbeatLane])
      expect(read(lane(contextOf(bad)).value)).toBe('not usable')
    const never = { ...contextOf(), node: aNode({ reading: undefined }), lanes: { ...LANES, samples: 0 } }
    for (const lane of [stakeLane, participationLane, proofLane, heartbeatLane, latencyLane, threatLane])
      expect(read(lane(never).value)).toBe('not known')
  })

  it('leave out an extreme that there is none of', () => {
    const none = { min: Number.NaN, max: Number.NaN, last: Number.NaN }
    const lanes = { ...LANES, stats: { heartbeatAge: none, participation: none, stake: none, latency: none } }
    expect(heartbeatLane({ ...contextOf(), lanes }).note).toBeUndefined()
    expect(participationLane({ ...contextOf(), lanes }).note).toBeUndefined()
  })
})

describe('the stretches of the axis', () => {
  it('say what happened in words', () => {
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
      'asked, no answer: no answer in time',
      'asked, no answer',
      'not watched 1 m 30 s',
    ])
  })

  it('mark restarts, a hundred at most', () => {
    expect(marksOf(LANES)).toEqual([{ atMs: WALL_MS - 30_000, label: 'Threat counter restarted' }])
    expect(marksOf({ ...LANES, restarts: new Float64Array(5_000) })).toHaveLength(100)
  })

  it('share answered requests, where any were made', () => {
    expect(answeredShare(LANES)).toBe(0.75)
    expect(answeredShare({ ...LANES, answered: 0, failed: 0 })).toBeUndefined()
  })
})

describe('the ranges', () => {
  it.each([
    [0, '15m', ['15m']],
    [900_001, '15m', ['15m', '1h']],
    [0, '24h', ['15m', '24h']],
    [1e12, '15m', ['15m', '1h', '6h', '24h']],
  ] as const)('offered for a session of %d ms with %s chosen are %o', (sessionMs, chosen, offered) => {
    expect(offeredRanges(sessionMs, chosen)).toEqual(offered)
  })

  it('begin with the session where it is younger, but are never shorter than a minute', () => {
    expect(windowOf('1h', undefined, WALL_MS, WALL_MS - 7_200_000)).toEqual({
      fromMs: WALL_MS - RANGE_MS['1h'],
      toMs: WALL_MS,
      whole: true,
    })
    expect(windowOf('1h', undefined, WALL_MS, WALL_MS - 600_000).fromMs).toBe(WALL_MS - 600_000)
    expect(windowOf('1h', undefined, WALL_MS, WALL_MS - 1_000).fromMs).toBe(WALL_MS - 60_000)
  })

  it('become live again once they would reach beyond now', () => {
    const at = windowOf('1h', WALL_MS - 3_600_000, WALL_MS, 0)
    expect(laterEnd(at, '1h', WALL_MS)).toBe(WALL_MS - 1_800_000)
    expect(laterEnd(at, '1h', WALL_MS - 1_800_000)).toBeUndefined()
  })
})

describe('the raw record', () => {
  it('keeps each value as the service wrote it', () => {
    const fields = fieldsOfBody('{"a":1.50e2,"b":"x\\"y","c":[1,{"d":null}],"e":9007199254740993}')
    expect(fields).toEqual([
      { name: 'a', valueText: '1.50e2' },
      { name: 'b', valueText: '"x\\"y"' },
      { name: 'c', valueText: '[1,{"d":null}]' },
      { name: 'e', valueText: '9007199254740993' },
    ])
  })

  it('is none where the body is none, and bounded where it is large', () => {
    expect(fieldsOfBody('<h1>')).toBeUndefined()
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, place) => [`f${place}`, place]))
    expect(fieldsOfBody(JSON.stringify(many))).toHaveLength(48)
  })

  it('is told from what is kept when its body is gone', () => {
    const fields = fieldsOfRecord(recordOf(JSON.stringify(RECORD_FIELDS)))
    expect(Object.fromEntries(fields.map(({ name, valueText }) => [name, JSON.parse(valueText)]))).toEqual(
      RECORD_FIELDS,
    )
    expect(fieldsOfRecord(recordOf('{"status":"X"}'))).toEqual([{ name: 'status', valueText: '"X"' }])
  })
})
