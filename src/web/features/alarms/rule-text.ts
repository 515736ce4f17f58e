import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import type { AlarmCondition, AlarmRule } from '#settings/schema.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { severityWords } from '#texts/en-alarms.ts'
import {
  formatCount,
  formatExact,
  formatSpan,
  joined,
  NO_BREAK,
  unit as units,
  withUnit,
} from '#texts/format.ts'

const words = alarmRuleTexts.sentence

/** For example "Participation below 98 % in 2 polls in a row for 5 m on any node: warning". */
export function ruleText(rule: AlarmRule, scope: string, registry: MetricRegistry): string {
  const { condition, raiseAfter, forMs, severity } = rule
  const metric = registry.find(({ id }) => id === condition.metric)
  const { polls, of } = raiseAfter
  const what = [
    conditionWords(condition.test, metric, condition.metric),
    limitText(condition, metric),
    polls > 1 || of > 1 ? words.inPolls(polls, of) : '',
    forMs > 0 ? words.for(formatSpan(forMs)) : '',
  ]
  return `${sentenceOf(what, ' ')} ${words.onScope(scope)}: ${severityWords[severity]}`
}

/** For example "Clears after 2 good polls, at least 0.2 % inside the limit, at least 1 m after the first good poll". */
export function clearText(rule: AlarmRule, registry: MetricRegistry): string {
  const { condition, clearAfter, keepFiringForMs } = rule
  const metric = registry.find(({ id }) => id === condition.metric)
  const deadband = 'deadband' in condition ? (condition.deadband ?? 0) : 0
  const when = [
    words.clearsAfter(clearAfter),
    Number(deadband) > 0 ? words.clearsWithin(valueText(deadband, metric)) : '',
    keepFiringForMs > 0 ? words.firesFor(formatSpan(keepFiringForMs)) : '',
  ]
  return sentenceOf(when, ', ')
}

/** Uses plain spaces, because external names beside this text have all other spaces made visible. */
const sentenceOf = (parts: readonly string[], between: string): string =>
  joined(between, parts).replaceAll(NO_BREAK, ' ')

/** `id` replaces the heading of a metric that this version does not know. */
export const conditionWords = (test: AlarmCondition['test'], metric: Metric | undefined, id = ''): string =>
  words.test[test](metric?.check?.heading ?? metric?.heading ?? id)

function limitText(condition: AlarmCondition, metric: Metric | undefined): string {
  switch (condition.test) {
    case 'below':
    case 'above':
      return valueText(condition.limit, metric)
    case 'p95-above':
      return `${valueText(condition.limit, metric)} ${words.over} ${formatSpan(condition.windowMs)}`
    case 'rate-below':
    case 'rate-above':
      return `${formatCount(condition.limit)} ${words.perHour} ${words.over} ${formatSpan(condition.windowMs)}`
    case 'old':
    case 'unchanged':
      return formatSpan(condition.limit)
    case 'stuck':
      return formatSpan(condition.windowMs)
    case 'changed':
    case 'wrong':
      return ''
  }
}

/** A limit or a deadband exactly as entered, without rounding. */
function valueText(value: number | string, metric: Metric | undefined): string {
  if (metric?.unit === 'ratio')
    return withUnit({ figure: String(Number((Number(value) * 100).toPrecision(12))), unit: units.percent })
  if (metric?.unit === 'ms') return withUnit({ figure: formatExact(String(value)), unit: units.ms })
  return formatExact(String(value))
}
