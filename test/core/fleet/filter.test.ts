import { describe, expect, it } from 'vitest'
import { completionsAt } from '#fleet/complete-filter.ts'
import {
  matchesFilter,
  OWN_FIELDS,
  parseFilter,
  STATES,
  termsIn,
  type FilterFacts,
  type FilterProblemKind,
} from '#fleet/fleet-filter.ts'
import { isCurrentAt, stageAt } from '#fleet/assessment.ts'
import type { NodeLive } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { episode, node, NOW_MS, reading, unreachable } from '#test/core/monitor/fleet.ts'
import { WITH_PEERS } from '#test/core/metrics/peers.ts'
import { createRandom } from '#test/fuzz/random.ts'
import { recordOf } from '#test/support/fleet-fixture.ts'

const HUGE = '9007199254740993'

const named = (index: number, fields: Record<string, unknown>, given: Partial<NodeLive> = {}) =>
  node(index, { reading: reading(fields, { latencyMs: 100 * index }), ...given })

const aged = (seconds: number) => ({
  heartbeat: { kind: 'known', ageMs: seconds * 1_000, uncertaintyMs: 500 } as const,
})

const NODES = [
  named(
    0,
    { status: 'ACTIVE', stake_deployed: 500_000, network_participation: 0.99 },
    {
      name: 'vela-1',
      tags: ['eu', 'gold'],
      nodeId: '0xaa01',
    },
  ),
  named(
    1,
    { status: 'SUSPENDED', stake_deployed: 2_000_000, network_participation: 0.95 },
    {
      name: 'Vela 2',
      tags: ['us'],
      nodeId: '0xbb02',
    },
  ),
  node(2, {
    name: 'lyra-3',
    tags: ['eu'],
    nodeId: '0xcc03',
    reading: undefined,
    episode: episode(unreachable, 9),
  }),
  node(3, {
    name: 'orion,4',
    nodeId: '0xdd04',
    reading: reading({ status: 'ACTIVE' }, { ages: aged(90), latencyMs: 1_500 }),
  }),
]

const ALARMS: Readonly<Record<string, 'unack' | 'acked' | 'quiet'>> = {
  'vela-1': 'unack',
  'Vela 2': 'quiet',
  'orion,4': 'acked',
}

const FACTS: FilterFacts = {
  nowMs: NOW_MS,
  classOf: ({ assessment }) => stageAt(assessment, NOW_MS).severity,
  isCurrent: (one) => isCurrentAt(one, NOW_MS),
  alarmOf: ({ name }) => ALARMS[name ?? ''],
  serviceOf: ({ name }) => (name === 'lyra-3' ? ['spare', 'b.example'] : ['main', 'a.example']),
}

const found = (text: string) => {
  const filter = parseFilter(text, METRICS)
  return NODES.flatMap((one, index) => (matchesFilter(filter, one, FACTS) ? [index] : []))
}

describe('a filter', () => {
  it.each<[string, readonly number[]]>([
    ['', [0, 1, 2, 3]],
    ['   ', [0, 1, 2, 3]],
    ['vela', [0, 1]],
    ['VELA', [0, 1]],
    ['-vela', [2, 3]],
    ['bb0', [1]],
    ['gold', [0]],
    ['"vela 2"', [1]],
    ['"orion,4"', [3]],
    ['vela,lyra', [0, 1, 2]],
    ['vela eu', [0]],
    ['name:vela-1', [0]],
    ['name:vela', []],
    ['name~vela', [0, 1]],
    ['name:"Vela 2"', [1]],
    ['name!=vela-1', [1, 2, 3]],
    ['-name~vela', [2, 3]],
    ['id:0xAA01', [0]],
    ['id~c0', [2]],
    ['tag:eu', [0, 2]],
    ['tag:eu,us', [0, 1, 2]],
    ['tag:eu tag:gold', [0]],
    ['-tag:eu', [1, 3]],
    ['service:main', [0, 1, 3]],
    ['service~b.ex', [2]],
    ['status:active', [0, 3]],
    ['status:ACTIVE,SUSPENDED', [0, 1, 3]],
    ['status~susp', [1]],
    ['status!=ACTIVE', [1, 2]],
    ['stake>=500k', [0, 1, 3]],
    ['stake>=2e6', [1]],
    ['stake>=2M', [1]],
    ['stake<500001', [0]],
    ['stake=500_000', [0]],
    ['stake!=500_000', [1, 2, 3]],
    ['part<97', [1]],
    ['part<97%', [1]],
    ['part<0.97', [1]],
    ['participation<=95', [1]],
    ['age>1m', [3]],
    ['age>60', [3]],
    ['age>=90s', [3]],
    ['age<1h', [0, 1, 3]],
    ['heartbeat>1.5m', [3]],
    ['heartbeat>1.6m', []],
    ['answer>1s', [3]],
    ['answer>=100ms answer<1s', [1]],
    ['answer>99 answer<200', [1]],
    ['is:failing', [2]],
    ['failing', [2]],
    ['"failing"', []],
    ['-failing', [0, 1, 3]],
    ['unacked', [0]],
    ['shelved', [1]],
    ['-shelved', [0, 2, 3]],
    ['is:unacked,shelved', [0, 1]],
    ['is!=shelved', [0, 2, 3]],
    ['old', [2]],
    ['condition:warning', [3]],
    ['condition:ok,info', [0, 1]],
    ['status:ACTIVE age>1m stake>=1e6 name~orion -shelved', [3]],
    ['(vela:1', []],
    ['-', [0, 2]],
    ['"vela,4"', []],
    ['failing""', [2]],
    ['failing,vela', [0, 1]],
    ['name~vela,lyra', [0, 1, 2]],
    ['status~here', []],
    ['acked', [3]],
    ['is:acked', [3]],
    ['-acked', [0, 1, 2]],
    ['age<95s', [0, 1]],
    ['age<=95s', [0, 1, 3]],
    ['age>95s', []],
    ['age=95s', [3]],
    ['age>1.25m', [3]],
    ['age<99999999999999999999999d', [0, 1, 3]],
    ['stake<500000', []],
    ['stake>2e6', []],
    ['stake>0', [0, 1, 3]],
    ['stake>1999k', [1]],
    ['stake<1g', [0, 1, 3]],
    ['stake<1b', [0, 1, 3]],
    ['stake<1t', [0, 1, 3]],
    ['participation<=96', [1]],
    ['part<1%', []],
    ['part<1', [0, 1, 3]],
    ['part<=100', [0, 1, 3]],
  ])('%s finds %j', (text, expected) => {
    expect(parseFilter(text, METRICS).problems).toEqual([])
    expect(found(text)).toEqual(expected)
  })

  it.each<[string, FilterProblemKind]>([
    ['stakes>5', 'unknown-field'],
    ['name>a', 'bad-operator'],
    ['status<b', 'bad-operator'],
    ['stake~5', 'bad-operator'],
    ['condition~crit', 'bad-operator'],
    ['is>old', 'bad-operator'],
    ['tag:', 'no-value'],
    ['stake>""', 'no-value'],
    ['age>soon', 'bad-duration'],
    ['age>5y', 'bad-duration'],
    ['age>-5s', 'bad-duration'],
    ['part<lots', 'bad-share'],
    ['part<101', 'bad-share'],
    ['stake>many', 'bad-number'],
    ['stake>-5', 'bad-number'],
    ['stake>1e999', 'bad-number'],
    ['stake>5,x', 'bad-number'],
    ['condition:bad', 'unknown-condition'],
    ['is:red', 'unknown-state'],
    ['name:"vela', 'open-quote'],
    ['stakes!=5', 'unknown-field'],
    ['name<=a', 'bad-operator'],
    ['name>=a', 'bad-operator'],
    ['is~old', 'bad-operator'],
    ['proof<5', 'bad-operator'],
    ['age>5s!', 'bad-duration'],
    ['part<9%7', 'bad-share'],
    ['stake>5k5', 'bad-number'],
  ])('does not apply %s: %s', (term, kind) => {
    const { problems } = parseFilter(`vela ${term}`, METRICS)
    expect(problems).toEqual([expect.objectContaining({ kind, term, from: 5, to: 5 + term.length })])
    expect(found(`vela ${term}`)).toEqual([0, 1])
  })

  it('compares amounts to the last digit', () => {
    const is = (stake: string, text: string): boolean => {
      const record = recordOf(`{"status":"ACTIVE","stake_deployed":${stake}}`)
      const whale = node(5, { reading: { ...reading(), record } })
      return matchesFilter(parseFilter(text, METRICS), whale, FACTS)
    }
    const some = `${HUGE}.25`
    expect([is(some, `stake=${some}`), is(some, `stake>${HUGE}.24`), is(some, `stake>=${HUGE}.26`)]).toEqual([
      true,
      true,
      false,
    ])
    expect([is(HUGE, `stake=${HUGE}`), is(HUGE, 'stake>9007199254740992')]).toEqual([true, true])
  })

  it('accepts a new metric, and no field has two meanings', () => {
    expect(parseFilter('peers_connected>5', WITH_PEERS).problems).toEqual([])
    const names = METRICS.flatMap(({ id, alias }) => [id.toLowerCase(), alias ?? []].flat())
    const all = [...names, ...OWN_FIELDS, ...STATES]
    expect(new Set(all).size).toBe(all.length)
  })

  it('applies at most 40 terms, and reports the others', () => {
    const { tests, problems } = parseFilter('vela '.repeat(60), METRICS)
    expect(tests).toHaveLength(40)
    expect(problems).toEqual([{ kind: 'too-many', from: 200, to: 300, term: 'vela', field: '' }])
  })

  it('finds a node as failing from its first failure on, and as old only later', () => {
    const once = node(6, { episode: episode(unreachable, 1) })
    const is = (text: string) => matchesFilter(parseFilter(text, METRICS), once, FACTS)
    expect([is('failing'), is('old')]).toEqual([true, false])
  })

  it('never throws, whatever is typed, and its terms and problems lie within the text', () => {
    const random = createRandom(20_261)
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + random.below(12) }, () => random.oneOf(PIECES)).join('')
      const filter = parseFilter(text, METRICS)
      for (const one of NODES) matchesFilter(filter, one, FACTS)
      for (const { from, to, term } of filter.problems) expect(text.slice(from, to)).toBe(term)
      expect(
        termsIn(text)
          .map((term) => term.text)
          .join('')
          .replaceAll(/\s/g, ''),
      ).toBe(text.replaceAll(/\s/g, ''))
      const caret = random.below(text.length + 1)
      for (const { from, to } of completionsAt(text, caret, VOCABULARY)) {
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeLessThanOrEqual(text.length)
        expect(from).toBeLessThanOrEqual(caret)
      }
    }
  })
})

const PIECES: readonly [string, ...string[]] = [
  'status',
  ...'stake age is tag name condition critical eu 1e6 97% 5m : >= < ~ != - " , . _ \u202e \u0000 💥'.split(
    ' ',
  ),
  ' ',
]

const VOCABULARY = { metrics: METRICS, nodes: NODES, services: ['main', 'spare service'] }

describe('the completions of a filter', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['sta', ['status:', 'stake<']],
    ['-sta', ['-status:', '-stake<']],
    ['ag', ['age>']],
    ['vela s', ['vela service:', 'vela status:', 'vela stake<', 'vela shelved']],
    ['tag:', ['tag:eu', 'tag:gold', 'tag:us']],
    ['tag:eu,g', ['tag:eu,gold']],
    ['-tag:u', ['-tag:us', '-tag:eu']],
    ['status:a', ['status:ACTIVE']],
    ['status:', ['status:ACTIVE', 'status:SUSPENDED']],
    ['service:sp', ['service:"spare service"']],
    ['condition:cr', ['condition:critical']],
    ['is:un', ['is:unacked']],
    ['name:2', ['name:"Vela 2"']],
    ['stake>5', []],
    ['ans', ['answer>']],
    ['pro', ['proof:']],
    ['TA', ['tag:']],
    ['-shelved', []],
    ['shelve', ['shelved']],
    ['tag:EU', []],
    ['tag:E', ['tag:eu']],
    ['tag:L', ['tag:gold']],
    ['tag:"g', ['tag:gold']],
    ['stake:', []],
    ['proof:', []],
    ['region:', []],
    ['name:4', ['name:"orion,4"']],
    ['name:v', ['name:"Vela 2"', 'name:vela-1']],
  ])('of %s are %j', (text, expected) => {
    const after = completionsAt(text, text.length, VOCABULARY).map(
      ({ from, to, text: put }) => text.slice(0, from) + put + text.slice(to),
    )
    expect(after).toEqual(expected)
  })

  const one = node(0)
  const tagged = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...one, tags: [`t${index}`] }))
  const allOf = (nodes: readonly ReturnType<typeof node>[], text: string) =>
    completionsAt(text, text.length, { ...VOCABULARY, nodes }).map(({ text: put }) => put)

  it('are at most eight', () => {
    expect(allOf(tagged(9), 'tag:t')).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6', 't7'])
  })

  it('replace the value at the caret and keep the rest', () => {
    const [first] = completionsAt('sta vela', 3, VOCABULARY)
    expect(first).toMatchObject({ from: 0, to: 3, text: 'status:' })
    const [value] = completionsAt('tag:gxx,eu vela', 5, VOCABULARY)
    expect(value).toMatchObject({ from: 4, to: 7, text: 'gold' })
  })
})
