import { describe, expect, it } from 'vitest'
import {
  createFaultState as createState,
  describeFaults,
  PRODUCT_FAULTS,
  readFaultOrder as readOrder,
  type Fault,
  type FaultValue,
} from '#reference/faults.ts'
import { BENCH_FAULTS, FAULT_NAMES, type FaultName } from '#test/support/bench-faults.ts'
import { seedWords } from '#reference/random.ts'

const createFaultState = (seed: ReturnType<typeof seedWords>) => createState(BENCH_FAULTS, seed)
const readFaultOrder = (node: string, name: string, value: unknown) =>
  readOrder(BENCH_FAULTS, node, name, value)

const NODE = `0x${'a'.repeat(64)}`

function chaosOf(rate: number, requests: number): readonly (readonly string[])[] {
  const state = createFaultState(seedWords('chaos test'))
  state.set({ node: '*', name: 'chaos', value: rate }, 0)
  return Array.from({ length: requests }, () => state.meet(NODE).map(({ name }) => name))
}

describe('chaos', () => {
  it('is the same in every run and from version to version', () => {
    expect(chaosOf(0.3, 200)).toEqual(chaosOf(0.3, 200))
    const met = chaosOf(0.3, 20).flatMap(([name], at) => (name === undefined ? [] : [`${at} ${name}`]))
    expect(met).toEqual([
      '4 status-401',
      '5 missing',
      '14 truncated-json',
      '16 truncated',
      '17 late',
      '19 html',
    ])
  })

  it.each([0, 0.1, 0.5, 1])('troubles its share of requests: %d', (rate) => {
    const troubled = chaosOf(rate, 2_000).filter((met) => met.length === 1).length
    expect(Math.abs(troubled / 2_000 - rate)).toBeLessThan(0.03)
  })
})

describe('faults that are on', () => {
  it('are replaced by the same fault with another value', () => {
    const state = createFaultState(seedWords(''))
    state.set({ node: NODE, name: 'late', value: 1 }, 0)
    state.set({ node: NODE, name: 'late', value: 2 }, 0)
    expect(state.list()).toEqual([{ node: NODE, name: 'late', value: 2 }])
  })

  it('on all nodes are met by requests for no node, too', () => {
    const state = createFaultState(seedWords(''))
    state.set({ node: '*', name: 'hang', value: undefined }, 0)
    expect(state.meet(undefined).map(({ name }) => name)).toEqual(['hang'])
  })

  it('are bounded; one that replaces another, or comes where one was cleared, has room', () => {
    const state = createFaultState(seedWords(''))
    const id = (index: number): string => `0x${index.toString(16).padStart(64, '0')}`
    for (let i = 0; i < 20_000; i++) state.set({ node: id(i), name: 'hang', value: undefined }, 0)
    const one = { node: '*', name: 'hang', value: undefined } as const
    const tooMany = 'more than 20000 faults at once'
    expect(() => state.set(one, 0)).toThrow(tooMany)
    state.set({ node: id(5), name: 'hang', value: undefined }, 0)
    expect(() => state.set(one, 0)).toThrow(tooMany)
    state.clear(id(5))
    state.set(one, 0)
    expect(() => state.set({ ...one, name: 'reset' }, 0)).toThrow(tooMany)
  })

  const [A, B] = [NODE, `0x${'b'.repeat(64)}`]
  function three() {
    const state = createFaultState(seedWords(''))
    state.set({ node: '*', name: 'stake', value: 1 }, 0)
    state.set({ node: A, name: 'late', value: 2 }, 0)
    state.set({ node: A, name: 'stake', value: 3 }, 0)
    state.set({ node: B, name: 'stake', value: 4 }, 0)
    return state
  }
  const valuesOf = (state: ReturnType<typeof three>): readonly unknown[] =>
    state.list().map(({ value }) => value)

  it.each<readonly [string | undefined, string | undefined, readonly number[]]>([
    [undefined, undefined, []],
    [A, undefined, [1, 4]],
    [A.toUpperCase().replace('0X', '0x'), undefined, [1, 4]],
    ['*', undefined, [2, 3, 4]],
    [undefined, 'stake', [2]],
    [A, 'stake', [1, 2, 4]],
    [A, 'hang', [1, 2, 3, 4]],
    ['0xcc', undefined, [1, 2, 3, 4]],
  ])('are cleared by node and name: %s, %s', (node, name, left) => {
    const state = three()
    state.clear(node, name)
    expect(valuesOf(state)).toEqual(left)
  })

  it('are met by a node’s requests: its own first, then those of all', () => {
    const state = three()
    const met = (node: string | undefined) => state.meet(node).map(({ value, hits }) => [value, hits])
    expect(met(A)).toEqual([
      [2, 1],
      [3, 1],
      [1, 1],
    ])
    expect(met(B)).toEqual([
      [4, 1],
      [1, 2],
    ])
    expect(met('0xcc')).toEqual([[1, 3]])
    expect(met(undefined)).toEqual([[1, 4]])
  })

  it('by turns let as many requests through as they then reset', () => {
    const state = createFaultState(seedWords(''))
    state.set({ node: '*', name: 'flap', value: 3 }, 5)
    const met = Array.from({ length: 9 }, () => state.meet(A))
    expect(met.map((faults) => faults.map(({ name }) => name).join())).toEqual([
      '',
      '',
      '',
      'reset',
      'reset',
      'reset',
      '',
      '',
      '',
    ])
    expect(met[3]).toMatchObject([{ name: 'reset', value: undefined, setAtMs: 5, hits: 4, kept: undefined }])
  })
})

describe('a fault that is ordered', () => {
  it.each<readonly [string, FaultName, FaultValue | undefined, FaultValue | undefined]>([
    ['*', 'hang', undefined, undefined],
    ['*', 'late', undefined, 2_000],
    ['*', 'late', '5', 5],
    ['*', 'late', 0, 0],
    ['*', 'late', 86_400_000, 86_400_000],
    ['*', 'status-word', undefined, 'DRAINING'],
    ['*', 'status-word', '', ''],
    ['*', 'status-word', 7, '7'],
    ['*', 'status-word', 'A'.repeat(201), 'A'.repeat(200)],
    ['*', 'clock-offset', undefined, 60_000],
    ['*', 'clock-offset', -315_360_000_000, -315_360_000_000],
    ['*', 'clock-offset', 315_360_000_000, 315_360_000_000],
    [`0x${'AB'.repeat(32)}`, 'chaos', ' 1 ', 1],
  ])('on %s: %s with %j', (node, name, value, read) => {
    expect(readFaultOrder(node, name, value)).toEqual({
      ok: true,
      value: { node: node.toLowerCase(), name, value: read },
    })
  })

  const NODE_FORM = 'node must be "*" or 0x and 64 hex digits'
  it.each<readonly [string, string, unknown, string]>([
    ['', 'hang', undefined, NODE_FORM],
    ['**', 'hang', undefined, NODE_FORM],
    [`${NODE}a`, 'hang', undefined, NODE_FORM],
    [`0${NODE}`, 'hang', undefined, NODE_FORM],
    [NODE.slice(0, -1), 'hang', undefined, NODE_FORM],
    ['*', 'nonsense', undefined, 'there is no fault of this name'],
    ['*', 'toString', undefined, 'there is no fault of this name'],
    [NODE, 'refused', undefined, '"refused" is for all nodes: give "*" or no node'],
    [NODE, 'clock-offset', 1, '"clock-offset" is for all nodes: give "*" or no node'],
    ['*', 'hang', '', '"hang" takes no value'],
    ['*', 'late', {}, '"late" wants a number or a text'],
    ['*', 'late', null, '"late" wants a number or a text'],
    ['*', 'status-word', true, '"status-word" wants a number or a text'],
    ['*', 'late', 'soon', '"late" wants a number within its bounds (ms)'],
    ['*', 'late', ' ', '"late" wants a number within its bounds (ms)'],
    ['*', 'late', -1, '"late" wants a number within its bounds (ms)'],
    ['*', 'late', 86_400_001, '"late" wants a number within its bounds (ms)'],
    ['*', 'late', Number.NaN, '"late" wants a number within its bounds (ms)'],
    ['*', 'clock-offset', -315_360_000_001, '"clock-offset" wants a number within its bounds (ms)'],
    ['*', 'clock-offset', 315_360_000_001, '"clock-offset" wants a number within its bounds (ms)'],
    ['*', 'chaos', 1.01, '"chaos" wants a number within its bounds (rate)'],
    ['*', 'flap', 0, '"flap" wants a number within its bounds (requests)'],
    ['*', 'status', 199, '"status" wants a number within its bounds (status)'],
    ['*', 'status-429', -1, '"status-429" wants a number within its bounds (s)'],
    ['*', 'status-429-date', -1e7, '"status-429-date" wants a number within its bounds (s)'],
    ['*', 'status-503', -1, '"status-503" wants a number within its bounds (s)'],
    ['*', 'counter-jump', -1, '"counter-jump" wants a number within its bounds (count)'],
    ['*', 'silent-heartbeat', -1, '"silent-heartbeat" wants a number within its bounds (s)'],
    ['*', 'heartbeat-backwards', 0, '"heartbeat-backwards" wants a number within its bounds (s)'],
    ['*', 'heartbeat-future', -1, '"heartbeat-future" wants a number within its bounds (s)'],
    ['*', 'proof-of-other-data', 0, '"proof-of-other-data" wants a number within its bounds (s)'],
    ['*', 'stake', -1, '"stake" wants a number within its bounds (units)'],
    ['*', 'participation', -1, '"participation" wants a number within its bounds (ratio)'],
    ['*', 'long-status', 0, '"long-status" wants a number within its bounds (chars)'],
    ['*', 'deep', 0, '"deep" wants a number within its bounds (levels)'],
    ['*', 'padding', -1, '"padding" wants a number within its bounds (bytes)'],
    ['*', 'big-body', 0, '"big-body" wants a number within its bounds (bytes)'],
    ['*', 'gzip-bomb', 2 ** 20 - 1, '"gzip-bomb" wants a number within its bounds (bytes)'],
    ['*', 'gzip-bomb', 2 ** 32 - 2 ** 21 + 1, '"gzip-bomb" wants a number within its bounds (bytes)'],
    ['*', 'fuzz', -1, '"fuzz" wants a number within its bounds (seed)'],
  ])('is refused on %s: %s with %j', (node, name, value, error) => {
    expect(readFaultOrder(node, name, value)).toEqual({ ok: false, error })
  })
})

describe('the faults of a package', () => {
  it('are a few, and chaos throws in no other', () => {
    const { faults, chaos } = PRODUCT_FAULTS
    expect(Object.keys(faults)).toEqual([
      'refused',
      'clock-offset',
      'flap',
      'chaos',
      'status',
      'late',
      'hang',
      'reset',
    ])
    for (const [name, value] of chaos) expect(readOrder(PRODUCT_FAULTS, '*', name, value).ok, name).toBe(true)
    expect(readOrder(PRODUCT_FAULTS, '*', 'xss', undefined)).toEqual({
      ok: false,
      error: 'there is no fault of this name',
    })
  })
})

describe('the list of faults', () => {
  const lines = describeFaults(BENCH_FAULTS)

  it('has a line for each: name, the default of its value, and what it does', () => {
    expect(lines).toHaveLength(FAULT_NAMES.length)
    for (const [i, line] of lines.entries()) {
      const name = FAULT_NAMES[i] ?? 'hang'
      const { value, about }: Fault = BENCH_FAULTS.faults[name] ?? { about: '' }
      const usage = value === undefined ? name : `${name}[=${value.default}]`
      expect(line).toBe(`${usage}${' '.repeat(36 - usage.length)} ${about}`)
      expect(about).toMatch(/^\S.{7,}\S$/)
    }
  })
})
