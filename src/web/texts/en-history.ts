import type { HistoryStatus } from '#history/history-status.ts'
import type { StorageFailure } from '#history/storage.ts'
import { formatCount } from './format.ts'

const formatMegabytes = (bytes: number): string => `${formatCount(Math.ceil(bytes / 1_000_000))} MB`

/** Words about what is kept in this browser, and what is not. */
export const historyTexts = {
  notKept: (since: string): string => `History is not being kept since ${since}`,
  notKeptText: 'What is seen now is shown, and is lost when this tab is closed.',
  why: {
    full: 'The browser’s storage for this page is full, and there is no older part to give up. Free space on the disk, or lower the budget in the settings.',
    closed: 'The browser closed its storage, as when site data is cleared. This page tries again by itself.',
    newer: 'A newer version of this dashboard is open in this browser. Reload this page to go on.',
    blocked: 'Another tab holds an older version of this dashboard open. Close or reload the other tabs.',
    'no-answer': 'The browser’s storage does not answer. This page tries again by itself.',
    none: 'This browser lets no page keep anything, as in a private window.',
    taken: 'Another tab of this dashboard keeps it now.',
    broken:
      'The browser’s storage is damaged, or the disk is full. This page tries again by itself; if that does not help, free space on the disk or restart the browser.',
  } satisfies Record<StorageFailure, string>,
  lost: 'History that was kept here is gone',
  lostText: (until: string | undefined): string =>
    `${until === undefined ? 'It' : `It went up to ${until}. It`} was cleared by a person or by the browser, or its files were damaged. What is seen from now on is kept.`,
  kept: {
    title: 'What was seen',
    state: 'History',
    samples: 'Every poll',
    minute: 'Sums of a minute',
    quarter: 'Sums of 15 minutes',
    hour: 'Sums of an hour',
    bytes: 'Takes',
    promise: 'The browser',
    damaged: 'Damaged',
    removed: 'Removed last',
  },
  states: {
    starting: 'is being opened',
    kept: 'is kept in this browser',
    'not-kept': 'is not being kept',
  } satisfies Record<HistoryStatus['state'], string>,
  nothingYet: 'nothing yet: sums are made once an hour',
  sessionOnly: 'from this session so far',
  backTo: (moment: string): string => `back to ${moment}`,
  used: (bytes: number, budgetBytes: number): string =>
    `${formatMegabytes(bytes)} of at most ${formatMegabytes(budgetBytes)}; then the oldest goes first`,
  promised: (promised: boolean | undefined): string => {
    if (promised === undefined) return 'does not say whether it may delete it'
    return promised
      ? 'promised not to delete it by itself'
      : 'may delete it when the disk is full, or after weeks without a visit'
  },
  ask: 'Ask it to keep it',
  askText: 'Browsers agree more readily for pages that are used often, or that are installed.',
  damaged: (records: number): string =>
    records === 1
      ? 'one record could not be read: a gap in the charts'
      : `${formatCount(records)} records could not be read: gaps in the charts`,
  removed: {
    age: (until: string): string => `up to ${until}, because it was older than is to be kept`,
    budget: (until: string): string => `up to ${until}, because it took more than is allowed`,
    full: (until: string): string => `up to ${until}, because the disk or the browser’s quota was full`,
  },
  dismiss: 'Understood',
  openSettings: 'What is kept',
} as const
