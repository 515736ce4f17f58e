import { describe, expect, it } from 'vitest'
import { readRuleFields, ruleFieldsOf, type RuleFields } from '#parts/rule-fields.ts'
import { withRule, type RuleScope, EMPTY_SETTINGS } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'

const EMPTY = ruleFieldsOf({ units: {}, limits: {} })
const read = (part: Partial<RuleFields>) => readRuleFields({ ...EMPTY, ...part })
const SCOPE: RuleScope = { for: 'service', service: 'https://a.example' }

describe('the rule form fields', () => {
  it('read as no units and no limits when left empty', () => {
    expect(read({})).toEqual({ ok: true, value: { units: {}, limits: {} } })
  })

  it('round-trip units and limits that the settings accept', () => {
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

  it('accept “detect” as a heartbeat period, in any letter case', () => {
    const detected = { units: { heartbeatPeriodMs: 'detect' }, limits: {} } as const
    expect(ruleFieldsOf(detected).heartbeatPeriod).toBe('detect')
    for (const text of ['detect', ' Detect '])
      expect(read({ heartbeatPeriod: text })).toEqual({ ok: true, value: detected })
    expect(parseSettings(withRule(EMPTY_SETTINGS, SCOPE, detected)).ok).toBe(true)
  })
})

it('a new rule for a node replaces the old one, even if the id differs in case', () => {
  const at = (node: string): RuleScope => ({ for: 'node', service: 'https://a.example', node })
  const set = (limit: string) => ({ units: {}, limits: { stakeBelow: limit } })
  const tagged = withRule(EMPTY_SETTINGS, { for: 'tag', tag: 'eu' }, set('3'))
  const both = withRule(withRule(tagged, at('0xAB'), set('1')), at('0xab'), set('2'))
  expect(both.rules.map(({ limits }) => limits.stakeBelow)).toEqual(['3', '2'])
})
