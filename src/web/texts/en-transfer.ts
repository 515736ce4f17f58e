import type { FileProblem, TransferEnd, TransferTask } from '#history/transfer/transfer.ts'
import type { TierName } from '#history/tiers.ts'
import { counted, formatCount } from './format.ts'
import { historyTexts } from './en-history.ts'

const problems: Readonly<Record<FileProblem['kind'], string>> = {
  'not-ours': 'Not a dashboard export file.',
  'not-backup': 'Not a dashboard backup.',
  newer: 'Written by a newer version of this dashboard. Update this one to read it.',
  older: 'Written by an earlier version of this dashboard. Its exports can be imported, but not its backups.',
  rollups: 'This file contains rollups. Only a JSON export of every poll can be imported.',
  csv: 'CSV can’t be imported. Use a JSON export of every poll.',
  'broken-line': 'The file is damaged or was edited.',
  'too-long-line': 'The file is damaged: a line is too long.',
  'cut-off': 'The file is truncated.',
  checksum: 'The file is damaged or was edited: its checksum does not match.',
  'too-large': 'The file contains a record larger than any that this dashboard writes.',
  'too-many': 'The file has more than 800,000 records. Export shorter ranges.',
}

const UNCHANGED = 'Nothing was changed.'

const did = {
  export: 'Exported',
  backup: 'Backed up',
  import: 'Imported',
  restore: 'Restored',
  delete: 'Deleted',
  'remove-older': 'Deleted',
} satisfies Record<TransferTask<unknown>['what'], string>

export const transferTexts = {
  retention: {
    title: 'Retention',
    samplesDays: 'Every poll (days)',
    samplesHint: 'Used by charts of up to a day. 1 to 3,650.',
    rollupsDays: 'Rollups and journal (days)',
    rollupsHint: 'Used by charts of longer ranges. 1 to 3,650.',
    budget: 'Maximum size (MB)',
    budgetHint:
      'Overrides the retention period: above this size, the oldest weeks are deleted. At least 10, at most half of the browser’s quota.',
    save: 'Save retention',
  },
  export: {
    button: 'Export',
    title: 'Export history',
    node: 'Node',
    range: 'Range',
    ranges: {
      shown: 'Shown range',
      day: 'Last 24 hours',
      week: 'Last 7 days',
      month: 'Last 30 days',
      all: 'Everything',
      chosen: 'Custom range',
    },
    from: (zone: string) => `From (${zone})`,
    to: (zone: string) => `To (${zone})`,
    notARange: 'Enter both dates and times, the earlier one first.',
    tier: 'Resolution',
    tiers: {
      samples: 'Every poll',
      minute: '1-minute rollups',
      quarter: '15-minute rollups',
      hour: '1-hour rollups',
    } satisfies Record<TierName, string>,
    form: 'Format',
    forms: { csv: 'CSV, for spreadsheets', json: 'JSON, can be imported' },
    save: 'Download',
    close: 'Close',
  },
  files: {
    title: 'Backup',
    import: 'Import history',
    importPrompt: 'Choose or drop a JSON export of every poll',
    importHint: 'Fills in hours for which this browser has no data; existing data stays.',
    remove: 'Delete a node’s history',
    removeTitle: 'Delete the history of this node?',
    removeText: 'Deletes all its polls and rollups in this browser. The journal stays.',
    removeConfirm: 'Delete',
    backup: 'Back up',
    backupText:
      'Settings, nodes, history and journal in one file. Keys are not included: back them up separately. Receivers are not included because their URLs can be secrets; after a restore, add those that the server does not store.',
    restore: 'Restore',
    restorePrompt: 'Choose or drop a backup',
    restoreTitle: 'Replace current data with this backup?',
    restoreText:
      'Replaces the history, journal and dashboard settings in this browser. Nothing changes unless the whole file is valid. Of the current data, only polls of the current hour are kept.',
    settingsUnreadable: (isNewer: boolean): string =>
      `Its settings can’t be read${isNewer ? ': a newer version of this dashboard wrote them' : ''}. The dashboard settings in this browser are kept; you can download the backup’s settings under Backup, export, import.`,
    settingsInPart: (count: number, isNewer: boolean): string =>
      `${isNewer ? 'A newer version of this dashboard wrote the backup’s settings. ' : ''}${counted(count, 'part of its settings', 'parts of its settings')} can’t be read and ${count === 1 ? 'is' : 'are'} left out. You can download all settings of the backup under Backup, export, import.`,
    restoreConfirm: 'Restore',
    overdue: 'Backup overdue',
    overdueText: (days: number): string => `No backup in more than ${formatCount(days)} days.`,
  },
  progress: (share: number): string => `${Math.floor(share * 100)} % done`,
  cancel: 'Stop',
  end: (end: TransferEnd, task: keyof typeof did): string => {
    switch (end.kind) {
      case 'done':
        return `${did[task]} ${counted(end.rows, 'record')}${end.skipped === 0 ? '' : `; skipped ${formatCount(end.skipped)} that are already present or too recent`}.`
      case 'cancelled':
        return end.unchanged === true ? `Stopped. ${UNCHANGED}` : 'Stopped.'
      case 'refused': {
        const { kind, line } = end.problem
        const at = line === undefined ? '' : ` (line ${formatCount(line)})`
        return `${problems[kind].replace(/\.$/, `${at}.`)} ${UNCHANGED}`
      }
      case 'failed':
        return `Failed. ${historyTexts.why[end.failure]}${end.unchanged === true ? ` ${UNCHANGED}` : ''}`
    }
  },
} as const
