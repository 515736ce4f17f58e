import type { Origin } from '#settings/effective-settings.ts'
import type { RuleScope, SettingsChange } from '#settings/settings-changes.ts'
import { shortNodeId } from '#record/node-id.ts'
import { originText } from './en-origin.ts'
import { formatCount } from './format.ts'

/** Units, words and limits, and what is done with the settings as a whole. */
export const ruleTexts = {
  title: 'Units and limits',
  lead: 'What the interface leaves open, and from where on a value is a warning. Set for a service, for every node with a tag, or for one node: the nearest to the node wins.',
  scope: 'Set for',
  scopes: {
    service: (name: string): string => `every node of ${name}`,
    tag: (tag: string): string => `every node with tag ${tag}`,
    node: (name: string, service: string): string => `node ${name} of ${service}`,
  },
  noService: 'Units belong to a service: add one first.',
  units: 'Units and words',
  limits: 'Limits',
  limitsHint: 'Empty: as the wider scope says. none: no limit here.',
  inForce: (value: string, from: Origin): string => `In force: ${value}, ${originText(from)}.`,
  asService: 'Empty: as each node’s service says.',
  noLimit: 'no limit',
  noSymbol: 'none',
  notSet: 'not set here',
  fields: {
    participation: 'Participation is given as',
    participationNames: {
      detect: 'detect it',
      ratio: 'ratio, 0 to 1',
      percent: 'percentage, 0 to 100',
    },
    stakeSymbol: 'Unit of stake',
    stakeDecimals: 'Decimals of stake',
    heartbeat: 'Heartbeat is given in',
    heartbeatNames: { detect: 'detect it', s: 'seconds', ms: 'milliseconds' },
    heartbeatPeriod: 'Expected heartbeat, seconds',
    heartbeatPeriodHint: (inForce: string): string =>
      `${inForce} Type detect to have it told by the heartbeats.`,
    extraFields: 'Further fields to show, one a line',
    extraFieldsSeen: (names: readonly string[]): string => `Seen in records: ${names.join(', ')}.`,
    extraFieldsHint: 'Shown with the last good answer on each node’s page.',
    statusWords: 'Status words',
    word: (word: string): string => `Status ${word} is`,
    meanings: { '': 'not set: info', good: 'good', warning: 'a warning', bad: 'bad: critical' },
    newWord: 'Another status word',
    newWordHint: 'Letter by letter, as the service writes it.',
    addWord: 'Add word',
    participationBelow: 'Participation below, %',
    participationAbove: 'Participation above, %',
    stakeBelow: 'Stake below',
    heartbeatWarning: 'Heartbeat older than, warning, seconds',
    heartbeatCritical: 'Heartbeat older than, critical, seconds',
    answerTime: 'Answer takes longer than, seconds',
  },
  say: {
    good: 'It is good',
    warning: 'It is a warning',
    bad: 'It is bad',
  },
} as const

/** The settings as one document. */
export const documentTexts = {
  title: 'Undo, export and import',
  undo: 'Last changes',
  undoNone: 'Nothing was changed in this browser yet.',
  undoThis: 'Undo',
  undoTo: 'Go back to before this',
  undone: 'Undone. In force now.',
  gone: 'This step is gone: another tab took it back first.',
  export: 'Export settings',
  exportName: 'immune-dashboard-settings.json',
  exportText: 'One file with services, nodes, units, limits and display. Never keys.',
  import: 'Import settings',
  importPrompt: 'Choose or drop a settings file',
  importTitle: 'Import these settings?',
  importConfirm: 'Import',
  importDoes: 'This replaces the settings of this browser:',
  importNothing: 'The file says what is set here already.',
  importBad: 'This file holds no settings of this dashboard. Nothing was changed.',
  importTooLarge: 'This file is larger than any settings can be. Nothing was changed.',
  importNewer: 'The file was written by a later version. What this version does not understand is left out:',
  importLeftOut: 'Some of the file can’t be understood and is left out:',
  more: (count: number): string => `and ${formatCount(count)} more`,
  copies: 'Documents kept as they were found',
  copiesText:
    'Settings that were damaged or of another version when this browser was opened. They are kept until you remove them.',
  copyOf: (chars: number): string => `${formatCount(chars)} characters`,
  copyEarlier: 'kept by an earlier build',
  copyName: 'immune-dashboard-settings-as-found.json',
  download: 'Save as a file',
} as const

/** One change in words, e.g. "Set stakeSymbol for tag eu". */
export function changeText(change: SettingsChange): string {
  switch (change.kind) {
    case 'service':
      return `${did[change.change]} service ${change.name}${fieldsText(change.fields)}`
    case 'nodes':
      return [
        change.added > 0 && `Added ${nodes(change.added)}`,
        change.removed > 0 && `Removed ${nodes(change.removed)}`,
        change.changed > 0 && `Changed ${nodes(change.changed)}`,
      ]
        .filter((part) => part !== false)
        .join(', ')
    case 'rule':
      return `${did[change.change]} units and limits for ${scopeText(change.scope)}${fieldsText(change.fields)}`
    case 'display':
      return `Changed display${fieldsText(change.fields)}`
    case 'other':
      return `Changed ${change.field}`
  }
}

const did = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const

const nodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

const fieldsText = (fields: readonly string[]): string =>
  fields.length === 0 ? '' : `: ${fields.map((field) => FIELD_WORDS[field] ?? field).join(', ')}`

const FIELD_WORDS: Readonly<Record<string, string>> = {
  label: 'name',
  via: 'way of asking',
  profile: 'signing profile',
  key: 'key',
  pollIntervalMs: 'poll interval',
  timeoutMs: 'deadline',
  participation: 'unit of participation',
  stakeSymbol: 'unit of stake',
  stakeDecimals: 'decimals of stake',
  heartbeat: 'unit of heartbeat',
  heartbeatPeriodMs: 'expected heartbeat',
  statusWords: 'status words',
  extraFields: 'further fields',
  participationBelow: 'participation below',
  participationAbove: 'participation above',
  stakeBelow: 'stake below',
  heartbeatWarningMs: 'heartbeat warning',
  heartbeatCriticalMs: 'heartbeat critical',
  answerTimeAboveMs: 'answer time',
  theme: 'theme',
  contrast: 'contrast',
  timeZone: 'times',
}

const scopeText = (scope: RuleScope): string => {
  if (scope.for === 'tag') return `tag ${scope.tag}`
  if (scope.for === 'service') return scope.service
  return `node ${scope.node === undefined ? 'own' : shortNodeId(scope.node)}`
}
