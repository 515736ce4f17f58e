import type { Result } from '#base/result.ts'

/**
 * Goes up with every layout that an older build can't read: that one is then refused by the database, and
 * says so, where it would take records for damaged and write over them.
 */
export const HISTORY_VERSION = 3

/** Numbers and texts in order, compared place by place; numbers before texts, and a key before those that it begins. */
export type StorageKey = readonly (number | string)[]

/** History uses `meta`, `recent`, `blocks` and `events`; the small databases `meta`, `nodes` and `rows`. */
export const TABLES = ['meta', 'nodes', 'rows', 'recent', 'blocks', 'events'] as const
export type TableName = (typeof TABLES)[number]

export type StoredRow = { readonly key: StorageKey; readonly value: unknown }

/** Keys from `from` up to, and without, `to`. */
export type KeyRange = { readonly table: TableName; readonly from: StorageKey; readonly to: StorageKey }

export type ReadRange = KeyRange & {
  /** The values are left out: for what only needs to know what is there. */
  readonly keysOnly?: boolean
  /** At most so many; with `backwards` the last ones, last first. */
  readonly limit?: number
  readonly backwards?: boolean
}

export type Change =
  | {
      readonly kind: 'put'
      readonly table: TableName
      readonly key: StorageKey
      /** Bytes, or plain data. */
      readonly value: unknown
    }
  | { readonly kind: 'delete'; readonly range: KeyRange }

/**
 * Why the browser keeps nothing. `full`: quota or disk. `closed`: the connection was closed
 * under us, as by "clear site data". `newer`: a newer version of this product has opened the
 * database, and this one must not write. `blocked`: another tab holds an old version open.
 * `no-answer`: the browser does not call back. `none`: private mode, or storage is switched
 * off. `taken`: another engine writes now. `broken`: anything else.
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

/** Only where `holds` is true of the value of this row, else `taken`; looked at in the same transaction. */
export type Guard = {
  readonly table: TableName
  readonly key: StorageKey
  /** Undefined: there is no such row. */
  readonly holds: (value: unknown) => boolean
}

/** One database. Every call is one transaction: all of it happens or nothing. */
export type Database = {
  readonly read: (
    ranges: readonly ReadRange[],
  ) => Promise<Result<readonly (readonly StoredRow[])[], StorageFailure>>
  /** Resolves when it is kept. */
  readonly write: (changes: readonly Change[], guard?: Guard) => Promise<Result<undefined, StorageFailure>>
  readonly close: () => void
}

/** The databases of one origin. Implementations end every call after some seconds, and never throw. */
export type Storage = {
  /** Names of the databases of history that exist, of any layout. */
  readonly list: () => Promise<Result<readonly string[], StorageFailure>>
  /** Makes it where there is none. */
  readonly open: (name: string) => Promise<Result<Database, StorageFailure>>
  readonly remove: (name: string) => Promise<Result<undefined, StorageFailure>>
  /** Gives back the room of what was deleted and written over, where the browser keeps it for a time. */
  readonly tidy: () => Promise<Result<undefined, StorageFailure>>
  /** What the browser grants to this origin, in bytes; undefined where it does not say. */
  readonly quotaBytes: () => Promise<number | undefined>
}

/** Makes bytes fewer, and what they were again. Undefined from `inflate`: they are damaged, or more than `maxBytes`. */
export type Packer = {
  readonly deflate: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>
  readonly inflate: (
    bytes: Uint8Array<ArrayBuffer>,
    maxBytes: number,
  ) => Promise<Uint8Array<ArrayBuffer> | undefined>
}
