import type { Result } from '#base/result.ts'

/**
 * Increases with every layout that older builds can't read. IndexedDB then refuses those builds, which would
 * otherwise treat the records as damaged and overwrite them.
 */
export const HISTORY_VERSION = 3

/**
 * Numbers and texts, compared element by element: numbers sort before texts, and a key before the longer keys
 * that start with it.
 */
export type StorageKey = readonly (number | string)[]

/**
 * History uses `meta`, `recent`, `blocks` and `events`; the small databases use `meta`, `nodes` and `rows`.
 */
export const TABLES = ['meta', 'nodes', 'rows', 'recent', 'blocks', 'events'] as const
type TableName = (typeof TABLES)[number]

export type StoredRow = { readonly key: StorageKey; readonly value: unknown }

/** `to` is exclusive. */
export type KeyRange = { readonly table: TableName; readonly from: StorageKey; readonly to: StorageKey }

export type ReadRange = KeyRange & {
  /** Leaves out the values. */
  readonly keysOnly?: boolean
  /** With `backwards`, the last ones, last first. */
  readonly limit?: number
  readonly backwards?: boolean
}

export type Change =
  | {
      readonly kind: 'put'
      readonly table: TableName
      readonly key: StorageKey
      readonly value: unknown
    }
  | { readonly kind: 'delete'; readonly range: KeyRange }

/**
 * Why the browser stores nothing. `full`: quota or disk. `closed`: the connection was closed, for example by "clear site data".
 * `newer`: a newer version of this app has opened the database. `blocked`: a tab holds an old version open. `no-answer`: the
 * browser does not call back. `none`: private mode, or storage is disabled. `taken`: another engine writes. `broken`: anything
 * else.
 */
export type StorageFailure =
  | 'full'
  | 'closed'
  | 'newer'
  | 'blocked'
  | 'no-answer'
  | 'none'
  | 'taken'
  | 'broken'

/**
 * The write happens only if `holds` accepts the value of this row in the same transaction; else it fails with
 * `taken`.
 */
export type Guard = {
  readonly table: TableName
  readonly key: StorageKey
  /** Gets undefined if the row does not exist. */
  readonly holds: (value: unknown) => boolean
}

/** One database. Every call is one transaction. */
export type Database = {
  readonly read: (
    ranges: readonly ReadRange[],
  ) => Promise<Result<readonly (readonly StoredRow[])[], StorageFailure>>
  /** Resolves once the changes are durable. */
  readonly write: (changes: readonly Change[], guard?: Guard) => Promise<Result<undefined, StorageFailure>>
  readonly close: () => void
}

/** The databases of one origin. Every call ends within seconds and never throws. */
export type Storage = {
  /** Names of all history databases, of any layout. */
  readonly list: () => Promise<Result<readonly string[], StorageFailure>>
  /** Creates the database if it does not exist. */
  readonly open: (name: string) => Promise<Result<Database, StorageFailure>>
  readonly remove: (name: string) => Promise<Result<undefined, StorageFailure>>
  /** Reclaims the disk space of deleted and overwritten rows, which some browsers hold back. */
  readonly tidy: () => Promise<Result<undefined, StorageFailure>>
  /** The quota of this origin in bytes; undefined if the browser does not report it. */
  readonly quotaBytes: () => Promise<number | undefined>
}

/** Compresses bytes. `inflate` returns undefined if they are damaged, or larger than `maxBytes`. */
export type Packer = {
  readonly deflate: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>
  readonly inflate: (
    bytes: Uint8Array<ArrayBuffer>,
    maxBytes: number,
  ) => Promise<Uint8Array<ArrayBuffer> | undefined>
}
