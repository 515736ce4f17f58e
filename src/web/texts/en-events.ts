import { reloadTexts } from './en-reload.ts'
import { toVisibleText } from '#base/visible-text.ts'
import type { EventArea, EventFacts, LogEntry } from '#history/event-log.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { shortHeading } from './en-alarm-names.ts'
import { alarmEvents, type EventWords, type EventWriter, type Facts } from './en-alarm-events.ts'
import { failureShort } from './en-failure-names.ts'
import { formatMoment, type Zone } from './format-time.ts'
import { formatAge, formatCount, formatExact } from './format.ts'
import { shortNodeId } from '#record/node-id.ts'

export type EventView = { readonly zone: Zone; readonly nowMs: number; readonly metrics: MetricRegistry }

export const areaNames: Readonly<Record<EventArea, string>> = {
  alarm: 'Alarms',
  service: 'Service',
  watching: 'Monitoring',
  record: 'Record changes',
  operator: 'Operator',
  settings: 'Settings and key',
}

const KINDS: Readonly<Record<EventArea, string>> = {
  alarm: 'Alarm',
  service: 'Service',
  watching: 'Monitoring',
  record: 'Record change',
  operator: 'Operator',
  settings: 'Settings',
}

const MISSING = 'unknown'

/** The journal export contains longer texts in full. */
const TEXT_CHARS_MAX = 500

const FAILURES = new Map<string, string>(Object.entries(failureShort))

const failureWords = (facts: Facts, name = 'kind'): string => {
  const kind = facts.text(name)
  const status = facts.has('status') ? ` (HTTP ${facts.text('status')})` : ''
  return (FAILURES.get(kind) ?? kind) + status
}

const polls = (facts: Facts): string => {
  const count = facts.number('misses')
  if (count === undefined) return ''
  return count === 1 ? ', 1 failed poll' : `, ${facts.count('misses')} failed polls`
}

const nodes = (facts: Facts): string =>
  facts.number('nodes') === 1 ? '1 node' : `${facts.count('nodes')} nodes`

const amount = (text: string): string => (/^-?\d+(\.\d+)?$/.test(text) ? formatExact(text) : text)

const GAPS: Readonly<Record<string, (length: string) => string>> = {
  asleep: (length) => `Not watched for ${length}: the computer was asleep, or the page was suspended`,
  'asleep-or-set': (length) =>
    `Not watched for ${length}: the computer was asleep, or its clock was set ahead`,
  closed: (length) =>
    `Not watched for ${length}: no tab of this dashboard was open, or the browser suspended the tab`,
  'clock-step': (length) => `Not watched for ${length}, or this computer’s clock was set ahead`,
}

const CUT_OFF: Readonly<Record<string, string>> = {
  restore: 'Restore interrupted: nothing was changed',
  'restore-settings': 'Restore interrupted: history and journal were replaced, settings were not',
  import: 'Import interrupted: nothing was imported',
  'import-completed': 'Import interrupted, now completed',
}

const UNITS: Readonly<Record<string, string>> = { ratio: 'ratio (0 to 1)', percent: 'percentage' }

const REMOVALS: Readonly<Record<string, string>> = {
  age: 'older than the retention period',
  budget: 'above the maximum size',
  full: 'disk or browser quota full',
}

const lengthOf = (facts: Facts): number =>
  Math.abs((facts.number('toMs') ?? 0) - (facts.number('fromMs') ?? 0))

const WRITERS: Readonly<Record<string, EventWriter>> = {
  'counter-restarted': (facts) => ({
    title: `${counterOf(facts)} reset ${amount(facts.text('from'))} → ${amount(facts.text('to'))}, counted as a restart`,
  }),
  'default-node-changed': (facts) => ({
    title: `Default node is now ${shortNodeId(facts.text('to'))}, was ${shortNodeId(facts.text('from'))}`,
    level: 'info',
  }),
  'unknown-field': (facts) => ({
    title: `New field in the record: ${facts.text('name')}`,
  }),
  'proof-wrong': (facts) => ({
    title: facts.has('reason') ? `Proof wrong: ${facts.text('reason')}` : 'Proof wrong',
    level: 'critical',
  }),
  'proof-right': () => ({ title: 'Proof verified again', level: 'done' }),
  'failure-began': (facts) => ({ title: `No usable answer: ${failureWords(facts)}`, level: 'none' }),
  'failure-changed': (facts) => ({
    title: `Failure changed: ${failureWords(facts, 'from')} → ${failureWords(facts)}`,
    level: 'none',
  }),
  'failure-ended': (facts) => ({
    title: `Answering again; had been failing since ${facts.moment('sinceMs')}${polls(facts)}`,
    level: 'done',
  }),
  'asking-slowed': (facts) => ({
    title: `Polling slowed: ${failureWords(facts)}, ${nodes(facts)}`,
    level: 'info',
  }),
  'asking-paused': (facts) => ({
    title: `Polling stopped: ${failureWords(facts)}, ${nodes(facts)}`,
    level: 'none',
  }),
  'asking-resumed': (facts) => ({ title: `Polling resumed, ${nodes(facts)}`, level: 'done' }),
  'unit-detected': (facts) => ({
    title: `Participation is a ${UNITS[facts.text('to')] ?? facts.text('to')}, not a ${UNITS[facts.text('from')] ?? facts.text('from')}: values stored earlier are wrong by a factor of 100`,
    level: 'warning',
  }),
  gap: (facts) => {
    const length = formatAge(lengthOf(facts))
    return { title: GAPS[facts.text('reason')]?.(length) ?? `Not watched for ${length}`, level: 'none' }
  },
  'gap-explained': (facts) => {
    const length = formatAge(lengthOf(facts))
    return facts.text('reason') === 'set-ahead'
      ? {
          title: `This computer’s clock was set ahead by ${length}; the service’s time shows that nothing was missed`,
        }
      : {
          title: `The computer was asleep for ${length}; the service’s time shows that the computer’s clock was not changed`,
        }
  },
  'clock-set-back': (facts) => ({
    title: `This computer’s clock was set back by ${formatAge(lengthOf(facts))}`,
  }),
  'entries-dropped': (facts) => ({
    title: `${facts.count('count')} journal ${facts.number('count') === 1 ? 'entry' : 'entries'} lost: not stored in time`,
    level: 'warning',
  }),
  'history-lost': (facts) => ({
    title: `Stored history is gone${facts.has('lastMs') ? `; it ended at ${facts.moment('lastMs')}` : ''}`,
    level: 'warning',
  }),
  'transfer-cut-off': (facts) => ({
    title: CUT_OFF[facts.text('task')] ?? 'An import or a restore was interrupted',
    level: facts.text('task') === 'import-completed' ? 'info' : 'warning',
  }),
  'history-removed': (facts) => ({
    title: `Old history deleted, up to ${facts.moment('toMs')}: ${REMOVALS[facts.text('reason')] ?? facts.text('reason')}`,
  }),
  'history-deleted': (facts) => ({
    title: `History of this node deleted: ${facts.count('records')} ${facts.number('records') === 1 ? 'record' : 'records'}`,
  }),
  'engine-lost': (facts) => ({
    title: `Engine ${facts.text('reason') === 'hung' ? 'hung' : 'stopped unexpectedly'}: another one took over`,
    level: 'warning',
  }),
  'page-reloaded': (facts) => ({
    title: RELOADS[facts.text('reason')] ?? 'Page reloaded automatically',
    level: 'info',
  }),
  'backup-made': () => ({ title: 'Backup downloaded', level: 'done' }),
  'backup-restored': (facts) => ({
    title: `Backup restored: ${facts.count('rows')} ${facts.number('rows') === 1 ? 'record' : 'records'}`,
  }),
  'backup-overdue': () => ({ title: 'Backup overdue', level: 'info' }),
  'internal-error': (facts) => ({
    title: `Defect in this dashboard: ${facts.text('message')}`,
    level: 'warning',
  }),
  note: (facts) => ({
    kind: 'Note',
    title: `“${facts.text('note')}”${facts.has('by') ? ` by ${facts.text('by')}` : ''}`,
  }),
  'settings-saved': (facts) => ({
    title: facts.has('changes') ? facts.text('changes') : 'Settings changed',
  }),
  'key-added': (facts) => ({ kind: 'Key', title: `Key ${facts.text('key')} added` }),
  'key-removed': (facts) => ({ kind: 'Key', title: `Key ${facts.text('key')} removed` }),
  ...alarmEvents,
}

const RELOADS: Readonly<Record<string, string>> = reloadTexts.done

const counterOf = (facts: Facts): string => {
  const metric = facts.metrics.find(({ id }) => id === facts.text('metric'))
  return metric === undefined ? 'Counter' : shortHeading(metric)
}

/** Entries named `<metric id>-changed`. */
function writeChange(what: string, metrics: MetricRegistry): EventWriter | undefined {
  const metric = metrics.find(({ id }) => what === `${id}-changed`)
  if (metric === undefined) return undefined
  const show = metric.kind === 'state' ? (text: string) => text : amount
  return (facts) => ({
    title: `${shortHeading(metric)} ${show(facts.text('from'))} → ${show(facts.text('to'))}`,
  })
}

/** The texts of an entry. Unknown entries are shown unchanged with their facts. */
export function eventWords({ area, what, facts = {} }: LogEntry, view: EventView): EventWords {
  const write = WRITERS[what] ?? writeChange(what, view.metrics)
  const words = write?.(factsOf(facts, view)) ?? { title: plain(what, facts) }
  return { kind: KINDS[area], ...words }
}

const plain = (what: string, facts: EventFacts): string => {
  const told = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`)
  return toVisibleText([what.replaceAll('-', ' '), ...told].join(', '), TEXT_CHARS_MAX)
}

function factsOf(facts: EventFacts, { zone, nowMs, metrics }: EventView): Facts {
  const number = (name: string): number | undefined => {
    const value = facts[name]
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined
  }
  const shown = (name: string, format: (value: number) => string): string => {
    const value = number(name)
    return value === undefined ? MISSING : format(value)
  }
  return {
    metrics,
    number,
    has: (name) => facts[name] !== undefined,
    text: (name) => toVisibleText(String(facts[name] ?? MISSING), TEXT_CHARS_MAX),
    count: (name) => shown(name, formatCount),
    age: (name) => shown(name, formatAge),
    moment: (name) => shown(name, (ms) => formatMoment(ms, nowMs, zone)),
  }
}
