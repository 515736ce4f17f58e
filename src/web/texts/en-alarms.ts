import { toVisibleText } from '#base/visible-text.ts'
import type { AlarmKind, AlarmSeverity, AlarmValue } from '#alarms/alarm.ts'
import { failureShort } from './en-failure-names.ts'
import { formatAge, formatCount, formatExact, formatLatency, formatPercent, formatSpan } from './format.ts'

/** Kinds whose milliseconds are how long an answer took, and not an age. */
const ANSWER_TIMES: readonly AlarmKind[] = ['answer-slow', 'answer-time-p95']

const REASONS: Readonly<Record<string, string>> = {
  full: 'storage is full',
  closed: 'storage was closed',
  newer: 'a newer version is open',
  blocked: 'an older tab blocks it',
  'no-answer': 'storage does not answer',
  none: 'this browser keeps nothing',
  taken: 'another tab keeps it',
  broken: 'storage is damaged',
}

/** A value as it stands in a row; undefined where there is none. */
export function alarmValue(kind: AlarmKind, value: AlarmValue | undefined): string | undefined {
  if (value === undefined) return undefined
  switch (value.unit) {
    case 'ms':
      return ANSWER_TIMES.includes(kind) ? formatLatency(value.value) : formatAge(value.value)
    case 'ratio':
      return formatPercent(value.value)
    case 'per-hour':
      return `${formatCount(Math.round(value.value))}\u00a0/h`
    case 'stake':
      return value.before === undefined
        ? formatExact(toVisibleText(value.text))
        : `${formatExact(toVisibleText(value.text))} (was ${formatExact(toVisibleText(value.before))})`
    case 'status':
      return toVisibleText(value.text)
    case 'failure':
      return value.failure === undefined ? value.code : failureShort[value.failure.kind]
    case 'nodes':
      return countNodes(value.value)
    case 'reason':
      return REASONS[value.text] ?? value.text
  }
}

/** A limit was chosen and not measured: "3 m" and not "3 m 00 s". */
export const alarmLimit = (kind: AlarmKind, limit: AlarmValue | undefined): string | undefined =>
  limit?.unit === 'ms' && !ANSWER_TIMES.includes(kind) ? formatSpan(limit.value) : alarmValue(kind, limit)

export const countNodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

const countAlarms = (count: number): string => (count === 1 ? '1 alarm' : `${formatCount(count)} alarms`)

export const severityWords: Readonly<Record<AlarmSeverity, string>> = {
  critical: 'critical',
  warning: 'warning',
  info: 'info',
}

/** The list of alarms, what can be done about one, and its details. */
export const alarmTexts = {
  title: 'Alarms',
  summary: (active: number, unacknowledged: number): string =>
    active === 0
      ? 'none active'
      : `${countAlarms(active)} active, ${formatCount(unacknowledged)} not acknowledged`,
  list: 'Alarms, what nobody has acknowledged first',
  lists: 'Lists of alarms',
  rules: 'Rules and maintenance',
  tabs: {
    active: 'Active',
    cleared: 'Over, not seen',
    shelved: 'Shelved',
    held: 'Held back',
    pending: 'About to be raised',
  },
  groups: {
    unacknowledged: 'Not acknowledged',
    acknowledged: 'Acknowledged, still active',
    cleared: 'Over before anybody saw it',
    shelved: 'Shelved: nobody is called until its time is up',
    maintenance: 'In maintenance: nobody is called',
    inhibited: 'Held back, because a bigger alarm explains it',
    pending: 'Seen, but not yet for long enough',
  },
  columns: {
    severity: 'Priority',
    what: 'What is wrong',
    node: 'Node',
    value: 'Value',
    limit: 'Limit',
    raised: (zone: string): string => `Raised ${zone}`,
    lasting: 'Lasting',
    actions: 'Actions',
  },
  mark: {
    unack: (severity: string): string => `${severity}, not acknowledged`,
    acked: (severity: string): string => `${severity}, acknowledged`,
    cleared: (severity: string): string => `was ${severity}, over`,
    shelved: (severity: string): string => `${severity}, shelved`,
    pending: (severity: string): string => `${severity}, not yet raised`,
  },
  sub: {
    acknowledged: (at: string, note: string | undefined): string =>
      note === undefined ? `acknowledged at ${at}` : `acknowledged at ${at}: ${note}`,
    shelved: (until: string, reason: string): string => `until ${until}: ${reason}`,
    held: (age: string): string => `nothing new known for ${age}`,
    flapping: (times: number, isGroup: boolean): string =>
      isGroup
        ? `some keep coming back, up to ${formatCount(times)} times in 24 h`
        : `keeps coming back, ${formatCount(times)} times in 24 h`,
    repeated: (times: number, isGroup: boolean): string =>
      isGroup ? `some came up to ${formatCount(times)} times in 24 h` : `${formatCount(times)} times in 24 h`,
    recovering: 'getting better',
    cleared: (at: string): string => `over since ${at}`,
    maintenance: 'in maintenance',
    inhibited: (by: string): string => `explained by: ${by}`,
    since: (age: string): string => `first seen ${age} ago`,
  },
  ownNode: 'the key’s own node',
  screen: 'this screen',
  key: (service: string): string => `key for ${service}`,
  countNodes,
  severities: severityWords,
  ofService: (count: number, service: string): string => `${countNodes(count)} of ${service}`,
  empty: {
    active: {
      title: 'No alarm is active',
      text: 'What needs a person stands here, what nobody has acknowledged first.',
    },
    cleared: {
      title: 'Nothing was missed',
      text: 'An alarm that is over before anybody saw it waits here until it is seen.',
    },
    shelved: {
      title: 'Nothing is shelved',
      text: 'What is shelved calls nobody until its time is up. It stands here meanwhile.',
    },
    held: {
      title: 'Nothing is held back',
      text: 'Alarms that a bigger one explains, and those in maintenance, stand here.',
    },
    pending: {
      title: 'Nothing is about to be raised',
      text: 'What is beyond its limit but not yet for long enough stands here.',
    },
  },
  notYet: 'Alarms are not judged yet: the first answers are awaited.',
  notKept: 'This browser keeps nothing, so acknowledgements and shelves are lost with this tab.',
  thisBrowser: 'Acknowledgements, shelves and rules hold for this browser. A closed browser tells nobody.',
  inJournal: 'Nothing is deleted: what is over stays in the journal.',
  noMatch: 'No alarm like that is active',
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
    unacknowledge: 'Take the acknowledgement back',
    acknowledgeAll: 'Acknowledge all shown…',
    see: 'Seen',
    seeAll: 'All seen',
    shelve: 'Shelve…',
    unshelve: 'Take off the shelf',
    openNode: 'Open node',
    inJournal: 'In the journal',
    whatToDo: 'What to do',
    mute: 'Mute sound for 15 min',
    unmute: 'Sound on again',
    undo: 'Undo',
    done: 'What was just done',
    close: 'Close',
    cancel: 'Cancel',
    keys: 'Keys',
  },
  done: {
    acknowledged: (what: string): string => `Acknowledged: ${what}`,
    acknowledgedMany: (count: number): string => `${countAlarms(count)} acknowledged`,
    unacknowledged: (what: string): string => `Not acknowledged any more: ${what}`,
    shelved: (what: string, until: string): string => `Shelved until ${until}: ${what}`,
    unshelved: (what: string): string => `Back from the shelf: ${what}`,
    seen: (what: string): string => `Seen: ${what}`,
    muted: (until: string): string => `Sound is off until ${until}`,
    unmuted: 'Sound is on again',
    undone: 'Taken back',
    failed: 'That could not be done: the engine did not answer. Try again.',
  },
  all: {
    title: (count: number): string => `Acknowledge ${countAlarms(count)}?`,
    text: (count: number): string =>
      count === 1
        ? 'It stays on the list until it is over, and calls nobody again until it gets worse.'
        : 'They stay on the list until they are over, and call nobody again until one gets worse.',
    confirm: (count: number): string => `Acknowledge ${formatCount(count)}`,
    note: 'Note (may be left empty)',
  },
  note: { title: 'Acknowledge with a note', label: 'Note', confirm: 'Acknowledge' },
  shelf: {
    title: (what: string): string => `Shelve: ${what}`,
    legend: 'Shelve for',
    spans: { '900': '15 min', '3600': '1 h', '14400': '4 h', '28800': '8 h', '86400': '24 h' },
    reason: 'Reason',
    reasonHint: 'Why nobody needs to be called, e.g. a ticket',
    reasonWanted: 'Say why: whoever comes next wants to know.',
    until: (until: string): string =>
      `Comes back by itself at ${until}, sooner if it gets worse. Written to the journal.`,
    confirm: 'Shelve',
  },
  detail: {
    value: 'Value',
    limit: 'Limit',
    lasting: 'Lasting',
    lasted: 'Lasted',
    noValue: 'not known',
    limitLine: (limit: string): string => `limit ${limit}`,
    meaning: 'What this means',
    steps: 'What to do first',
    own: 'The rule says',
    members: (count: number): string => `Nodes that have it: ${formatCount(count)}`,
    membersTable: 'Nodes of this alarm',
    firstOf: (shown: number, count: number): string =>
      `The first ${formatCount(shown)} of ${formatCount(count)} are listed here; the table of nodes has all.`,
    chart: 'Around the moment',
    chartOf: (node: string): string => `Around the moment, as seen at ${node}`,
    history: 'History of this alarm, 30 days',
    neverBefore: 'It was not raised before.',
    timesBefore: (count: number, longest: string | undefined): string => {
      const times = count === 1 ? 'raised once' : `raised ${formatCount(count)} times`
      return longest === undefined ? times : `${times}, at longest for ${longest}`
    },
    gone: {
      title: 'This alarm is over',
      text: 'It is no longer on any list. The journal has what happened.',
    },
    since: 'First seen',
    raised: 'Raised',
    over: 'Over since',
    held: (age: string): string => `The last known value: nothing new for ${age}.`,
  },
  stats: {
    label: 'Alarms in figures',
    active: 'Active now',
    activeNote: (critical: number, warning: number, info: number): string =>
      [
        ...(critical > 0 ? [`${formatCount(critical)} critical`] : []),
        ...(warning > 0 ? [`${formatCount(warning)} warning`] : []),
        ...(info > 0 ? [`${formatCount(info)} info`] : []),
      ].join(', '),
    unacknowledged: 'Not acknowledged',
    oldest: (age: string): string => `oldest ${age}`,
    none: 'all are acknowledged',
    cleared: (count: number): string => `, and ${formatCount(count)} over that nobody saw`,
  },
  keys: {
    title: 'Keys',
    lead: 'They act on the alarm that is open or in focus, and never while you type.',
    help: 'These keys',
    mute: 'Mute sound for 15 min, or turn it on again',
    move: 'Move in the list, open',
    on: 'Single keys act',
    off: 'Single keys do nothing',
    toggle: 'Single keys',
    short: { a: 'acknowledge', s: 'shelve', m: 'mute sound' },
  },
  annunciator: {
    label: 'Alarms by priority, nodes without data, shelved alarms',
    shelved: 'shelved',
    loudest: (what: string, node: string): string => `${what}, ${node}`,
    told: (count: number, severity: AlarmSeverity, loudest: string): string =>
      `${formatCount(count)} ${severityWords[severity]}, not acknowledged: ${loudest}`,
    muted: (until: string): string => `Sound is off until ${until}. Turn it on again`,
  },
  bar: {
    label: 'Alarm',
    limit: (limit: string): string => `The limit is ${limit}.`,
    more: (count: number): string =>
      count === 1
        ? 'One more alarm concerns this node'
        : `${formatCount(count)} more alarms concern this node`,
    for: (age: string): string => `For ${age}.`,
  },
} as const
