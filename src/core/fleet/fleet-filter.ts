import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { folded } from '#base/read-text.ts'
import { isLess } from '#record/amount.ts'
import { parseExactNumber, type ExactNumber } from '#record/exact-number.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import type { NodeClass } from './assessment.ts'
import { valueNow, type AssessedNode } from './live.ts'

/** Facts about a node that are not part of its own state. */
export type FilterFacts = {
  readonly nowMs: number
  readonly classOf: (node: AssessedNode) => NodeClass
  readonly isCurrent: (node: AssessedNode) => boolean
  /** Undefined without an alarm. */
  readonly alarmOf: (node: AssessedNode) => 'unack' | 'acked' | 'quiet' | undefined
  readonly serviceOf: (node: AssessedNode) => readonly string[]
}

export const STATES = ['unacked', 'acked', 'shelved', 'failing', 'old'] as const
export type FilterState = (typeof STATES)[number]

export const CONDITIONS = ['critical', 'warning', 'info', 'no-data', 'shelved', 'ok'] as const

export const OWN_FIELDS = ['name', 'id', 'tag', 'service', 'condition', 'is'] as const

export type FilterProblemKind =
  | 'unknown-field'
  | 'bad-operator'
  | 'no-value'
  | 'bad-duration'
  | 'bad-share'
  | 'bad-number'
  | 'unknown-condition'
  | 'unknown-state'
  | 'open-quote'
  /** More terms than are applied. */
  | 'too-many'

/** A term that is not applied, and why. `[from, to)` in the text. */
export type FilterProblem = {
  readonly kind: FilterProblemKind
  readonly from: number
  readonly to: number
  readonly term: string
  readonly field: string
}

type Test = (node: AssessedNode, facts: FilterFacts) => boolean

export type Filter = {
  readonly tests: readonly Test[]
  readonly problems: readonly FilterProblem[]
}

const TERMS_MAX = 40

/**
 * Reads a filter such as `status:ACTIVE age>1m stake>=1e6 tag:eu,us name~vela -shelved`. All terms must match; a comma means
 * "or", a minus "not", and quotes allow spaces. A word without a field matches name, id and tags. A term that can't be read is
 * reported and not applied. Never throws.
 */
export function parseFilter(text: string, metrics: MetricRegistry): Filter {
  const terms = termsIn(text)
  const read = terms.slice(0, TERMS_MAX).map((term) => ({ term, result: readTerm(term, metrics) }))
  const [over] = terms.slice(TERMS_MAX)
  return {
    tests: read.flatMap(({ term: { isNot }, result }) =>
      typeof result === 'string' ? [] : [isNot ? not(result) : result],
    ),
    problems: [
      ...read.flatMap(({ term, result }) => (typeof result === 'string' ? [problemOf(term, result)] : [])),
      ...(over === undefined ? [] : [problemOf({ ...over, to: text.length }, 'too-many')]),
    ],
  }
}

export const matchesFilter = ({ tests }: Filter, node: AssessedNode, facts: FilterFacts): boolean =>
  tests.every((test) => test(node, facts))

export type FilterTerm = {
  readonly from: number
  readonly to: number
  readonly text: string
  readonly isNot: boolean
  /** In lower case; empty for a plain word. */
  readonly field: string
  readonly operator: Operator | ''
  /** Split at commas, without quotes. */
  readonly values: readonly string[]
  readonly isQuoted: boolean
  readonly isOpen: boolean
}

const OPERATORS = ['>=', '<=', '!=', ':', '=', '~', '>', '<'] as const
type Operator = (typeof OPERATORS)[number]

const TERM = /(?:[^\s"]|"[^"]*(?:"|$))+/g
const FIELD = /^([A-Za-z][\w.-]*)(>=|<=|!=|[:=~<>])/

export const termsIn = (text: string): readonly FilterTerm[] =>
  Array.from(text.matchAll(TERM), ({ 0: whole, index }) => {
    const isNot = whole.startsWith('-') && whole.length > 1
    const body = isNot ? whole.slice(1) : whole
    const [head = '', field = '', operator = ''] = FIELD.exec(body) ?? []
    const rest = body.slice(head.length)
    return {
      from: index,
      to: index + whole.length,
      text: whole,
      isNot,
      field: field.toLowerCase(),
      operator: OPERATORS.find((each) => each === operator) ?? '',
      values: valuesIn(rest),
      isQuoted: rest.startsWith('"'),
      isOpen: (rest.match(/"/g) ?? []).length % 2 === 1,
    }
  })

/** Commas inside quotes do not split. */
const valuesIn = (text: string): readonly string[] =>
  (text.match(/(?:[^,"]|"[^"]*(?:"|$))+/g) ?? []).map((value) => value.replaceAll('"', ''))

const problemOf = ({ from, to, text, field }: FilterTerm, kind: FilterProblemKind): FilterProblem => ({
  kind,
  from,
  to,
  term: text,
  field,
})

const not =
  (test: Test): Test =>
  (node, facts) =>
    !test(node, facts)

function readTerm(term: FilterTerm, metrics: MetricRegistry): Test | FilterProblemKind {
  const { operator, values, isQuoted, isOpen } = term
  if (isOpen) return 'open-quote'
  if (values.every((value) => value === '')) return 'no-value'
  if (operator === '') {
    const [word = ''] = values
    const state = isQuoted || values.length > 1 ? undefined : stateIn(word)
    return state === undefined ? anyOf(values.map(inText)) : STATE_TESTS[state]
  }
  const test = readField(term, metrics)
  return typeof test === 'string' || operator !== '!=' ? test : not(test)
}

const anyOf =
  (tests: readonly Test[]): Test =>
  (node, facts) =>
    tests.some((test) => test(node, facts))

const isText = (test: Test | FilterProblemKind): test is FilterProblemKind => typeof test === 'string'

function readField(term: FilterTerm, metrics: MetricRegistry): Test | FilterProblemKind {
  const { field, operator, values } = term
  const isOrdered = operator === '<' || operator === '<=' || operator === '>' || operator === '>='
  switch (field) {
    case 'name':
    case 'id':
    case 'tag':
    case 'service':
      return isOrdered ? 'bad-operator' : textTest(textsOf[field], operator, values)
    case 'condition': {
      if (isOrdered || operator === '~') return 'bad-operator'
      const wanted = values.map((value) => CONDITIONS.find((each) => each === value.toLowerCase()))
      if (wanted.includes(undefined)) return 'unknown-condition'
      return (node, facts) => wanted.includes(facts.classOf(node))
    }
    case 'is': {
      if (isOrdered || operator === '~') return 'bad-operator'
      const wanted = values.map(stateIn)
      if (wanted.includes(undefined)) return 'unknown-state'
      return anyOf(wanted.flatMap((state) => (state === undefined ? [] : [STATE_TESTS[state]])))
    }
  }
  const metric = metricCalled(field, metrics)
  if (metric === undefined) return 'unknown-field'
  if (metric.kind === 'state' || metric.kind === 'fingerprint') {
    if (isOrdered) return 'bad-operator'
    return textTest((node, { nowMs }) => [valueNow(node, metric, nowMs)?.text ?? ''], operator, values)
  }
  if (operator === '~') return 'bad-operator'
  const tests = values.map((value) => numberTest(metric, operator, value))
  return tests.find(isText) ?? anyOf(tests.flatMap((test) => (isText(test) ? [] : [test])))
}

/** By its id, its short name, or its name in exports. */
export function metricCalled(field: string, metrics: MetricRegistry): Metric | undefined {
  return (
    metrics.find(({ id }) => id.toLowerCase() === field) ??
    metrics.find(({ alias }) => alias === field) ??
    metrics.find(({ exportName }) => exportName.toLowerCase() === field)
  )
}

type Texts = (node: AssessedNode, facts: FilterFacts) => readonly string[]

const textsOf: Readonly<Record<'name' | 'id' | 'tag' | 'service', Texts>> = {
  name: ({ name }) => (name === undefined ? [] : [name]),
  id: ({ nodeId }) => (nodeId === undefined ? [] : [nodeId]),
  tag: ({ tags }) => tags,
  service: (node, { serviceOf }) => serviceOf(node),
}

/** Ignores case; "~" matches any part of the text. */
function textTest(texts: Texts, operator: Operator | '', values: readonly string[]): Test {
  const wanted = values.map(folded)
  const isSame = (text: string): boolean =>
    operator === '~' ? wanted.some((value) => text.includes(value)) : wanted.includes(text)
  return (node, facts) => texts(node, facts).some((text) => isSame(folded(text)))
}

const inText = (word: string): Test => {
  const wanted = folded(word)
  return ({ name, nodeId, tags }) =>
    [name ?? '', nodeId ?? '', ...tags].some((text) => folded(text).includes(wanted))
}

const stateIn = (word: string): FilterState | undefined => STATES.find((each) => each === word.toLowerCase())

const STATE_TESTS: Readonly<Record<FilterState, Test>> = {
  unacked: (node, { alarmOf }) => alarmOf(node) === 'unack',
  acked: (node, { alarmOf }) => alarmOf(node) === 'acked',
  shelved: (node, { alarmOf }) => alarmOf(node) === 'quiet',
  failing: ({ episode }) => episode !== undefined,
  old: (node, { isCurrent }) => !isCurrent(node),
}

/** An unknown value matches no comparison. */
function numberTest(metric: Metric, operator: Operator | '', text: string): Test | FilterProblemKind {
  const wanted = readNumber(metric, text)
  if (typeof wanted === 'string') return wanted
  return (node, { nowMs }) => {
    const shown = valueNow(node, metric, nowMs)
    if (shown?.value === undefined) return false
    // Compares decimal texts, because doubles would lose the last digits.
    const isPlain = metric.unit !== 'ms' && /^\d+(\.\d+)?$/.test(shown.text)
    const below = isPlain ? isLess(shown.text, wanted.text) : shown.value < wanted.value
    const above = isPlain ? isLess(wanted.text, shown.text) : shown.value > wanted.value
    switch (operator) {
      case '<':
        return below
      case '<=':
        return !above
      case '>':
        return above
      case '>=':
        return !below
      default:
        return !below && !above
    }
  }
}

const MAGNITUDES: Readonly<Record<string, string>> = { k: 'e3', m: 'e6', g: 'e9', b: 'e9', t: 'e12' }
const DURATIONS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

function readNumber({ unit, kind }: Metric, text: string): ExactNumber | FilterProblemKind {
  if (unit === 'ms') {
    // Ages default to seconds, response times to milliseconds.
    const [, amount = '', letters = kind === 'timestamp' ? 's' : 'ms'] =
      /^(\d+(?:\.\d+)?)([a-z]+)?$/i.exec(text) ?? []
    const value = Number(amount) * (DURATIONS_MS[letters.toLowerCase()] ?? Number.NaN)
    return amount === '' || !Number.isFinite(value) ? 'bad-duration' : { text: String(value), value }
  }
  if (unit === 'ratio') {
    const digits = text.replace(/%$/, '')
    // A number above 1, such as 97, can only be a percentage.
    const isPercent = text.endsWith('%') || Number(digits) > 1
    const share = exact(isPercent ? `${digits}e-2` : digits)
    return share === undefined || share.value > 1 ? 'bad-share' : share
  }
  const [, digits = text, letter = ''] = /^(.*?)([kmgbt])$/i.exec(text) ?? []
  return exact(`${digits}${MAGNITUDES[letter.toLowerCase()] ?? ''}`) ?? 'bad-number'
}

/** Underscores may group digits. No metric is negative. */
function exact(text: string): ExactNumber | undefined {
  const number = parseExactNumber(text.replaceAll('_', ''))
  return number === undefined || number.value < 0 ? undefined : number
}
