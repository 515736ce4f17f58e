import { describe, expect, it } from 'vitest'
import { readRuleFields, ruleFieldsOf, type RuleFields } from '#parts/rule-fields.ts'
import { ruleAt, withRule, type RuleScope, EMPTY_SETTINGS } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'

const EMPTY = ruleFieldsOf({ units: {}, limits: {} })
const read = (part: Partial<RuleFields>) => readRuleFields({ ...EMPTY, ...part })
const SCOPE: RuleScope = { for: 'service', service: 'https://a.example' }

describe('units and limits in a form', () => {
  it('say nothing where nothing is typed', () => {
    expect(read({})).toEqual({ ok: true, value: { units: {}, limits: {} } })
  })

  it('read back as what they were made from, and as what the settings take', () => {
    const parts = {
      units: {
        participation: 'percent',
        stakeSymbol: 'IMN',
        stakeDecimals: 18,
        heartbeat: 'ms',
        heartbeatPeriodMs: 2_500,
        statusWords: [{ word: ' DRAINING', means: 'warning' }],
        extraFields: ['region', 'peer count'],
      },
      limits: {
        participationBelow: 0.975,
        participationAbove: 0.999,
        stakeBelow: '1250000.000000000000000001',
        heartbeatWarningMs: 30_000,
        heartbeatCriticalMs: null,
        answerTimeAboveMs: 700,
      },
    } as const
    const given = {
      units: {
        ...parts.units,
        statusWords: [...parts.units.statusWords],
        extraFields: [...parts.units.extraFields],
      },
      limits: parts.limits,
    }
    const fields = ruleFieldsOf(given)
    expect(fields).toMatchObject({
      heartbeatPeriod: '2.5',
      participationBelow: '97.5',
      participationAbove: '99.9',
      heartbeatCritical: 'none',
      answerTime: '0.7',
      extraFields: 'region\npeer count',
    })
    expect(readRuleFields(fields)).toEqual({ ok: true, value: given })
    const set = withRule(EMPTY_SETTINGS, SCOPE, given)
    expect(parseSettings(set)).toEqual({ ok: true, value: set })
  })

  it('let a period be detected, whatever a wider scope says', () => {
    const detected = { units: { heartbeatPeriodMs: 'detect' }, limits: {} } as const
    expect(ruleFieldsOf(detected).heartbeatPeriod).toBe('detect')
    for (const text of ['detect', ' Detect '])
      expect(read({ heartbeatPeriod: text })).toEqual({ ok: true, value: detected })
    expect(parseSettings(withRule(EMPTY_SETTINGS, SCOPE, detected)).ok).toBe(true)
  })

  it.each([
    ['stakeSymbol', 'x'.repeat(13), 'too-long'],
    ['stakeDecimals', '1.5', 'not-whole'],
    ['stakeDecimals', '37', 'out-of-range'],
    ['stakeDecimals', '-1', 'not-a-number'],
    ['heartbeatPeriod', '0.9', 'out-of-range'],
    ['heartbeatPeriod', '86401', 'out-of-range'],
    ['heartbeatPeriod', 'often', 'not-a-number'],
    ['extraFields', 'abcdefghi'.split('').join('\n'), 'too-many'],
    ['extraFields', 'x'.repeat(65), 'too-long'],
    ['participationBelow', '100.1', 'not-a-percentage'],
    ['participationAbove', 'all', 'not-a-percentage'],
    ['stakeBelow', '1e6', 'not-a-number'],
    ['stakeBelow', '-1', 'not-a-number'],
    ['heartbeatWarning', '0', 'out-of-range'],
    ['heartbeatCritical', '2592001', 'out-of-range'],
    ['answerTime', '121', 'out-of-range'],
  ] as const)('%s of %j is refused as %s', (name, text, problem) => {
    expect(read({ [name]: text })).toMatchObject({ ok: false, error: { [name]: { kind: problem } } })
  })

  it.each([
    ['participationBelow', '97,5 %', { participationBelow: 0.975 }],
    ['participationBelow', '0', { participationBelow: 0 }],
    ['participationAbove', '100', { participationAbove: 1 }],
    ['participationBelow', ' None ', { participationBelow: null }],
    ['stakeBelow', '1,250,000.5', { stakeBelow: '1250000.5' }],
    ['answerTime', '0.001', { answerTimeAboveMs: 1 }],
    ['heartbeatWarning', '90', { heartbeatWarningMs: 90_000 }],
  ] as const)('%s of %j is %j', (name, text, limits) => {
    expect(read({ [name]: text })).toEqual({ ok: true, value: { units: {}, limits } })
  })

  it('asks for limits in their order', () => {
    expect(read({ heartbeatWarning: '60', heartbeatCritical: '60' })).toEqual({
      ok: false,
      error: { heartbeatCritical: { kind: 'other', message: expect.stringContaining('greater than') } },
    })
    expect(read({ participationBelow: '99', participationAbove: '98' })).toEqual({
      ok: false,
      error: { participationAbove: { kind: 'other', message: expect.stringContaining('greater than') } },
    })
    expect(read({ heartbeatWarning: '60', heartbeatCritical: '61' }).ok).toBe(true)
    expect(read({ heartbeatWarning: '60', heartbeatCritical: 'none' }).ok).toBe(true)
  })
})

describe('rules in the settings', () => {
  const parts = { units: { stakeSymbol: 'IMN' }, limits: {} }

  it('are one for each scope, in their place, and none that says nothing', () => {
    const tag: RuleScope = { for: 'tag', tag: 'eu' }
    const node: RuleScope = { for: 'node', service: 'https://a.example', node: '0xAB' }
    const all = [SCOPE, tag, node].reduce((now, scope) => withRule(now, scope, parts), EMPTY_SETTINGS)
    expect(all.rules.map((rule) => rule.for)).toEqual(['service', 'tag', 'node'])
    const changed = withRule(all, { ...node, node: '0xab' }, { units: {}, limits: { stakeBelow: '1' } })
    expect(changed.rules).toHaveLength(3)
    expect(ruleAt(changed, node)).toMatchObject({ units: {}, limits: { stakeBelow: '1' } })
    expect(withRule(all, tag, { units: { stakeSymbol: 'X' }, limits: {} }).rules[1]).toMatchObject({
      tag: 'eu',
      units: { stakeSymbol: 'X' },
    })
    expect(withRule(all, tag, { units: {}, limits: {} }).rules.map((rule) => rule.for)).toEqual([
      'service',
      'node',
    ])
    expect(ruleAt(EMPTY_SETTINGS, tag)).toEqual({ units: {}, limits: {} })
  })
})
