import { describe, expect, it } from 'vitest'
import { ruleAt, withRule, withStatusWord } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Settings } from '#settings/schema.ts'
import { valueOf } from '#test/support/value-of.ts'

const A = 'https://a.example'
const B = 'https://b.example'
const atA = { for: 'service', service: A } as const
const atB = { for: 'service', service: B } as const
const NOTHING = { units: {}, limits: {} }
const gbit = { units: { stake: { unit: 'GBIT', decimals: 9 } }, limits: {} }
const late = { units: {}, limits: { heartbeatWarningPeriods: 6 } }

const settings = (): Settings => valueOf(parseSettings({ version: 1 }))
const scopesOf = ({ rules }: Settings) => rules.map((rule) => ('service' in rule ? rule.service : rule.for))

describe('a rule of the settings', () => {
  it('says nothing where there is none', () => {
    expect(ruleAt(settings(), atA)).toEqual(NOTHING)
    const others = withRule(settings(), atB, late as never)
    expect(ruleAt(others, atA)).toEqual(NOTHING)
    expect(ruleAt(others, atB)).toMatchObject(late)
  })

  it('comes behind the others, and keeps its place when it is changed', () => {
    const both = withRule(withRule(settings(), atA, gbit as never), atB, late as never)
    expect(scopesOf(both)).toEqual([A, B])
    const changed = withRule(both, atA, late as never)
    expect(scopesOf(changed)).toEqual([A, B])
    expect(ruleAt(changed, atA)).toMatchObject(late)
    expect(ruleAt(both, atA)).toMatchObject(gbit)
  })

  it('goes when it says nothing any more, and only then', () => {
    const both = withRule(withRule(settings(), atA, gbit as never), atB, late as never)
    expect(scopesOf(withRule(both, atA, NOTHING))).toEqual([B])
    expect(scopesOf(withRule(both, atB, NOTHING))).toEqual([A])
    expect(scopesOf(withRule(settings(), atA, NOTHING))).toEqual([])
  })
})

describe('a status word', () => {
  it('means one thing, beside other words and other units', () => {
    const before = withRule(settings(), atA, gbit as never)
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
})
