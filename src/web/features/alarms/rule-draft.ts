import { OPERATOR_KINDS, type AlarmSeverity, type OperatorKind } from '#alarms/alarm.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { AlarmCheck, AlarmRule, AlarmScope } from '#settings/alarm-settings.ts'

/** A rule as it is typed: numbers are texts in the units of the form. */
export type RuleDraft = {
  readonly kind: OperatorKind
  readonly scope: AlarmScope
  readonly severity: AlarmSeverity
  readonly off: boolean
  readonly limit: string
  readonly windowMinutes: string
  readonly deadband: string
  readonly bad: string
  readonly of: string
  readonly holdSeconds: string
  readonly calm: string
  readonly keepSeconds: string
  readonly todo: string
}

export const NEW_RULE: RuleDraft = {
  kind: 'participation-below',
  scope: { for: 'all' },
  severity: 'warning',
  off: false,
  limit: '',
  windowMinutes: '60',
  deadband: '',
  bad: '2',
  of: '2',
  holdSeconds: '0',
  calm: '2',
  keepSeconds: '0',
  todo: '',
}

export const kindFromText = (text: string): OperatorKind =>
  OPERATOR_KINDS.find((kind) => kind === text) ?? NEW_RULE.kind

/** Which of the fields a kind has. */
export const FIELDS: Readonly<Record<OperatorKind, readonly ('limit' | 'window' | 'deadband')[]>> = {
  'participation-below': ['limit', 'deadband'],
  'participation-above': ['limit', 'deadband'],
  'stake-below': ['limit', 'deadband'],
  'stake-changed': [],
  'threat-rate-below': ['limit', 'window', 'deadband'],
  'threat-rate-above': ['limit', 'window', 'deadband'],
  'threats-stuck': ['window'],
  'answer-time-p95': ['limit', 'window', 'deadband'],
  'proof-unchanged': ['limit'],
  'proof-wrong': [],
}

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/** What one in the form's unit is in the rule's. */
const UNITS: Readonly<Partial<Record<OperatorKind, number>>> = {
  'participation-below': 0.01,
  'participation-above': 0.01,
  'proof-unchanged': MINUTE_MS,
}

/** Hundredths of a percent are exact: 0.97 and not 0.9700000000000001. */
const toRule = (kind: OperatorKind, value: number): number =>
  Math.round(value * (UNITS[kind] ?? 1) * 1e9) / 1e9
const toForm = (kind: OperatorKind, value: number): string =>
  String(Math.round((value / (UNITS[kind] ?? 1)) * 1e9) / 1e9)

export function draftOf(rule: AlarmRule): RuleDraft {
  const { check, scope, severity, off, raiseAfter, forMs, clearAfter, keepFiringForMs, todo } = rule
  const shown = (value: number | string | undefined): string =>
    typeof value === 'number' ? toForm(check.kind, value) : (value ?? '')
  return {
    ...NEW_RULE,
    kind: check.kind,
    scope,
    severity,
    off,
    limit: 'limit' in check ? shown(check.limit) : '',
    deadband: 'deadband' in check ? shown(check.deadband) : '',
    windowMinutes: 'windowMs' in check ? String(check.windowMs / MINUTE_MS) : NEW_RULE.windowMinutes,
    bad: String(raiseAfter.polls),
    of: String(raiseAfter.of),
    holdSeconds: String(forMs / SECOND_MS),
    calm: String(clearAfter),
    keepSeconds: String(keepFiringForMs / SECOND_MS),
    todo: todo ?? '',
  }
}

export type DraftField = Exclude<keyof RuleDraft, 'kind' | 'scope' | 'severity' | 'off' | 'todo'>

/** The rule, or the fields that hold no number. Whether its numbers are possible is the settings' own business. */
export function ruleFrom(draft: RuleDraft, id: string): Result<AlarmRule, readonly DraftField[]> {
  const wrong: DraftField[] = []
  const read = (field: DraftField): number => {
    const text = draft[field].trim()
    const value = Number(text)
    if (text === '' || !Number.isFinite(value)) wrong.push(field)
    return value
  }
  const check = checkFrom(draft, read)
  const { scope, severity, off } = draft
  const todo = draft.todo.trim()
  const rule: AlarmRule = {
    id,
    off,
    scope,
    check,
    severity,
    raiseAfter: { polls: read('bad'), of: read('of') },
    forMs: read('holdSeconds') * SECOND_MS,
    clearAfter: read('calm'),
    keepFiringForMs: read('keepSeconds') * SECOND_MS,
    ...(todo !== '' && { todo }),
  }
  return wrong.length === 0 ? ok(rule) : err(wrong)
}

function checkFrom(draft: RuleDraft, read: (field: DraftField) => number): AlarmCheck {
  const { kind } = draft
  const limit = (): number => toRule(kind, read('limit'))
  const deadband = (): number => (draft.deadband.trim() === '' ? 0 : toRule(kind, read('deadband')))
  const windowMs = (): number => read('windowMinutes') * MINUTE_MS
  switch (kind) {
    case 'participation-below':
    case 'participation-above':
      return { kind, limit: limit(), deadband: deadband() }
    case 'stake-below':
      // An amount is exact as it is typed; a double would round it.
      read('limit')
      return { kind, limit: draft.limit.trim(), deadband: draft.deadband.trim() || '0' }
    case 'threat-rate-below':
    case 'threat-rate-above':
    case 'answer-time-p95':
      return { kind, limit: limit(), windowMs: windowMs(), deadband: deadband() }
    case 'threats-stuck':
      return { kind, windowMs: windowMs() }
    case 'proof-unchanged':
      return { kind, limit: limit() }
    case 'stake-changed':
    case 'proof-wrong':
      return { kind }
  }
}
