import type { FixedKind } from '#alarms/alarm.ts'
import type { MetricUnit } from '#metrics/metric.ts'
import type { AlarmCondition } from '#settings/alarm-settings.ts'
import { formatCount } from './format.ts'

type LimitedTest = Extract<AlarmCondition, { readonly limit: unknown }>['test']

/** Alarm rules and maintenance windows. */
export const alarmRuleTexts = {
  title: 'Rules and maintenance',
  back: 'Alarms',
  defaults: {
    title: 'Built-in rules',
    lead: 'Always enabled. Their limits are set under Units and limits.',
    columns: { what: 'Alarm', when: 'When', severity: 'Severity' },
    setLimits: 'Set units and limits',
    severity: {
      critical: 'critical',
      warning: 'warning',
      info: 'info',
      'as-old': 'warning, then critical',
      'as-failure': 'by failure',
      'as-word': 'by status',
    },
    when: {
      unreachable: 'no usable answer from a node or a whole service',
      rejected: 'the service does not know the node or rejects its id (404, 400)',
      'key-rejected': 'the service rejects the key (401, 403)',
      paused: 'no key, or the key is locked',
      network: 'no service answers; the network of this computer is the likely cause',
      'clock-skew': 'the clocks of this computer and the service disagree too much',
      blind: (intervals: number, minutes: number): string =>
        `no data for ${intervals} poll intervals, at least ${minutes} minutes`,
      throttled: 'the service limits the rate, or polls fall behind schedule',
      'not-saving': 'the browser stores no history',
      'sound-blocked': 'the browser does not let this page play sound',
    } satisfies Record<FixedKind, unknown>,
    /** Of a metric, by what is tested. */
    test: {
      old: (warning: number, critical: number): string =>
        `older than ${warning} (critical: ${critical}) heartbeat periods, or than the limits set`,
      left: 'the status means warning or bad, or its meaning is not set',
      below: 'below the limit, if set',
      above: 'above the limit, if set',
    },
  },
  own: {
    title: 'Your rules',
    none: { title: 'No rules yet', text: 'Add a rule for a service, a tag or a node.' },
    add: 'Add rule',
    edit: 'Edit',
    remove: 'Remove',
    removed: (name: string): string => `Rule removed: ${name}`,
    off: 'disabled',
    save: 'Save rule',
    cancel: 'Cancel',
    new: 'New rule',
  },
  fields: {
    kind: 'Condition',
    scope: 'Scope',
    severity: 'Severity',
    limit: {
      below: (unit: string): string => `Below${unit}`,
      above: (unit: string): string => `Above${unit}`,
      old: (): string => 'Older than (minutes)',
      unchanged: (): string => 'Unchanged for (minutes)',
      'rate-below': (): string => 'Below (per hour)',
      'rate-above': (): string => 'Above (per hour)',
      'p95-above': (unit: string): string => `Above${unit}`,
    } satisfies Record<LimitedTest, (unit: string) => string>,
    units: { ratio: ' (%)', amount: ' (as shown)', ms: ' (ms)', count: '', none: '' } satisfies Record<
      MetricUnit,
      string
    >,
    window: 'Window (minutes)',
    deadband: 'Deadband',
    deadbandHint: 'How far back within the limit a value must be to clear, in the limit’s unit',
    raiseAfter: 'Raise after N bad polls',
    of: 'Of the last',
    lasting: 'For (seconds)',
    clearAfter: 'Clear after N good polls',
    keepFiring: 'Keep firing for (seconds)',
    todo: 'Runbook',
    todoHint: 'Shown with the alarm, before the general steps.',
    on: 'Rule',
    ways: { on: 'Enabled', off: 'Disabled' },
  },
  trial: {
    button: 'Test on the last 7 days',
    raised: (count: number): string =>
      `Would have raised ${count === 1 ? '1 alarm' : `${formatCount(count)} alarms`} in the last 7 days.`,
    ofNodes: (nodes: number, all: number): string =>
      `Tested on ${formatCount(nodes)} of ${formatCount(all)} nodes.`,
    rollups: 'Part of that time is stored as rollups only.',
    impossible: 'History does not hold this metric.',
    nothingKnown: 'No data for its nodes in the last 7 days.',
    failed: 'The engine did not answer. Try again.',
  },
  wrong: { number: 'Enter a number.' },
  scopes: {
    all: 'every node',
    service: (service: string): string => `service ${service}`,
    tag: (tag: string): string => `tag ${tag}`,
    node: (node: string): string => `node ${node}`,
  },
  maintenance: {
    title: 'Maintenance',
    lead: 'During a window alarms are evaluated and recorded, but send no notifications.',
    none: { title: 'No maintenance windows', text: 'Add a window without notifications.' },
    add: 'Add window',
    new: 'New window',
    save: 'Save window',
    reason: 'Reason',
    when: 'When',
    kinds: { once: 'once', weekly: 'every week' },
    from: (zone: string): string => `From (${zone})`,
    to: (zone: string): string => `To (${zone})`,
    days: 'Days',
    day: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
    start: (zone: string): string => `Start (${zone})`,
    minutes: 'Duration (minutes)',
    once: (from: string, to: string): string => `${from} to ${to}`,
    weekly: (days: string, start: string, zone: string, length: string): string =>
      `${days} at ${start} ${zone}, for ${length}`,
    removed: 'Window removed',
    past: 'past',
    open: 'open now',
    wrongTimes: 'Enter a start, and an end after it.',
    wrongDays: 'Choose at least one day, a time, and 1 to 1,440 minutes.',
  },
  notKept: 'Active, but not saved by this browser: lost on reload.',
  invalid: (problem: string): string => `Not saved: ${problem}`,
} as const
