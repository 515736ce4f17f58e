import type { CutOff, HistoryStatus } from '#history/history-status.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { formatCount } from './format.ts'

const formatMegabytes = (bytes: number): string => `${formatCount(Math.ceil(bytes / 1_000_000))} MB`

export const historyTexts = {
  notKept: (since: string): string => `History not saved since ${since}`,
  notKeptText: 'Current data is shown but not saved. It is lost when the last tab is closed.',
  why: {
    full: 'The browser’s storage for this page is full. Free up disk space, or lower the maximum size in the settings.',
    closed: 'The browser closed its storage, as it does when site data is cleared. Retrying automatically.',
    newer: 'A newer version of this dashboard is open in this browser. Reload this page.',
    blocked: 'Another tab has an older version of this dashboard open. Close or reload the other tabs.',
    'no-answer': 'The browser’s storage does not answer. Retrying automatically.',
    none: 'This browser stores nothing for this page: site data is blocked, or a private window does not allow it.',
    taken: 'Another tab of this dashboard now saves history.',
    broken:
      'The browser’s storage is damaged, or the disk is full. Retrying automatically; if that does not help, free up disk space or restart the browser.',
  } satisfies Record<StorageFailure, string>,
  lost: 'Stored history is gone',
  lostText: (until: string): string =>
    `The last record was from ${until}. A user or the browser cleared the history, or its files were damaged. New data is saved.`,
  cutOff: {
    restore: {
      title: 'A restore was interrupted',
      text: 'This browser was closed before the restore finished. Nothing was changed: history, journal and settings are as before. Restore the backup again.',
    },
    'restore-settings': {
      title: 'A restore was interrupted before it replaced the settings',
      text: 'History and journal come from the backup, but the settings are as before. Restore the backup again to replace them too.',
    },
  } satisfies Record<CutOff, { title: string; text: string }>,
  older: 'History from an earlier version found',
  olderText:
    'This version can’t read it, and saves new history separately. To keep the old history, export each node with the earlier version, then import the files here.',
  removeOlder: 'Delete old history',
  kept: {
    title: 'History',
    state: 'Status',
    samples: 'Every poll',
    minute: '1-minute rollups',
    quarter: '15-minute rollups',
    hour: '1-hour rollups',
    bytes: 'Size',
    promise: 'Persistence',
    damaged: 'Damaged',
    removed: 'Last deleted',
  },
  states: {
    starting: 'opening',
    kept: 'saved in this browser',
    'not-kept': 'not saved',
  } satisfies Record<HistoryStatus['state'], string>,
  nothingYet: 'none yet: computed once an hour',
  underAnHour: 'less than an hour',
  sessionOnly: 'this session only',
  backTo: (moment: string): string => `back to ${moment}`,
  used: (bytes: number, budgetBytes: number): string =>
    `${formatMegabytes(bytes)} of at most ${formatMegabytes(budgetBytes)}; above that, the oldest data is deleted`,
  promised: (promised: boolean | undefined): string => {
    if (promised === undefined) return 'unknown: the browser does not report it'
    return promised
      ? 'persistent: the browser will not delete it'
      : 'best effort: the browser may delete it when the disk is full, or after a week or more without a visit'
  },
  ask: 'Request persistence',
  askText: 'Browsers grant it more readily to pages that are used often or installed.',
  damaged: (records: number): string =>
    records === 1
      ? '1 record could not be read: a gap in the charts'
      : `${formatCount(records)} records could not be read: gaps in the charts`,
  removed: {
    age: (until: string): string => `up to ${until}: older than the retention period`,
    budget: (until: string): string => `up to ${until}: above the maximum size`,
    full: (until: string): string => `up to ${until}: disk or browser quota full`,
  },
  dismiss: 'Dismiss',
  openSettings: 'Storage settings',
} as const
