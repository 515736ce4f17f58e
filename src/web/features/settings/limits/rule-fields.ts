import { err, ok, type Result } from '#base/result.ts'
import {
  EXTRA_FIELDS_MAX,
  FIELD_NAME_CHARS_MAX,
  STAKE_DECIMALS_MAX,
  STAKE_SYMBOL_CHARS_MAX,
  type Limits,
  type StatusMeaning,
  type Units,
} from '#settings/rules.ts'

/** Units and limits as they stand in a form. Empty: not set here. Times in seconds, participation in percent. */
export type RuleFields = {
  readonly participation: '' | NonNullable<Units['participation']>
  readonly stakeSymbol: string
  readonly stakeDecimals: string
  readonly heartbeat: '' | NonNullable<Units['heartbeat']>
  readonly heartbeatPeriod: string
  readonly statusWords: readonly { readonly word: string; readonly means: StatusMeaning }[]
  /** One a line. */
  readonly extraFields: string
  readonly participationBelow: string
  readonly participationAbove: string
  readonly stakeBelow: string
  readonly heartbeatWarning: string
  readonly heartbeatCritical: string
  readonly answerTime: string
}

export type RuleField = keyof RuleFields

export type RuleProblem =
  | 'not-a-number'
  | 'not-whole'
  | 'not-a-percentage'
  | 'too-long'
  | 'too-many'
  | 'out-of-range'
  | 'not-in-order'

export type RuleProblems = Partial<Record<RuleField, RuleProblem>>

/** Typed where a period is to be detected, whatever a wider scope says. */
export const DETECT = 'detect'

/** Typed where a limit of a wider scope shall not hold. */
export const NO_LIMIT = 'none'

const asText = (value: number | string | null | undefined, scale = 1): string => {
  if (value === null) return NO_LIMIT
  if (value === undefined) return ''
  return typeof value === 'string' ? value : String(Number((value * scale).toPrecision(12)))
}

export const ruleFieldsOf = ({
  units,
  limits,
}: {
  readonly units: Units
  readonly limits: Limits
}): RuleFields => ({
  participation: units.participation ?? '',
  stakeSymbol: units.stakeSymbol ?? '',
  stakeDecimals: asText(units.stakeDecimals),
  heartbeat: units.heartbeat ?? '',
  heartbeatPeriod: asText(units.heartbeatPeriodMs, 1 / 1_000),
  statusWords: units.statusWords ?? [],
  extraFields: (units.extraFields ?? []).join('\n'),
  participationBelow: asText(limits.participationBelow, 100),
  participationAbove: asText(limits.participationAbove, 100),
  stakeBelow: asText(limits.stakeBelow),
  heartbeatWarning: asText(limits.heartbeatWarningMs, 1 / 1_000),
  heartbeatCritical: asText(limits.heartbeatCriticalMs, 1 / 1_000),
  answerTime: asText(limits.answerTimeAboveMs, 1 / 1_000),
})

type Read<T> = Result<T | undefined, RuleProblem>

/** What the form says; or every field that is wrong. */
export function readRuleFields(
  fields: RuleFields,
): Result<{ readonly units: Units; readonly limits: Limits }, RuleProblems> {
  const read = {
    stakeSymbol: readSymbol(fields.stakeSymbol),
    stakeDecimals: readWhole(fields.stakeDecimals, STAKE_DECIMALS_MAX),
    heartbeatPeriod: readPeriod(fields.heartbeatPeriod),
    extraFields: readNames(fields.extraFields),
    participationBelow: orNone(fields.participationBelow, readPercent),
    participationAbove: orNone(fields.participationAbove, readPercent),
    stakeBelow: orNone(fields.stakeBelow, readAmount),
    heartbeatWarning: orNone(fields.heartbeatWarning, (text) => readSeconds(text, 1, 2_592_000)),
    heartbeatCritical: orNone(fields.heartbeatCritical, (text) => readSeconds(text, 1, 2_592_000)),
    answerTime: orNone(fields.answerTime, (text) => readSeconds(text, 0.001, 120)),
  }
  const problems = Object.fromEntries(
    Object.entries(read).flatMap(([name, result]) => (result.ok ? [] : [[name, result.error]])),
  )
  const value = <T>(result: Read<T>): T | undefined => (result.ok ? result.value : undefined)
  const wrongOrder = orderProblems(
    [value(read.participationBelow), value(read.participationAbove), 'participationAbove'],
    [value(read.heartbeatWarning), value(read.heartbeatCritical), 'heartbeatCritical'],
  )
  const all: RuleProblems = { ...wrongOrder, ...problems }
  if (Object.keys(all).length > 0) return err(all)
  return ok({
    units: {
      ...(fields.participation !== '' && { participation: fields.participation }),
      ...given('stakeSymbol', value(read.stakeSymbol)),
      ...given('stakeDecimals', value(read.stakeDecimals)),
      ...(fields.heartbeat !== '' && { heartbeat: fields.heartbeat }),
      ...given('heartbeatPeriodMs', value(read.heartbeatPeriod)),
      ...(fields.statusWords.length > 0 && { statusWords: [...fields.statusWords] }),
      ...given('extraFields', value(read.extraFields)),
    },
    limits: {
      ...given('participationBelow', value(read.participationBelow)),
      ...given('participationAbove', value(read.participationAbove)),
      ...given('stakeBelow', value(read.stakeBelow)),
      ...given('heartbeatWarningMs', value(read.heartbeatWarning)),
      ...given('heartbeatCriticalMs', value(read.heartbeatCritical)),
      ...given('answerTimeAboveMs', value(read.answerTime)),
    },
  })
}

/** A member that is there only where it has a value. */
const given = <T>(name: string, value: T | undefined) => (value === undefined ? {} : { [name]: value })

type Order = readonly [low: number | null | undefined, high: number | null | undefined, field: RuleField]

/** Two limits of which the second has to be the larger one. */
const orderProblems = (...orders: readonly Order[]): RuleProblems =>
  Object.fromEntries(
    orders.flatMap(([low, high, field]) =>
      typeof low === 'number' && typeof high === 'number' && low >= high ? [[field, 'not-in-order']] : [],
    ),
  )

const orNone = <T>(text: string, read: (text: string) => Read<T>): Read<T | null> =>
  text.trim().toLowerCase() === NO_LIMIT ? ok(null) : read(text)

function readNumber(text: string): Read<number> {
  const trimmed = text.trim().replace(',', '.')
  if (trimmed === '') return ok(undefined)
  return /^\d{1,15}(\.\d{1,12})?$/.test(trimmed) ? ok(Number(trimmed)) : err('not-a-number')
}

function readSeconds(text: string, min: number, max: number): Read<number> {
  const read = readNumber(text)
  if (!read.ok || read.value === undefined) return read
  return read.value < min || read.value > max ? err('out-of-range') : ok(Math.round(read.value * 1_000))
}

const readPeriod = (text: string): Read<number | typeof DETECT> =>
  text.trim().toLowerCase() === DETECT ? ok(DETECT) : readSeconds(text, 1, 86_400)

function readPercent(text: string): Read<number> {
  const read = readNumber(text.replace(/\s*%\s*$/, ''))
  if (!read.ok || read.value === undefined) return read.ok ? read : err('not-a-percentage')
  return read.value > 100 ? err('not-a-percentage') : ok(Number((read.value / 100).toPrecision(12)))
}

function readWhole(text: string, max: number): Read<number> {
  const read = readNumber(text)
  if (!read.ok || read.value === undefined) return read
  if (!Number.isInteger(read.value)) return err('not-whole')
  return read.value > max ? err('out-of-range') : read
}

function readAmount(text: string): Read<string> {
  // Groups are written with commas on every screen here, so they may be typed with them.
  const trimmed = text.trim().replace(/(?<=\d),(?=\d{3})/g, '')
  if (trimmed === '') return ok(undefined)
  return /^\d{1,40}(\.\d{1,36})?$/.test(trimmed) ? ok(trimmed) : err('not-a-number')
}

function readSymbol(text: string): Read<string> {
  const trimmed = text.trim()
  if (trimmed.length > STAKE_SYMBOL_CHARS_MAX) return err('too-long')
  return ok(trimmed === '' ? undefined : trimmed)
}

function readNames(text: string): Read<string[]> {
  const names = [...new Set(text.split('\n').map((line) => line.trim()))].filter((name) => name !== '')
  if (names.length > EXTRA_FIELDS_MAX) return err('too-many')
  if (names.some((name) => name.length > FIELD_NAME_CHARS_MAX)) return err('too-long')
  return ok(names.length === 0 ? undefined : names)
}
