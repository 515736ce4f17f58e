import { toVisibleText } from '#base/visible-text.ts'
import { metricOf } from '#alarms/metric-values.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import type { AlarmKind, AlarmSeverity, AlarmValue } from '#alarms/alarm.ts'
import { failureText } from './en-failure-names.ts'
import {
  counted,
  formatAge,
  formatCount,
  formatExact,
  formatLatency,
  formatPercent,
  formatSpan,
  joined,
} from './format.ts'

/** Measured durations in ms, as opposed to ages. */
const isMeasured = (kind: AlarmKind, metrics: MetricRegistry): boolean =>
  metricOf(kind, metrics)?.metric.kind === 'gauge'

const REASONS: Readonly<Record<string, string>> = {
  full: 'storage is full',
  closed: 'storage was closed',
  newer: 'a newer version is open',
  blocked: 'blocked by an old tab',
  'no-answer': 'storage does not answer',
  none: 'this browser stores nothing',
  taken: 'stored by another tab',
  broken: 'storage is damaged',
  died: 'stopped unexpectedly',
  hung: 'did not answer',
  unreadable: 'can’t be read',
}

export function alarmValue(
  kind: AlarmKind,
  value: AlarmValue | undefined,
  metrics: MetricRegistry,
): string | undefined {
  if (value === undefined) return undefined
  switch (value.unit) {
    case 'ms':
      return isMeasured(kind, metrics) ? formatLatency(value.value) : formatAge(value.value)
    case 'ratio':
      return formatPercent(value.value)
    case 'per-hour':
      return `${formatCount(Math.round(value.value))}\u00a0/h`
    case 'count':
      return formatCount(value.value)
    case 'stake':
      return value.before === undefined
        ? formatExact(toVisibleText(value.text))
        : `${formatExact(toVisibleText(value.text))} (was ${formatExact(toVisibleText(value.before))})`
    case 'status':
      return toVisibleText(value.text)
    case 'failure':
      return value.failure === undefined ? value.code : failureText(value.failure)
    case 'nodes':
      return counted(value.value, 'node')
    case 'reason':
      return REASONS[value.text] ?? value.text
  }
}

/** A limit is configured, not measured, so it reads "3 m" and not "3 m 00 s". */
export const alarmLimit = (
  kind: AlarmKind,
  limit: AlarmValue | undefined,
  metrics: MetricRegistry,
): string | undefined =>
  limit?.unit === 'ms' && !isMeasured(kind, metrics)
    ? formatSpan(limit.value)
    : alarmValue(kind, limit, metrics)

export const severityWords: Readonly<Record<AlarmSeverity, string>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'info',
}

export const alarmTexts = {
  title: 'Alarms',
  summary: (active: number, unacknowledged: number): string =>
    active === 0
      ? 'none active'
      : `${counted(active, 'alarm')} active, ${formatCount(unacknowledged)} unacknowledged`,
  list: 'Alarms, unacknowledged first',
  lists: 'Lists of alarms',
  rules: 'Rules and maintenance',
  tabs: {
    active: 'Active',
    cleared: 'Cleared, unacknowledged',
    shelved: 'Shelved',
    held: 'Inhibited, in maintenance',
    pending: 'Pending',
  },
  groups: {
    unacknowledged: 'Unacknowledged',
    acknowledged: 'Acknowledged, active',
    cleared: 'Cleared, unacknowledged',
    shelved: 'Shelved: no notifications unless worse or cleared',
    maintenance: 'In maintenance: no notifications',
    inhibited: 'Inhibited by another alarm',
    pending: 'Pending',
  },
  columns: {
    severity: 'Severity',
    what: 'Alarm',
    node: 'Node',
    value: 'Value',
    limit: 'Limit',
    raised: (zone: string): string => `Raised ${zone}`,
    lasting: 'Duration',
    actions: 'Actions',
    more: (nodes: number): string => `+${formatCount(nodes)}`,
  },
  mark: {
    unack: (severity: string): string => `${severity}, unacknowledged`,
    acked: (severity: string): string => `${severity}, acknowledged`,
    cleared: (severity: string): string => `${severity}, cleared`,
    shelved: (severity: string): string => `${severity}, suppressed`,
    pending: (severity: string): string => `${severity}, pending`,
  },
  sub: {
    group: (nodes: number): string => `1 alarm, ${counted(nodes, 'node')}`,
    acknowledged: (at: string, by: string | undefined, note: string | undefined): string =>
      `acknowledged at ${at}${by === undefined ? '' : ` by ${by}`}${note === undefined ? '' : `: ${note}`}`,
    shelved: (until: string, by: string | undefined, reason: string): string =>
      `until ${until}${by === undefined ? '' : `, by ${by}`}: ${reason}`,
    held: (age: string): string => `no data for ${age}`,
    flapping: (times: number, isGroup: boolean): string =>
      isGroup
        ? `some flapping, raised up to ${counted(times, 'time')} in 24 h`
        : `flapping, raised ${counted(times, 'time')} in 24 h`,
    repeated: (times: number, isGroup: boolean): string =>
      isGroup
        ? `raised up to ${formatCount(times)} times in 24 h`
        : `raised ${formatCount(times)} times in 24 h`,
    recovering: 'recovering',
    cleared: (at: string): string => `cleared at ${at}`,
    maintenance: 'in maintenance',
    inhibited: (by: string): string => `inhibited by ${by}`,
    since: (age: string): string => `pending for ${age}`,
  },
  screen: 'this dashboard',
  key: (service: string): string => `credentials for ${service}`,
  countNodes: (count: number): string => counted(count, 'node'),
  worstOf: (node: string, others: number): string => `${node} and ${formatCount(others)} more`,
  moreMembers: (count: number): string => `${formatCount(count)} more: open the alarm to see all`,
  members: { open: 'Show nodes', close: 'Hide nodes' },
  ofService: (count: number, service: string): string => `${counted(count, 'node')} of ${service}`,
  empty: {
    active: {
      title: 'No active alarms',
      text: 'Active alarms appear here, unacknowledged first.',
    },
    cleared: {
      title: 'No cleared alarms to acknowledge',
      text: 'Alarms that cleared before anyone acknowledged them appear here.',
    },
    shelved: {
      title: 'No shelved alarms',
      text: 'Until its shelving expires, a shelved alarm notifies only if it gets worse or clears.',
    },
    held: {
      title: 'No inhibited alarms, and none in maintenance',
      text: 'Alarms inhibited by another alarm or in maintenance appear here.',
    },
    pending: {
      title: 'No pending alarms',
      text: 'Alarms whose condition has not yet lasted long enough appear here.',
    },
  },
  notYet: 'Alarms are evaluated after the first answers.',
  notKept: 'This browser stores nothing: acknowledgements and shelving are lost when the last tab closes.',
  thisBrowser:
    'Acknowledgements, shelving and rules apply to this browser only. A closed browser sends no notifications.',
  inJournal: 'The journal keeps cleared alarms.',
  noMatch: 'No matching alarms',
  showAll: 'Show all alarms',
  filter: {
    legend: 'Show',
    all: 'All',
    critical: 'Critical',
    warning: 'Warning',
    info: 'Info',
  },
  act: {
    acknowledge: 'Acknowledge',
    acknowledgeNote: 'Acknowledge with a note',
    unacknowledge: 'Unacknowledge',
    acknowledgeAll: 'Acknowledge all shown…',
    see: 'Acknowledge',
    acknowledgeEnds: 'Acknowledge all shown',
    shelve: 'Shelve…',
    unshelve: 'Unshelve',
    openNode: 'Open node',
    inJournal: 'Show in journal',
    whatToDo: 'What to do',
    mute: 'Mute sound for 15 min',
    unmute: 'Unmute sound',
    undo: 'Undo',
    done: 'Last action',
    close: 'Close',
    cancel: 'Cancel',
    keys: 'Shortcuts',
  },
  about: (title: string, subject: string): string => `${title}, ${subject}`,
  done: {
    acknowledged: (what: string): string => `Acknowledged: ${what}`,
    acknowledgedMany: (count: number): string => `${counted(count, 'alarm')} acknowledged`,
    unacknowledged: (what: string): string => `Unacknowledged: ${what}`,
    shelved: (what: string, until: string): string => `Shelved until ${until}: ${what}`,
    shelvedMany: (count: number, until: string): string =>
      `${counted(count, 'alarm')} shelved until ${until}`,
    unshelved: (what: string): string => `Unshelved: ${what}`,
    muted: (until: string): string => `Sound muted until ${until}`,
    unmuted: 'Sound unmuted',
    undone: 'Undone',
    failed: 'Not done: the engine or the server did not accept it. Try again.',
  },
  all: {
    title: (count: number): string => `Acknowledge ${counted(count, 'alarm')}?`,
    text: (count: number): string =>
      count === 1
        ? 'It stays listed until it clears, and notifies again only if it gets worse or clears.'
        : 'They stay listed until they clear, and notify again only if one gets worse or clears.',
    confirm: (count: number): string => `Acknowledge ${formatCount(count)}`,
    note: 'Note (optional)',
  },
  note: { label: 'Note', confirm: 'Acknowledge' },
  shelf: {
    title: (what: string): string => `Shelve: ${what}`,
    legend: 'Shelve for',
    spans: { '900': '15 min', '3600': '1 h', '14400': '4 h', '28800': '8 h', '86400': '24 h' },
    reason: 'Reason',
    reasonHint: 'Why, e.g. a ticket number',
    reasonWanted: 'Enter a reason for the next operator.',
    until: (until: string): string =>
      `Until ${until}, or until the alarm gets worse. Recorded in the journal.`,
    confirm: 'Shelve',
  },
  detail: {
    limit: 'Limit',
    lasting: 'Duration',
    lasted: 'Lasted',
    noValue: 'unknown',
    limitLine: (limit: string): string => `limit ${limit}`,
    meaning: 'What this means',
    steps: 'What to do first',
    own: 'Runbook',
    members: (count: number): string => `Affected nodes: ${formatCount(count)}`,
    membersTable: 'Affected nodes',
    firstOf: (shown: number, count: number): string =>
      `First ${formatCount(shown)} of ${formatCount(count)}; the node table lists all.`,
    chart: 'Chart around the time of the alarm',
    chartOf: (what: string, node: string): string => `${what}, ${node}`,
    answers: 'Answers',
    history: 'History of this alarm, 30 days',
    neverBefore: 'Not raised before.',
    timesBefore: (count: number, longest: string | undefined): string => {
      const times = count === 1 ? 'raised once' : `raised ${formatCount(count)} times`
      return longest === undefined ? times : `${times}, longest ${longest}`
    },
    gone: {
      title: 'Alarm not found',
      text: 'It cleared and was acknowledged, its rule or node was removed, or another browser or the server raised it. See the journal.',
    },
    raised: 'Raised',
  },
  stats: {
    label: 'Alarm statistics',
    active: 'Active now',
    activeNote: (critical: number, warning: number, info: number): string =>
      joined(', ', [
        critical > 0 && `${formatCount(critical)} critical`,
        warning > 0 && `${formatCount(warning)} warning`,
        info > 0 && `${formatCount(info)} info`,
      ]),
    unacknowledged: 'Unacknowledged',
    oldest: (age: string): string => `oldest ${age}`,
    none: 'all acknowledged',
    cleared: (count: number): string => `, ${formatCount(count)} cleared`,
  },
  keyLegend: { acknowledge: 'acknowledge', shelve: 'shelve', mute: 'mute sound' },
  annunciator: {
    label: 'Node counts: critical, warning, info, no data, shelved',
    alarm: (name: string, subject: string): string => `${name}, ${subject}`,
    unacknowledged: (count: number, nodeClass: string, alarm: string): string =>
      `${formatCount(count)} ${nodeClass}. Unacknowledged: ${alarm}`,
    muted: (until: string): string => `Sound muted until ${until}. Unmute`,
  },
  bar: {
    label: 'Alarm',
    limit: (limit: string): string => ` (limit ${limit})`,
    more: (count: number): string => `${counted(count, 'more alarm')} for this node`,
    for: (age: string): string => `for ${age}.`,
  },
} as const
