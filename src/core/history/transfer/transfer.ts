import type { StorageFailure } from '#history/storage.ts'
import type { TierName } from '#history/tiers.ts'

/** What of a node goes into a file. */
export type ExportQuery = {
  readonly node: string
  readonly fromMs: number
  readonly toMs: number
  /** Every poll, or rollups of steps so long. */
  readonly tier: TierName
  readonly form: 'csv' | 'json'
}

/**
 * Takes what is written, in order; `share` is how much of the work is done, 0 to 1. Resolves to
 * false to have it end there. Of a restore its only text are the settings, which it has taken when it resolves.
 */
export type TransferSink = (text: string, share: number) => Promise<boolean>

/** Lines of a file, each time from its start. No line has more than `LINE_MAX` characters, or it rejects. */
export type LineSource = () => AsyncIterable<string>

/** Characters of one line at most: settings, which are one line of a backup, have 45 million with 20,000 nodes and their notes. */
export const LINE_MAX = 48 * 1_048_576

/** Why a file is not taken: what it lacks, and in which line. */
export type FileProblem = {
  readonly kind:
    | 'not-ours'
    | 'newer'
    | 'older'
    | 'rollups'
    | 'csv'
    | 'broken-line'
    | 'too-long-line'
    | 'cut-off'
    /** Every line is whole, and together they are not what was written. */
    | 'checksum'
    | 'too-many'
    /** A record inflates to more than any of ours. */
    | 'too-large'
  readonly line?: number
}

/** What a person may have done with the history as a whole. `File`: a file of the page's environment. */
export type TransferTask<File> =
  | { readonly what: 'export'; readonly query: ExportQuery }
  | { readonly what: 'backup'; readonly settings: unknown }
  | { readonly what: 'import' | 'restore'; readonly file: File }
  | { readonly what: 'delete'; readonly node: string }
  /** The history of an earlier version, which this one can't read. */
  | { readonly what: 'remove-older' }

export type TransferEnd =
  | { readonly kind: 'done'; readonly rows: number; readonly skipped: number }
  /** `unchanged`: all that was here is as it was. */
  | { readonly kind: 'cancelled'; readonly unchanged?: true }
  | { readonly kind: 'refused'; readonly problem: FileProblem }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly unchanged?: true }

export const EXPORT_FORMAT = 'immune-node-history'
export const BACKUP_FORMAT = 'immune-node-backup'
