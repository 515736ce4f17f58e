import type { MetricRegistry } from '#metrics/metric.ts'
import { alarmName } from './en-alarm-names.ts'
import { failureShort } from './en-failure-names.ts'
import { closedTexts } from './en-notifications.ts'
import { formatExact, formatPercent, joined } from './format.ts'

export type EventWords = {
  readonly kind: string
  readonly title: string
  readonly level?: 'critical' | 'warning' | 'info' | 'done' | 'none' | 'paused'
}

/** Accessors for an entry's facts, with a placeholder for missing ones. */
export type Facts = {
  readonly text: (name: string) => string
  readonly number: (name: string) => number | undefined
  readonly count: (name: string) => string
  readonly age: (name: string) => string
  readonly moment: (name: string) => string
  readonly has: (name: string) => boolean
  readonly metrics: MetricRegistry
}

/** Writes the texts of one kind of entry; `kind` defaults to the entry's area. */
export type EventWriter = (facts: Facts) => Omit<EventWords, 'kind'> & { readonly kind?: string }

type Severity = 'critical' | 'warning' | 'info'

const level = (facts: Facts): Severity => {
  const severity = facts.text('severity')
  return severity === 'critical' || severity === 'warning' ? severity : 'info'
}

/** `alarms` is the number of alarms that one line stands for. */
const name = (facts: Facts): string => {
  const kind = alarmName(facts.text('kind'), facts.metrics)
  if (!facts.has('alarms')) return kind
  const count = `${facts.count('alarms')} alarms`
  return facts.has('kind') ? `${kind}, ${count}` : count
}

const note = (facts: Facts): string => (facts.has('note') ? `, “${facts.text('note')}”` : '')

const by = (facts: Facts): string => (facts.has('by') ? ` by ${facts.text('by')}` : '')

const FAILURES = new Map<string, string>(Object.entries(failureShort))

function valueOf(facts: Facts, which: 'value' | 'limit'): string | undefined {
  const value = facts.number(which)
  const text = facts.text(which)
  switch (facts.text(`${which}Unit`)) {
    case 'ms':
      return facts.age(which)
    case 'ratio':
      return value === undefined ? undefined : formatPercent(value)
    case 'per-hour':
      return value === undefined ? undefined : `${facts.count(which)}\u00a0/h`
    case 'nodes':
      return value === undefined ? undefined : `${facts.count(which)} ${value === 1 ? 'node' : 'nodes'}`
    case 'stake':
      return formatExact(text)
    case 'failure':
      return FAILURES.get(text) ?? text
    case 'status':
    case 'reason':
      return text
    default:
      return undefined
  }
}

const withValue = (facts: Facts): string => {
  const value = valueOf(facts, 'value')
  const limit = valueOf(facts, 'limit')
  return joined(', ', [name(facts), value, limit !== undefined && `limit ${limit}`])
}

/** The value is the one that cleared the alarm, so the limit is left out. */
const cleared = (facts: Facts): string => {
  const value = valueOf(facts, 'value')
  return `${name(facts)}: cleared${value === undefined ? '' : `, now ${value}`}`
}

const raised =
  (kind: string): EventWriter =>
  (facts) =>
    facts.has('inhibitedBy')
      ? { title: `${withValue(facts)}: inhibited by another alarm` }
      : { kind, title: withValue(facts), level: level(facts) }

const person =
  (done: string): EventWriter =>
  (facts) => ({
    kind: 'Operator',
    title: `${done}${by(facts)}: ${name(facts)}${note(facts)}`,
  })

const UNSHELVED: Readonly<Record<string, string>> = {
  'by-person': 'unshelved',
  'got-worse': 'unshelved because it got worse',
}

export const alarmEvents: Readonly<Record<string, EventWriter>> = {
  'alarm-raised': raised('Alarm raised'),
  'alarm-worse': raised('Alarm worsened'),
  'alarm-lowered': (facts) => ({ title: `${name(facts)}: severity lowered to ${facts.text('severity')}` }),
  'alarm-relapsed': raised('Alarm raised again'),
  'alarm-flapping': (facts) => ({ title: `${name(facts)}: flapping`, level: level(facts) }),
  'alarm-settled': (facts) => ({ title: `${name(facts)}: no longer flapping` }),
  'alarm-cleared': (facts) => ({ kind: 'Alarm cleared', title: cleared(facts), level: 'done' }),
  'alarm-pending': (facts) => ({ title: `${withValue(facts)}: pending` }),
  'alarm-reset': (facts) => ({ title: `${name(facts)}: not raised` }),
  'alarm-recovering': (facts) => ({ title: `${name(facts)}: recovering` }),
  'alarm-timer-restarted': (facts) => ({ title: `${name(facts)}: timer restarted after a monitoring gap` }),
  'alarm-inhibited': (facts) => ({ title: `${name(facts)}: inhibited by another alarm` }),
  'alarm-released': (facts) => ({ title: `${name(facts)}: no longer inhibited` }),
  'alarm-maintenance-began': (facts) => ({ title: `${name(facts)}: in maintenance`, level: 'paused' }),
  'alarm-maintenance-ended': (facts) => ({ title: `${name(facts)}: maintenance ended` }),
  'alarm-closed': (facts) => ({
    title: `${name(facts)}: ${closedTexts[facts.text('reason')] ?? 'no longer evaluated'}`,
  }),
  'alarm-acknowledged': person('Acknowledged'),
  'alarm-unacknowledged': person('Unacknowledged'),
  'alarm-end-acknowledged': person('Cleared alarm acknowledged'),
  'alarm-shelved': (facts) => ({ ...person('Shelved')(facts), level: 'paused' }),
  'alarm-unshelved': (facts) => ({
    title: `${name(facts)}: ${UNSHELVED[facts.text('reason')] ?? 'shelving expired'}`,
  }),
  'sound-muted': (facts) => ({ kind: 'Operator', title: `Sound muted until ${facts.moment('untilMs')}` }),
  'sound-unmuted': (facts) =>
    facts.text('reason') === 'mute-ended'
      ? { title: 'Sound on again: the mute ended' }
      : { kind: 'Operator', title: 'Sound unmuted' },
}
