import { describe, expect, it } from 'vitest'
import { err, ok } from '#base/result.ts'
import { draftOfWindow, newWindow, windowFrom } from '#features/alarms/maintenance-draft.ts'
import { choicesOf, draftOfRule, NEW_RULE, ruleFrom, type RuleDraft } from '#features/alarms/rule-draft.ts'
import { clearText, ruleText } from '#features/alarms/rule-text.ts'
import { METRICS } from '#metrics/metrics.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { parseSettings } from '#settings/documents.ts'
import { valueOf } from '#test/support/value-of.ts'

const typed = (part: Partial<RuleDraft>) => ruleFrom({ ...NEW_RULE, ...part }, 'rule-1', METRICS)

describe('a rule draft', () => {
  it.each(choicesOf(METRICS).map(({ metric, test }) => [metric.id, test] as const))(
    'becomes a rule that the settings accept: %s %s',
    (metric, test) => {
      const kept = { name: 'mine', todo: 'Call Kim' }
      const rule = valueOf(typed({ metric, test, limit: '97', window: '30', ...kept }))
      expect(rule).toMatchObject(kept)
      const alarms = { rules: [rule], maintenance: [], builtIn: [] }
      const parsed = parseSettings({ ...EMPTY_SETTINGS, alarms })
      expect(parsed.ok && parsed.value.alarms.rules).toEqual([rule])
      expect(ruleFrom(draftOfRule(rule, METRICS), 'rule-1', METRICS)).toEqual(ok(rule))
      const off = { ...rule, off: true as const }
      expect(ruleFrom(draftOfRule(off, METRICS), 'rule-1', METRICS)).toEqual(ok(off))
    },
  )

  it('converts percent, minutes and seconds from the form', () => {
    const below = typed({ metric: 'participation', limit: '97', deadband: '0.2', lasting: '30' })
    expect(below).toMatchObject(ok({ condition: { limit: 0.97, deadband: 0.002 }, forMs: 30_000 }))
    const unchanged = typed({ metric: 'proof', test: 'unchanged', limit: '3' })
    expect(unchanged).toMatchObject(ok({ condition: { limit: 180_000 } }))
  })

  it('keeps an amount exactly as typed', () => {
    const amount = typed({ metric: 'stake', limit: ' 9007199254740993.5 ' })
    expect(amount).toMatchObject(ok({ condition: { limit: '9007199254740993.5' } }))
  })

  it('reports the fields without a valid number', () => {
    const read = typed({
      metric: 'stake',
      test: 'p95-above',
      limit: '',
      polls: 'two',
      keepFiring: 'Infinity',
    })
    expect(read.ok ? [] : Object.keys(read.error)).toEqual(['limit', 'polls', 'keepFiring'])
    expect(typed({ limit: '970' })).toEqual(err({ limit: { kind: 'not-a-percentage' } }))
    expect(typed({ limit: '97', polls: '3' }).ok).toBe(false)
  })
})

describe('a rule in words', () => {
  it.each([
    [{}, 'Participation below 98 % on any node: warning'],
    [{ polls: '2', of: '2' }, 'Participation below 98 % in 2 polls in a row on any node: warning'],
    [{ of: '3' }, 'Participation below 98 % in 1 of 3 polls on any node: warning'],
    [
      { polls: '3', of: '5', lasting: '300', severity: 'critical' },
      'Participation below 98 % in 3 of 5 polls for 5 m on any node: critical',
    ],
    [
      { metric: 'stake', limit: '9007199254740993.5' },
      'Stake below 9,007,199,254,740,993.5 on any node: warning',
    ],
    [{ limit: '57' }, 'Participation below 57 % on any node: warning'],
    [{ metric: 'heartbeat', test: 'old', limit: '4' }, 'Heartbeat older than 4 m on any node: warning'],
    [{ metric: 'proof', test: 'wrong' }, 'Proof wrong on any node: warning'],
    [
      { metric: 'proof', test: 'unchanged', limit: '90' },
      'Proof unchanged for 1 h 30 m on any node: warning',
    ],
    [{ metric: 'status', test: 'changed' }, 'Status changed on any node: warning'],
    [
      { metric: 'threatResponses', test: 'rate-above', limit: '1200' },
      'Threat responses rate above 1,200 per hour over 1 h on any node: warning',
    ],
    [
      { metric: 'threatResponses', test: 'stuck' },
      'Threat responses with no increase for 1 h on any node: warning',
    ],
    [
      { metric: 'answerTime', test: 'p95-above', limit: '1500' },
      'Response time p95 above 1,500 ms over 1 h on any node: warning',
    ],
  ] satisfies readonly (readonly [Partial<RuleDraft>, string])[])('describes %j', (part, sentence) => {
    const rule = typed({ limit: '98', polls: '1', of: '1', window: '60', ...part })
    expect(rule.ok ? ruleText(rule.value, 'any node', METRICS) : rule.error).toBe(sentence)
  })

  it('states when it clears', () => {
    const rule = typed({ limit: '98', clearAfter: '1', deadband: '0.5', keepFiring: '90' })
    const text = rule.ok ? clearText(rule.value, METRICS) : ''
    expect(text).toBe(
      'Clears after 1 good poll, at least 0.5 % inside the limit, at least 1 m 30 s after the first good poll',
    )
  })
})

describe('a maintenance window draft', () => {
  const NOW_MS = Date.UTC(2026, 10, 20, 14, 2)
  const draft = newWindow(NOW_MS, 'utc')

  it('defaults to the next whole hour', () => {
    expect(valueOf(windowFrom(draft, 'window-1', 'utc'))).toEqual({
      id: 'window-1',
      scope: { for: 'all' },
      reason: '',
      when: { kind: 'once', fromMs: Date.UTC(2026, 10, 20, 15), toMs: Date.UTC(2026, 10, 20, 16) },
    })
  })

  it('needs a start and must end after it', () => {
    const given = (edited: Partial<typeof draft>) => windowFrom({ ...draft, ...edited }, 'window-1', 'utc')
    expect(given({ to: draft.from })).toMatchObject(err({ from: { kind: 'other' } }))
    expect(given({ from: '' })).toEqual(err({ from: { kind: 'empty' } }))
  })

  it.each([
    [{ days: [6, 1], start: '2:30', minutes: '90' }, true],
    [{ days: [], start: '02:30', minutes: '90' }, false],
    [{ days: [1], start: '24:00', minutes: '90' }, false],
    [{ days: [1], start: '02:30', minutes: '1440' }, true],
    [{ days: [1], start: '02:30', minutes: '1441' }, false],
    [{ days: [1], start: '02:30', minutes: '0' }, false],
    [{ days: [1], start: '02:30', minutes: '1.5' }, false],
  ] as const)('validates the weekly schedule %j', (part, isPossible) => {
    const read = windowFrom({ ...draft, kind: 'weekly', ...part }, 'window-1', 'local')
    expect(read.ok).toBe(isPossible)
    if (!read.ok) return
    expect(windowFrom(draftOfWindow(read.value, NOW_MS, 'utc'), 'window-1', 'local')).toEqual(read)
    expect(read.value.when).toMatchObject({
      kind: 'weekly',
      zone: 'local',
      days: part.days.toSorted((a, b) => a - b),
    })
    expect(parseSettings({ ...EMPTY_SETTINGS, alarms: { rules: [], maintenance: [read.value] } }).ok).toBe(
      true,
    )
  })
})
