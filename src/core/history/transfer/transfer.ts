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
 * false to have it end there.
 */
export type TransferSink = (text: string, share: number) => Promise<boolean>

/** Lines of a file, each time from its start. No line has more than `LINE_MAX` characters, or it rejects. */
export type LineSource = () => AsyncIterable<string>

/** Characters of one line at most: the largest record is far below. */
export const LINE_MAX = 16_000_000

/** Why a file is not taken: what it lacks, and in which line. */
export type FileProblem = {
  readonly kind:
    | 'not-ours'
    | 'newer'
    | 'rollups'
    | 'csv'
    | 'broken-line'
    | 'too-long-line'
    | 'cut-off'
    | 'too-many'
  readonly line?: number
}

/** What a person may have done with the history as a whole. `File`: a file of the page's environment. */
export type TransferTask<File> =
  | { readonly what: 'export'; readonly query: ExportQuery }
  | { readonly what: 'backup'; readonly settings: unknown }
  | { readonly what: 'import' | 'restore'; readonly file: File }
  | { readonly what: 'delete'; readonly node: string }

/** Databases that are wholly a backup's; the others are as they were. */
export type RestoredParts = { readonly restored: number; readonly of: number }

export type TransferEnd =
  /** `settings`: what a backup that was restored holds of them. */
  | {
      readonly kind: 'done'
      readonly rows: number
      readonly skipped: number
      readonly settings?: unknown
    }
  | { readonly kind: 'cancelled'; readonly parts?: RestoredParts }
  | { readonly kind: 'refused'; readonly problem: FileProblem }
  | { readonly kind: 'failed'; readonly failure: StorageFailure; readonly parts?: RestoredParts }

export const EXPORT_FORMAT = 'immune-node-history'
export const BACKUP_FORMAT = 'immune-node-backup'
