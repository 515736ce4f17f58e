import type { MetricRegistry } from '#metrics/metric.ts'
import type { BuiltInChange } from '#settings/schema.ts'
import { alarmName } from './en-alarm-names.ts'
import { severityWords } from './en-alarms.ts'
import { formatCount, formatSpan, joined, NO_BREAK } from './format.ts'

export const builtInTexts = {
  add: 'Change a rule',
  rule: 'Rule',
  state: 'State',
  states: { off: 'disabled', on: 'enabled' },
  unchanged: 'unchanged',
  severityWord: 'severity',
  after: 'after',
  delay: 'Delay (seconds)',
  hint: 'The delay counts from the first bad poll. Leave it empty to keep the rule’s own delay. The most specific scope wins: node, tag, service, any node. A disabled rule raises no alarm; nodes still show the problem.',
  reach:
    'Applies to this browser only. The server’s watch and the Prometheus rules use the configuration file.',
  save: 'Save change',
  removed: (text: string): string => `Change removed: ${text}`,
  text: (rule: string, scope: string, what: string): string => `${rule} on ${scope}: ${what}`,
  raisedAfter: (span: string): string => `after ${span}`,
  canBeCritical: 'Disables a rule that can be critical, or lowers its severity.',
  weakened: (count: number): string =>
    count === 1
      ? '1 critical rule is disabled or downgraded'
      : `${formatCount(count)} critical rules are disabled or downgraded`,
  onNode: 'Changed critical rules',
  show: 'Show rules',
} as const

/** For example "disabled", or "warning, after 5 m". `own` stands for an unchanged severity. */
export function changeText(
  { off, severity, forMs }: Omit<BuiltInChange, 'rule' | 'scope'>,
  own: string = builtInTexts.states.on,
): string {
  if (off === true) return builtInTexts.states.off
  return joined(', ', [
    severity === undefined ? own : severityWords[severity],
    forMs !== undefined && builtInTexts.raisedAfter(formatSpan(forMs).replaceAll(NO_BREAK, ' ')),
  ])
}

/** For example "No usable answer on tag test: disabled". */
export const changeSentence = (change: BuiltInChange, scope: string, metrics: MetricRegistry): string =>
  builtInTexts.text(alarmName(change.rule, metrics), scope, changeText(change))
