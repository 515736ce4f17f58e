import { memberName } from './en-setting-names.ts'
import { timestampUnitNames } from './format-time.ts'

import type { Origin, RuleScope } from '#settings/effective.ts'
import type { SettingsChange } from '#settings/documents.ts'
import { shortNodeId } from '#record/node-id.ts'
import { originText } from './en-origin.ts'
import { counted, formatCount, joined } from './format.ts'

export const ruleTexts = {
  title: 'Units and limits',
  lead: 'Set for a service, for every node with a tag, or for one node. The most specific setting wins.',
  scope: 'Scope',
  scopes: {
    service: (name: string): string => `every node of ${name}`,
    tag: (tag: string): string => `every node with tag ${tag}`,
    node: (name: string, service: string): string => `node ${name} of ${service}`,
  },
  noService: 'Add a service first.',
  units: 'Units and status values',
  limits: 'Limits',
  limitsHint: 'Empty: the wider scope’s limit applies. “none”: no limit.',
  inForce: (value: string, from: Origin): string => `In effect: ${value}, ${originText(from)}.`,
  fromServer: 'partly from the server configuration',
  fixed: 'From the server configuration; change it there.',
  ownKept: (value: string): string => `This browser keeps its own value but does not use it: ${value}.`,
  asService: 'Empty: from each node’s service.',
  noLimit: 'no limit',
  percentDoubt: 'Which do you mean?',
  noSymbol: 'none',
  notSet: 'not set here',
  fields: {
    participation: 'Participation format',
    participationNames: {
      detect: 'detect',
      ratio: 'ratio, 0 to 1',
      percent: 'percentage, 0 to 100',
    },
    stakeSymbol: 'Stake unit',
    stakeDecimals: 'Stake decimals',
    heartbeat: 'Heartbeat unit',
    heartbeatNames: { detect: 'detect', ...timestampUnitNames },
    heartbeatPeriod: 'Heartbeat period (seconds)',
    heartbeatPeriodHint: (inForce: string): string => `${inForce} “detect”: measured from the heartbeats.`,
    extraFields: 'Additional fields, one per line',
    extraFieldsSeen: (names: readonly string[]): string => `Seen in records: ${names.join(', ')}.`,
    extraFieldsHint: 'Shown with the last good answer on each node’s page.',
    statusWords: 'Status values',
    word: (word: string): string => `Status ${word}`,
    meanings: { '': 'not set (info)', good: 'good', warning: 'warning', bad: 'bad (critical)' },
    newWord: 'New status value',
    newWordHint: 'Exactly as the service writes it.',
    addWord: 'Add value',
    participationBelow: 'Participation below (%)',
    participationAbove: 'Participation above (%)',
    stakeBelow: 'Stake below',
    heartbeatWarning: 'Heartbeat age, warning (seconds)',
    heartbeatCritical: 'Heartbeat age, critical (seconds)',
    answerTime: 'Response time above (seconds)',
  },
  say: {
    good: 'Good',
    warning: 'Warning',
    bad: 'Bad',
  },
} as const

export const documentTexts = {
  undo: 'Recent changes',
  undoNone: 'No changes in this browser yet.',
  undoThis: 'Undo',
  undoTo: 'Undo back to here',
  undone: 'Undone.',
  gone: 'Another tab has already undone this.',
  export: 'Export settings',
  exportName: 'immune-dashboard-settings.json',
  exportText:
    'One file with services, nodes, units, limits, alarm rules, views and display settings, without keys or receivers.',
  import: 'Import settings',
  importPrompt: 'Choose or drop a settings file',
  importTitle: 'Import these settings?',
  importConfirm: 'Import',
  importDoes: 'This changes the dashboard settings in this browser:',
  importNothing: 'The file has the same settings.',
  importBad: 'Not a dashboard settings file. Nothing was changed.',
  importProblems: {
    'too-large': 'Too large for a settings file. Nothing was changed.',
    'other-encoding': 'This file isn’t UTF-8. Save it as UTF-8. Nothing was changed.',
  },
  importNewer: 'Written by a newer version. Unknown settings, left out:',
  importLeftOut: 'Unknown settings, left out:',
  more: (count: number): string => `and ${formatCount(count)} more`,
  copies: 'Unreadable settings',
  copiesText: 'Settings that were damaged or written by another version. They stay until you remove them.',
  copyOf: (chars: number): string => `${formatCount(chars)} characters`,
  copyEarlier: 'kept by an earlier version',
  copyName: 'immune-dashboard-settings-as-found.json',
  download: 'Download',
} as const

/** For example "Changed units and limits for tag eu: stake unit". */
export function changeText(change: SettingsChange): string {
  switch (change.kind) {
    case 'service':
      return `${did[change.change]} service ${change.name}${fieldsText(change.fields)}`
    case 'nodes':
      return joined(', ', [
        change.added > 0 && `Added ${counted(change.added, 'node')}`,
        change.removed > 0 && `Removed ${counted(change.removed, 'node')}`,
        change.changed > 0 && `Changed ${counted(change.changed, 'node')}`,
      ])
    case 'rule':
      return `${did[change.change]} units and limits for ${scopeText(change.scope)}${fieldsText(change.fields)}`
    case 'display':
      return `Changed display${fieldsText(change.fields)}`
    case 'other':
      return `Changed ${PART_WORDS[change.field] ?? change.field}`
  }
}

const PART_WORDS: Readonly<Record<string, string>> = {
  alarms: 'alarm rules and maintenance',
  history: 'history retention',
  notifications: 'notifications and receivers',
  serviceKeys: 'which key signs for a service',
  views: 'saved views',
}

const did = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const

const fieldsText = (fields: readonly string[]): string =>
  fields.length === 0 ? '' : `: ${fields.map(memberName).join(', ')}`

const scopeText = (scope: RuleScope): string => {
  if (scope.for === 'tag') return `tag ${scope.tag}`
  if (scope.for === 'service') return scope.service
  return scope.node === undefined ? 'the default node' : `node ${shortNodeId(scope.node)}`
}
