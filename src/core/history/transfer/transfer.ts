import type { TimeRange } from '#base/time.ts'
import type { StorageFailure } from '#storage/storage.ts'
import type { TierName } from '#history/tiers.ts'

export type ExportQuery = TimeRange & {
  readonly node: string
  /** Every poll, or rollups of this step. */
  readonly tier: TierName
  readonly form: 'csv' | 'json'
}

/**
 * Receives the text in order, with the share of the work that is done, 0 to 1. Resolves to false to cancel. A
 * restore passes only the settings, and they are applied when this resolves.
 */
export type TransferSink = (text: string, share: number) => Promise<boolean>

/** Reads the lines of a file from its start at each call. Rejects if a line exceeds `LINE_MAX` characters. */
export type LineSource = () => AsyncIterable<string>

/** The settings are one line of a backup: 45 million characters with 20,000 nodes and their notes. */
export const LINE_MAX = 48 * 1_048_576

/** Why a file is refused, and at which line. */
export type FileProblem = {
  readonly kind:
    | 'not-ours'
    | 'not-backup'
    | 'newer'
    | 'older'
    | 'rollups'
    | 'csv'
    | 'broken-line'
    | 'too-long-line'
    | 'cut-off'
    /** Every line is intact, but together they are not the file that was written. */
    | 'checksum'
    | 'too-many'
    /** A record inflates to more than any of ours. */
    | 'too-large'
  readonly line?: number
}

/** Tasks on the history as a whole. `File`: a file of the page's environment. */
export type TransferTask<File> =
  | { readonly what: 'export'; readonly query: ExportQuery }
  | { readonly what: 'backup'; readonly settings: unknown }
  | { readonly what: 'import' | 'restore'; readonly file: File }
  | { readonly what: 'delete'; readonly node: string }
  /** Removes the history of earlier versions. */
  | { readonly what: 'remove-older' }

export type TransferEnd =
  | { readonly kind: 'done'; readonly rows: number; readonly skipped: number }
  /** `unchanged`: the data here is as it was. */
  | { readonly kind: 'cancelled'; readonly unchanged?: true }
  | { readonly kind: 'refused'; readonly problem: FileProblem }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly unchanged?: true }

export const EXPORT_FORMAT = 'immune-node-history'
export const BACKUP_FORMAT = 'immune-node-backup'
