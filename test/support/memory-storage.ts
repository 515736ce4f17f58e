import { promisify } from 'node:util'
import { deflateRaw, inflateRaw, type ZlibOptions } from 'node:zlib'
import { err, ok } from '#base/result.ts'
import type {
  Change,
  Database,
  KeyRange,
  Packer,
  Storage,
  StorageFailure,
  StorageKey,
} from '#storage/storage.ts'

type Table = Map<string, { readonly key: StorageKey; readonly value: unknown }>
type Operation = 'list' | 'open' | 'remove' | 'read' | 'write' | 'tidy'

export type MemoryStorage = Storage & {
  readonly databases: Map<string, Map<string, Table>>
  /** Called before each operation; returns the failure to inject, if any. */
  fault: (operation: Operation, name: string) => StorageFailure | 'crash' | undefined
  /** Number of operations so far, by kind. */
  readonly counts: Record<Operation, number>
  /** Number of rows that reads returned. */
  rowsRead: number
}

/** An in-memory store with atomic, ordered writes like IndexedDB's, and injectable faults. */
export function createMemoryStorage(quota?: number): MemoryStorage {
  const databases: MemoryStorage['databases'] = new Map()
  const run = <T>(operation: Operation, name: string, work: () => T) => {
    storage.counts[operation]++
    const fault = storage.fault(operation, name)
    // After a crash of the process no call ever returns.
    if (fault === 'crash') return new Promise<never>(() => undefined)
    return Promise.resolve(fault === undefined ? ok(work()) : err(fault))
  }
  const open = (name: string): Database => ({
    read: (ranges) =>
      run('read', name, () =>
        ranges.map((range) => {
          const rows = inRange(databases.get(name)?.get(range.table) ?? new Map(), range)
          const ordered = range.backwards === true ? rows.toReversed() : rows
          const found = ordered.slice(0, range.limit ?? ordered.length)
          storage.rowsRead += found.length
          return found.map(({ key, value }) => ({
            key,
            value: range.keysOnly === true ? undefined : structuredClone(value),
          }))
        }),
      ),
    write: async (changes, guard) => {
      const held = guard && databases.get(name)?.get(guard.table)?.get(JSON.stringify(guard.key))?.value
      if (guard !== undefined && !guard.holds(held)) return err('taken')
      return run('write', name, () => {
        for (const change of changes) apply(databases.get(name) ?? new Map(), change)
        return undefined
      })
    },
    close: () => undefined,
  })
  const storage: MemoryStorage = {
    databases,
    fault: () => undefined,
    counts: { list: 0, open: 0, remove: 0, read: 0, write: 0, tidy: 0 },
    rowsRead: 0,
    list: () => run('list', '', () => Array.from(databases.keys())),
    open: (name) =>
      run('open', name, () => {
        if (!databases.has(name)) databases.set(name, new Map())
        return open(name)
      }),
    remove: (name) =>
      run('remove', name, () => {
        databases.delete(name)
        return undefined
      }),
    tidy: () => run('tidy', '', () => undefined),
    quotaBytes: async () => quota,
  }
  return storage
}

function apply(tables: Map<string, Table>, change: Change): void {
  if (change.kind === 'put') {
    const table: Table = tables.get(change.table) ?? new Map()
    tables.set(change.table, table)
    table.set(JSON.stringify(change.key), { key: change.key, value: structuredClone(change.value) })
    return
  }
  // A value that is not a change throws here, as it does in a browser.
  const table = tables.get(change.range.table)
  if (table !== undefined)
    for (const { key } of inRange(table, change.range)) table.delete(JSON.stringify(key))
}

const inRange = (table: Table, { from, to }: KeyRange) =>
  Array.from(table.values())
    .filter(({ key }) => compare(key, from) >= 0 && compare(key, to) < 0)
    .toSorted((a, b) => compare(a.key, b.key))

function compare(one: StorageKey, other: StorageKey): number {
  for (const [place, mine] of one.entries()) {
    const theirs = other[place]
    if (theirs === undefined) return 1
    if (typeof mine !== typeof theirs) return typeof mine === 'number' ? -1 : 1
    if (mine !== theirs) return mine < theirs ? -1 : 1
  }
  return one.length - other.length
}

const deflate = promisify(deflateRaw)
const inflate = promisify<Uint8Array, ZlibOptions, Buffer>(inflateRaw)

type Packed = Uint8Array | Promise<Uint8Array>

export const packerOf = (
  deflated: (bytes: Uint8Array) => Packed,
  inflated: (bytes: Uint8Array, options: ZlibOptions) => Packed,
): Packer => ({
  deflate: async (bytes) => new Uint8Array(await deflated(bytes)),
  inflate: async (bytes, maxOutputLength) => {
    try {
      return new Uint8Array(await inflated(bytes, { maxOutputLength }))
    } catch {
      return undefined // The bytes are damaged.
    }
  },
})

/** Node's implementation of the browsers' compression. */
export const nodePacker = packerOf(deflate, inflate)
