import { describe, expect, it } from 'vitest'
import {
  EMPTY_SETTINGS,
  effectiveConfig,
  resolveSettings,
  effectiveSettings,
  ruleAt,
  scopedRule,
  withRule,
  withStatusWord,
  type ScopeOrigin,
  type ServiceRules,
  type ScopedRule,
} from '#settings/effective.ts'
import { parseServerConfig, parseSettings } from '#settings/documents.ts'
import type { Settings } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const SERVICE: ScopeOrigin = { kind: 'service', by: 'browser' }
const CONFIG: ScopeOrigin = { kind: 'service', by: 'config' }
const NODE: ScopeOrigin = { kind: 'node', by: 'browser' }
const tagged = (tag: string): ScopeOrigin => ({ kind: 'tag', tag, by: 'browser' })
const rule = (from: ScopeOrigin, parts: Partial<ScopedRule>): ScopedRule => ({
  from,
  units: {},
  limits: {},
  ...parts,
})
const DEFAULT = { kind: 'default' }

describe('an effective setting', () => {
  it('is the default if nothing is set', () => {
    const { statusWords, ...rest } = resolveSettings([], {})
    expect(rest).toEqual({
      participation: { value: 'ratio', from: DEFAULT },
      stakeDecimals: { value: 0, from: DEFAULT },
      stakeSymbol: { value: '', from: DEFAULT },
      heartbeat: { value: 'detect', from: DEFAULT },
      heartbeatPeriodMs: { value: 15_000, from: DEFAULT },
      extraFields: { value: [], from: DEFAULT },
      participationBelow: { value: 0.9, from: DEFAULT },
      participationAbove: { value: undefined, from: DEFAULT },
      stakeBelow: { value: undefined, from: DEFAULT },
      heartbeatWarningMs: { value: 60_000, from: DEFAULT },
      heartbeatCriticalMs: { value: 180_000, from: DEFAULT },
      answerTimeAboveMs: { value: undefined, from: DEFAULT },
    })
    expect(Array.from(statusWords)).toEqual([['ACTIVE', { value: 'good', from: DEFAULT }]])
  })

  it('is the detected value, with its number of readings', () => {
    const detected = {
      participation: { unit: 'percent', readings: 50 },
      heartbeat: { unit: 'ms', readings: 20 },
      heartbeatPeriod: { periodMs: 30_000, readings: 32 },
    } as const
    const asDetected = {
      participation: { value: 'percent', from: { kind: 'detected', readings: 50 } },
      heartbeat: { value: 'detect', from: { kind: 'detected', readings: 20 } },
      heartbeatPeriodMs: { value: 30_000, from: { kind: 'detected', readings: 32 } },
      heartbeatWarningMs: { value: 120_000, from: DEFAULT },
      heartbeatCriticalMs: { value: 360_000, from: DEFAULT },
    }
    expect(resolveSettings([], detected)).toMatchObject(asDetected)
    const told = { participation: 'detect', heartbeat: 'detect', heartbeatPeriodMs: 'detect' } as const
    expect(resolveSettings([rule(NODE, { units: told })], detected)).toMatchObject(asDetected)
  })

  it('comes from the nearest scope, value by value', () => {
    const rules = [
      rule(NODE, { units: { stakeSymbol: '' }, limits: { participationBelow: null } }),
      rule(tagged('eu'), {
        units: { heartbeat: 'ms' },
        limits: { participationBelow: 0.9, stakeBelow: '5' },
      }),
      rule(SERVICE, {
        units: { participation: 'percent', stakeSymbol: 'IMN', stakeDecimals: 6, heartbeatPeriodMs: 5_000 },
        limits: { participationBelow: 0.5, participationAbove: 0.99, heartbeatCriticalMs: 9_000 },
      }),
      rule(CONFIG, {
        units: { stakeDecimals: 18, extraFields: ['region'] },
        limits: { answerTimeAboveMs: 700 },
      }),
    ]
    expect(resolveSettings(rules, { participation: { unit: 'ratio', readings: 5 } })).toMatchObject({
      participation: { value: 'percent', from: SERVICE },
      stakeDecimals: { value: 6, from: SERVICE },
      stakeSymbol: { value: '', from: NODE },
      heartbeat: { value: 'ms', from: tagged('eu') },
      heartbeatPeriodMs: { value: 5_000, from: SERVICE },
      extraFields: { value: ['region'], from: CONFIG },
      participationBelow: { value: undefined, from: NODE },
      participationAbove: { value: 0.99, from: SERVICE },
      stakeBelow: { value: '5', from: tagged('eu') },
      heartbeatWarningMs: { value: 20_000, from: DEFAULT },
      heartbeatCriticalMs: { value: 9_000, from: SERVICE },
      answerTimeAboveMs: { value: 700, from: CONFIG },
    })
  })

  it('merges status words, each from the nearest scope', () => {
    const { statusWords } = resolveSettings(
      [
        rule(NODE, { units: { statusWords: [{ word: 'DRAINING', means: 'good' }] } }),
        rule(SERVICE, {
          units: {
            statusWords: [
              { word: 'DRAINING', means: 'bad' },
              { word: 'ACTIVE', means: 'warning' },
              { word: 'constructor', means: 'bad' },
              { word: 'constructor', means: 'good' },
            ],
          },
        }),
      ],
      {},
    )
    expect(Object.fromEntries(Array.from(statusWords, ([word, { value }]) => [word, value]))).toEqual({
      DRAINING: 'good',
      ACTIVE: 'warning',
      constructor: 'bad',
    })
    expect(statusWords.get('ACTIVE')?.from).toEqual(SERVICE)
  })
})

describe('the rules of a node', () => {
  const serviceRules: ServiceRules = {
    service: [rule(SERVICE, { limits: { answerTimeAboveMs: 1 } })],
    tags: [
      rule(tagged('eu'), { limits: { answerTimeAboveMs: 2, participationBelow: 0.2 } }),
      rule(tagged('gold'), { limits: { answerTimeAboveMs: 3 } }),
    ],
    detected: {},
  }
  const limitFor = (tags: readonly string[], own: readonly ScopedRule[] = []) =>
    effectiveSettings(serviceRules, { tags, rules: own }).answerTimeAboveMs.value

  it('are its own, then those of its tags in their order, then the service’s', () => {
    expect(limitFor([])).toBe(1)
    expect(limitFor(['other'])).toBe(1)
    expect(limitFor(['gold', 'eu'])).toBe(3)
    expect(limitFor(['eu', 'gold'])).toBe(2)
    expect(limitFor(['eu', 'gold'], [rule(NODE, { limits: { answerTimeAboveMs: 4 } })])).toBe(4)
    expect(limitFor(['gold', 'eu'], [rule(NODE, {})])).toBe(3)
    expect(
      effectiveSettings(serviceRules, { tags: ['gold', 'eu'], rules: [] }).participationBelow.value,
    ).toBe(0.2)
  })

  it('allow a heartbeat to be as old as polls are apart, unless a limit is set', () => {
    const rules: ServiceRules = { pollIntervalMs: 60_000, service: [], tags: [], detected: {} }
    const warningMs = (pollIntervalMs?: number, own: readonly ScopedRule[] = []) =>
      effectiveSettings(rules, { tags: [], rules: own, ...(pollIntervalMs && { pollIntervalMs }) })
        .heartbeatWarningMs.value
    expect([warningMs(), warningMs(5_000), warningMs(300_000)]).toEqual([240_000, 60_000, 1_200_000])
    expect(warningMs(300_000, [rule(NODE, { limits: { heartbeatWarningMs: 9_000 } })])).toBe(9_000)
  })

  it('put this browser’s rule for the node before the server file’s rule for its service', () => {
    const service = 'https://a.example'
    const own: ScopeOrigin = { kind: 'node', by: 'browser' }
    const ofFile = rule(CONFIG, { limits: { stakeBelow: '7', participationBelow: 0.8 } })
    const rules: ServiceRules = { service: [ofFile], tags: [], detected: {} }
    const settings = parseSettings({
      version: 1,
      services: [{ baseUrl: service }],
      rules: [{ for: 'node', service, node: '0x1', limits: { stakeBelow: null } }],
    })
    const server = valueOf(parseServerConfig({ version: 1 }))
    const ofNode = effectiveConfig(server, valueOf(settings)).rules.map(scopedRule)
    expect(effectiveSettings(rules, { tags: [], rules: ofNode })).toMatchObject({
      stakeBelow: { value: undefined, from: own },
      participationBelow: { value: 0.8, from: CONFIG },
    })
  })

  it('come from the server’s file before this browser, within one scope', () => {
    const rules = [{ for: 'tag', tag: 'EU', limits: { stakeBelow: '7' } }]
    const server = parseServerConfig({
      version: 1,
      rules: [...rules, { for: 'service', service: 'a.example' }],
    })
    const settings = parseSettings({ version: 1, rules })
    expect(effectiveConfig(valueOf(server), valueOf(settings)).rules.map(scopedRule)).toEqual([
      { from: { kind: 'tag', tag: 'eu', by: 'config' }, units: {}, limits: { stakeBelow: '7' } },
      { from: { kind: 'service', by: 'config' }, units: {}, limits: {} },
      { from: { kind: 'tag', tag: 'eu', by: 'browser' }, units: {}, limits: { stakeBelow: '7' } },
    ])
  })
})

const A = 'https://a.example'
const B = 'https://b.example'
const atA = { for: 'service', service: A } as const
const atB = { for: 'service', service: B } as const
const NOTHING = { units: {}, limits: {} }
const gbit = { units: { stake: { unit: 'GBIT', decimals: 9 } }, limits: {} }
const late = { units: {}, limits: { heartbeatWarningPeriods: 6 } }

const scopesOf = ({ rules }: Settings) => rules.map((one) => ('service' in one ? one.service : one.for))

describe('a rule of the settings', () => {
  it('is empty if there is none', () => {
    expect(ruleAt(EMPTY_SETTINGS, atA)).toEqual(NOTHING)
    const others = withRule(EMPTY_SETTINGS, atB, late as never)
    expect(ruleAt(others, atA)).toEqual(NOTHING)
    expect(ruleAt(others, atB)).toMatchObject(late)
  })

  it('is added last, and keeps its position when it is changed', () => {
    const both = withRule(withRule(EMPTY_SETTINGS, atA, gbit as never), atB, late as never)
    expect(scopesOf(both)).toEqual([A, B])
    const changed = withRule(both, atA, late as never)
    expect(scopesOf(changed)).toEqual([A, B])
    expect(ruleAt(changed, atA)).toMatchObject(late)
    expect(ruleAt(both, atA)).toMatchObject(gbit)
  })

  it('is removed when it becomes empty, and only then', () => {
    const both = withRule(withRule(EMPTY_SETTINGS, atA, gbit as never), atB, late as never)
    expect(scopesOf(withRule(both, atA, NOTHING))).toEqual([B])
    expect(scopesOf(withRule(both, atB, NOTHING))).toEqual([A])
    expect(scopesOf(withRule(EMPTY_SETTINGS, atA, NOTHING))).toEqual([])
  })
})

it('a status word has one meaning, and leaves other words and units unchanged', () => {
  const before = withRule(EMPTY_SETTINGS, atA, gbit as never)
  const one = withStatusWord(before, A, 'ZOMBIE', 'critical' as never)
  const two = withStatusWord(one, A, 'NAP', 'fine' as never)
  const again = withStatusWord(two, A, 'ZOMBIE', 'fine' as never)
  expect(ruleAt(again, atA)).toMatchObject({
    units: {
      ...gbit.units,
      statusWords: [
        { word: 'NAP', means: 'fine' },
        { word: 'ZOMBIE', means: 'fine' },
      ],
    },
    limits: {},
  })
  expect(ruleAt(again, atB)).toEqual(NOTHING)
})
