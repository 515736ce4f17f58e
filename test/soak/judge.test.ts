import { describe, expect, it } from 'vitest'
import { CAUGHT_BY, conclude, readArguments } from './arguments.ts'
import { withSection } from './record.ts'
import { exitCodeOf, judge, slopeOf, type Counts, type Open, type Sample, type Soaked } from './judge.ts'

const OPEN: Open = {
  heapMb: 10,
  listeners: 40,
  timers: 6,
  connections: 3,
  channels: 1,
  workers: 2,
  inFlight: 0,
  calls: 0,
  entries: 100,
  marks: 0,
}
const COUNTS: Counts = {
  slots: 4_000,
  nodes: 1,
  requests: 4_000,
  polls: 4_000,
  maxInFlight: 1,
  records: 4_000,
  onTime: 3_999,
  spaces: 3_999,
  errors: [],
  endState: 'calm',
  wantedState: 'calm',
}

const sampleAt = (polls: number): Sample => ({
  polls,
  domNodes: 670,
  residentMb: 300,
  page: OPEN,
  engine: OPEN,
  signer: OPEN,
})

/** 80 samples of a steady soak, and what grows in it. */
const soaked = (
  grows: (sample: Sample) => Sample = (sample) => sample,
  counts: Partial<Counts> = {},
): Soaked => ({
  samples: Array.from({ length: 80 }, (_, place) => grows(sampleAt((place + 1) * 50))),
  counts: { ...COUNTS, ...counts },
  isChurned: false,
})

const failed = (given: Soaked): readonly string[] =>
  judge(given).flatMap(({ name, result }) => (result === 'failed' ? [name] : []))

const engine =
  (more: (polls: number) => Partial<Open>) =>
  (sample: Sample): Sample => ({
    ...sample,
    engine: { ...OPEN, ...more(sample.polls) },
  })

describe('a soak', () => {
  it('that is steady passes every gate', () => {
    expect(failed(soaked())).toEqual([])
    expect(exitCodeOf(judge(soaked()))).toBe(0)
  })

  it('of too few samples or polls is no pass, whatever it saw', () => {
    const { samples } = soaked()
    for (const short of [
      samples.slice(0, 39),
      samples.slice(0, 20),
      samples.map((sample) => ({ ...sample, polls: 1_300 + sample.polls / 4 })),
    ]) {
      const gates = judge({ ...soaked(), samples: short })
      expect(exitCodeOf(gates)).toBe(3)
      expect(gates.filter(({ name }) => name.includes('heap')).map(({ result }) => result)).toEqual(
        Array.from({ length: 6 }, () => 'too short'),
      )
    }
  })

  it('that fails is a failure however short it was', () => {
    const { samples } = soaked()
    expect(
      exitCodeOf(judge({ ...soaked(undefined, { requests: 5_000 }), samples: samples.slice(0, 45) })),
    ).toBe(1)
  })

  it.each<[string, (sample: Sample) => Sample, readonly string[]]>([
    [
      'a heap that grows by 60 bytes a poll',
      engine((polls) => ({ heapMb: 10 + (polls * 60) / 1e6 })),
      ['engine: heap by 1,000 polls'],
    ],
    [
      'a heap that is 4 MB larger in the end, at once',
      engine((polls) => ({ heapMb: polls > 3_700 ? 14 : 10 })),
      ['engine: heap from beginning to end'],
    ],
    [
      'a listener more with each poll',
      engine((polls) => ({ listeners: polls })),
      ['engine: growth of listeners'],
    ],
    [
      'one timer that stays',
      engine((polls) => ({ timers: polls > 2_800 ? 7 : 6 })),
      ['engine: growth of timers'],
    ],
    [
      'a request that never ends',
      engine((polls) => ({ inFlight: polls > 900 ? 1 : 0 })),
      ['engine: inFlight at rest'],
    ],
    [
      'elements that stay',
      (sample) => ({ ...sample, domNodes: 670 + sample.polls / 5 }),
      ['DOM nodes from beginning to end'],
    ],
    [
      'memory outside of the heap',
      (sample) => ({ ...sample, residentMb: 300 + sample.polls / 20 }),
      ['memory of the renderers from beginning to end'],
    ],
  ])('with %s fails', (_name, grows, gates) => {
    expect(failed(soaked(grows))).toEqual(gates)
  })

  it('is not failed by what comes and goes, nor by what grows while it warms up', () => {
    expect(failed(soaked(engine((polls) => ({ timers: 6 + ((polls / 50) % 3) }))))).toEqual([])
    expect(failed(soaked(engine((polls) => ({ heapMb: polls > 500 ? 10 : polls / 50 }))))).toEqual([])
  })

  it.each<[string, Partial<Counts>, RegExp]>([
    ['a record less than polls', { records: 3_999 }, /^records/],
    [
      'two requests more than slots',
      { requests: 4_002, polls: 4_002, records: 4_002 },
      /^requests against slots/,
    ],
    [
      'two requests less than slots',
      { requests: 3_998, polls: 3_998, records: 3_998 },
      /^requests against slots/,
    ],
    ['five requests at once', { maxInFlight: 5 }, /^requests at once/],
    ['two requests in a hundred late', { onTime: 3_919 }, /^requests away from their slot/],
    ['an error on the page', { errors: ['it broke'] }, /^errors: it broke/],
    ['another screen in the end', { endState: 'a message' }, /^what is on screen/],
  ])('with %s fails', (_name, counts, gate) => {
    expect(failed(soaked(undefined, counts))).toEqual([expect.stringMatching(gate)])
  })
})

describe('a slope', () => {
  const line = (perPoll: number, spikeMb = 0) =>
    Array.from({ length: 40 }, (_, at): readonly [number, number] => [
      at,
      10 + at * perPoll + (at % 9 === 8 ? spikeMb : 0),
    ])

  it('is that of a line', () => {
    expect(slopeOf([])).toBe(0)
    expect(slopeOf([[3, 7]])).toBe(0)
    expect(slopeOf(line(2))).toBe(2)
    expect(slopeOf(line(0))).toBe(0)
  })

  it('is not tilted by samples that stand out, wherever they are', () => {
    expect(Math.abs(slopeOf([...line(0).slice(0, 35), ...line(0, 5).slice(35)]))).toBeLessThan(1e-9)
    expect(slopeOf(line(0.06, 2))).toBeGreaterThan(0.05)
  })
})

describe('a soak with a planted leak', () => {
  it('passes only where the gate of this leak failed', () => {
    const gates = judge(soaked(engine((polls) => ({ listeners: polls }))))
    expect(conclude('listener', gates).result).toBe('passed')
    expect(conclude('map', gates).result).toBe('failed')
  })

  it('names gates that there are', () => {
    const names = judge(soaked()).map(({ name }) => name)
    for (const gate of Object.values(CAUGHT_BY).flat())
      expect(names.some((name) => gate.test(name))).toBe(true)
  })
})

describe('the arguments', () => {
  const runs = (...args: readonly string[]) => {
    const read = readArguments(args)
    return read.kind === 'run' ? read.runs : read.kind
  }

  it('are none for a week of one node and two days with faults', () => {
    expect(runs()).toMatchObject([
      { options: { nodes: 1, polls: 20_160, churn: false } },
      { options: { nodes: 1, polls: 5_760, churn: true } },
    ])
  })

  it('name a plan of days that is long enough to be judged', () => {
    const [run, ...more] = runs('--plan', 'days')
    const { polls, intervalMs } = typeof run === 'object' ? run.options : { polls: 0, intervalMs: 0 }
    const samples = Array.from({ length: 80 }, (_, place) => sampleAt(((place + 1) * polls) / 80))
    expect(more).toEqual([])
    expect(polls * intervalMs).toBe(3 * 86_400_000)
    expect(exitCodeOf(judge({ ...soaked(), samples }))).toBe(0)
  })

  it('name a soak of one’s own', () => {
    expect(runs('--nodes', '50', '--churn')).toMatchObject([
      { options: { nodes: 50, polls: 20_160, intervalMs: 30_000, view: 'fleet', churn: true } },
    ])
    expect(runs('--days', '1', '--interval', '60')).toMatchObject([
      { options: { nodes: 1, polls: 1_440, intervalMs: 60_000 } },
    ])
  })

  it('that there are not are refused', () => {
    for (const args of [
      ['--node', '5'],
      ['--nodes', 'many'],
      ['--plan', 'none'],
      ['--days', '0'],
      ['--interval', '5'],
      ['--view', 'x'],
    ])
      expect(runs(...args)).toBe('wrong')
  })
})

it('a soak that is written down again replaces its own section and no other', () => {
  const before = '# Soaks\n\nHead.\n\n## a week\n\nold\n\n## a day\n\nkept\n'
  expect(withSection(before, 'a week', '## a week\n\nnew\n')).toBe(
    '# Soaks\n\nHead.\n\n## a week\n\nnew\n\n## a day\n\nkept\n',
  )
  expect(withSection(before, 'an hour', '## an hour\n\nnew\n')).toBe(`${before}\n## an hour\n\nnew\n`)
})
