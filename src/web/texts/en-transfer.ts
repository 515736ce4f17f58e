import type { FileProblem, RestoredParts, TransferEnd } from '#history/transfer/transfer.ts'
import type { TierName } from '#history/tiers.ts'
import { formatCount } from './format.ts'
import { historyTexts } from './en-history.ts'

const problems: Readonly<Record<FileProblem['kind'], string>> = {
  'not-ours': 'This is no file that this dashboard wrote.',
  newer: 'A newer version of this dashboard wrote this file. Take it in there, or update this one.',
  rollups: 'This file holds sums. Only an export of every poll can be taken in again.',
  csv: 'This is CSV, which is for spreadsheets. Take in the JSON export of every poll.',
  'broken-line': 'The file is damaged or was edited.',
  'too-long-line': 'The file is damaged: it has a line without an end.',
  'cut-off': 'The file is cut off: its end is missing.',
  'too-many': 'The file has more than 800,000 rows. Export shorter ranges.',
}

const partsWords = ({ restored, of }: RestoredParts): string =>
  restored === 0
    ? 'Nothing of the backup was taken in; what was here is as it was, but for a part that was being written.'
    : `${formatCount(restored)} of ${formatCount(of)} parts are those of the backup now, each whole; the others and the settings are as they were. Restore it again to have all of it.`

/** Words about files of history. */
export const transferTexts = {
  retention: {
    title: 'How much is kept',
    samplesDays: 'Every poll, days',
    samplesHint: 'Charts of up to a day show every poll that far back. 1 to 3,650.',
    sumsDays: 'Sums and event log, days',
    sumsHint: 'Charts of longer ranges go back that far. 1 to 3,650.',
    budget: 'At most, MB',
    budgetHint:
      'This comes before the days: when more is used, the oldest whole weeks go. Never more than half of what the browser grants. From 10.',
    save: 'Keep so much',
  },
  export: {
    button: 'Export',
    title: 'Export history',
    node: 'Node',
    range: 'Range',
    ranges: {
      shown: 'What is on screen',
      day: 'Last 24 hours',
      week: 'Last 7 days',
      month: 'Last 30 days',
      all: 'All there is',
      chosen: 'From and to',
    },
    from: (zone: string) => `From (${zone})`,
    to: (zone: string) => `Up to (${zone})`,
    notARange: 'Give a date and a time in both fields, the earlier one first.',
    tier: 'Resolution',
    tiers: {
      samples: 'Every poll',
      minute: 'Sums of a minute',
      quarter: 'Sums of 15 minutes',
      hour: 'Sums of an hour',
    } satisfies Record<TierName, string>,
    form: 'File',
    forms: { csv: 'CSV, for spreadsheets', json: 'JSON, which can be taken in again' },
    save: 'Save the file',
    close: 'Close',
  },
  files: {
    title: 'Backup',
    import: 'Take an export in',
    importPrompt: 'Choose or drop a JSON export of every poll',
    importHint: 'Adds the hours of which this browser has nothing. What is here stays as it is.',
    remove: 'Delete a node’s history',
    removeTitle: 'Delete the history of this node?',
    removeText:
      'Every poll and every sum of it in this browser goes. The event log keeps what it says of it.',
    removeConfirm: 'Delete',
    backup: 'Back all up',
    backupText:
      'Settings, nodes, history and event log in one file. Keys are not in it: back them up by themselves.',
    restore: 'Restore a backup',
    restorePrompt: 'Choose or drop a backup',
    restoreTitle: 'Put the backup in the place of what is here?',
    restoreText:
      'History, event log and settings of this browser give way to those of the backup. What was seen since this page was opened stays.',
    settingsUnreadable: (isNewer: boolean): string =>
      `The settings in it can’t be read${isNewer ? ': a newer version of this dashboard wrote them' : ''}. Those of this browser stay as they are, and the ones in the backup are kept as a copy that can be downloaded under Settings, Document.`,
    settingsInPart: (count: number, isNewer: boolean): string =>
      `${isNewer ? 'A newer version of this dashboard wrote its settings. ' : ''}${count === 1 ? '1 part of its settings' : `${formatCount(count)} parts of its settings`} can’t be read and ${count === 1 ? 'is' : 'are'} left out. The settings of the backup are kept whole as a copy that can be downloaded under Settings, Document.`,
    restoreConfirm: 'Restore',
    overdue: 'No backup for long',
    overdueText: (days: number): string =>
      `There is history of more than ${formatCount(days)} days, and no backup was made in that time. The browser may lose it.`,
    last: (moment: string): string => `Last backup: ${moment}.`,
  },
  progress: (share: number): string => `${Math.floor(share * 100)} % done`,
  cancel: 'Stop',
  end: (end: TransferEnd): string => {
    switch (end.kind) {
      case 'done':
        return end.skipped === 0
          ? `Done: ${formatCount(end.rows)} rows.`
          : `Done: ${formatCount(end.rows)} rows; ${formatCount(end.skipped)} were here already or are too recent.`
      case 'cancelled':
        return end.parts === undefined ? 'Stopped.' : `Stopped. ${partsWords(end.parts)}`
      case 'refused': {
        const { kind, line } = end.problem
        return `${problems[kind]}${line === undefined ? '' : ` (line ${formatCount(line)})`}`
      }
      case 'failed':
        return `It did not work. ${historyTexts.why[end.failure]}${end.parts === undefined ? '' : ` ${partsWords(end.parts)}`}`
    }
  },
} as const
