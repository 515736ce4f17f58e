import type { DBSchema, IDBPDatabase } from 'idb'
import { bytesToHex } from '#base/bytes.ts'
import { ownMember } from '#base/own-member.ts'
import { err, type Result } from '#base/result.ts'
import type { KeyNotes, KeyStore, StoredKey, TokenStore } from '#keys/key-store.ts'
import { LOCK_MINUTES_MAX } from '#keys/auto-lock.ts'
import { grantsOf } from '#signing/signing-grant.ts'
import { readVault } from '#keys/vault.ts'
import { smallDatabase } from './worker-database.ts'

/** 1: keys. 2: adds notes and the lock time. */
const VERSION = 2

/** A blocked or broken database may never answer; the signer then continues without it. */
const STORE_LIMIT_MS = 5_000

type Schema = DBSchema & {
  keys: { key: string; value: unknown }
  /** Separate from the keys, because rewriting a key would leave another copy of it in the files. */
  notes: { key: string; value: unknown }
  choices: { key: string; value: unknown }
}
type StoreName = 'keys' | 'notes' | 'choices'
type Database = IDBPDatabase<Schema>
type Attempt = <T>(work: (database: Database) => Promise<T>) => Promise<Result<T, 'unavailable'>>

/** Stores keys in IndexedDB, as non-extractable CryptoKeys or as vaults. */
export function createKeyStore(): KeyStore {
  const run = smallDatabase<Schema>('immune-signer', VERSION, STORE_LIMIT_MS, (database, oldVersion) => {
    if (oldVersion < 1) database.createObjectStore('keys', { keyPath: 'publicKey' })
    database.createObjectStore('notes')
    database.createObjectStore('choices')
  })
  /** Callers treat all failures alike, as missing storage. */
  const attempt: Attempt = async (work) => {
    const done = await run(work)
    return done.ok ? done : err('unavailable')
  }
  const records = new Map<string, ReadRecord>()

  return {
    load: () => attempt((database) => loadKeys(database, records)),
    put: (record) => attempt((database) => write(database, (store) => putRecord(store, record))),
    note: (publicKey, notes) =>
      attempt((database) => write(database, (store) => store('notes').put(notes, publicKey))),
    remove: (publicKey) =>
      attempt((database) =>
        write(database, async (store) => {
          await store('keys').delete(publicKey)
          await store('notes').delete(publicKey)
          await store('choices').delete(WRITTEN_PREFIX + publicKey)
        }),
      ),
    loadLockMinutes: async () => {
      const stored = await attempt((database) => database.get('choices', LOCK_MINUTES))
      return stored.ok && isLockMinutes(stored.value) ? stored.value : undefined
    },
    putLockMinutes: (minutes) =>
      attempt((database) => write(database, (store) => store('choices').put(minutes, LOCK_MINUTES))),
    loadTryRounds: async () => {
      const stored = await attempt((database) => database.get('choices', TRY_ROUNDS))
      return stored.ok ? openedOf(stored.value) : new Map()
    },
    tokens: tokenStore(attempt),
    putTryRounds: (rounds) =>
      attempt((database) => write(database, (store) => store('choices').put(Array.from(rounds), TRY_ROUNDS))),
    keepsBytes: (bytes) => attempt((database) => keepsBytes(database, bytes)),
  }
}

type ReadRecord = { readonly record: unknown; readonly written: unknown }

/** Prefix of the marker that changes with each write of a key's record; missing in records of earlier builds. */
const WRITTEN_PREFIX = 'written '

/** Reads only records that changed since the last read, because each read passes the key's bytes through the browser. */
async function loadKeys(database: Database, records: Map<string, ReadRecord>): Promise<readonly StoredKey[]> {
  const [ids, noted, notes] = await Promise.all([
    database.getAllKeys('keys'),
    database.getAllKeys('notes'),
    database.getAll('notes'),
  ])
  const notesOf = new Map(noted.map((publicKey, at) => [publicKey, notes[at]]))
  const there = new Set(ids)
  for (const publicKey of records.keys()) if (!there.has(publicKey)) records.delete(publicKey)
  return Promise.all(
    ids.map(async (publicKey) => {
      const written: unknown = await database.get('choices', WRITTEN_PREFIX + publicKey)
      const before = records.get(publicKey)
      const record: unknown =
        before !== undefined && before.written === written
          ? before.record
          : await database.get('keys', publicKey)
      records.set(publicKey, { record, written })
      return storedKey(record, notesOf)
    }),
  ).then((keys) => keys.flatMap((key) => key ?? []))
}

const SELF_TEST = 'self-test'

async function keepsBytes(database: Database, bytes: Uint8Array): Promise<boolean> {
  await write(database, (store) => store('choices').put(bytes, SELF_TEST))
  const read: unknown = await database.get('choices', SELF_TEST)
  await write(database, (store) => store('choices').delete(SELF_TEST))
  const isGone = (await database.getKey('choices', SELF_TEST)) === undefined
  return isGone && read instanceof Uint8Array && bytesToHex(read) === bytesToHex(bytes)
}

const LOCK_MINUTES = 'lock-minutes'

const isLockMinutes = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LOCK_MINUTES_MAX

const TRY_ROUNDS = 'try-rounds'

/** Skips everything but pairs of a text and a time. */
const openedOf = (value: unknown): ReadonlyMap<string, number> =>
  new Map(
    (Array.isArray(value) ? value : []).flatMap((pair: unknown) => {
      const [name, openedMs]: readonly unknown[] = Array.isArray(pair) ? pair : []
      return typeof name === 'string' && isTime(openedMs) ? [[name, openedMs] as const] : []
    }),
  )

/** Each token has its own record, because rewriting a shared one would leave more copies of the others in the files. */
const TOKEN_PREFIX = 'token '

const tokenStore = (attempt: Attempt): TokenStore => ({
  load: () => attempt(loadTokens),
  put: (serviceId, token) =>
    attempt((database) => write(database, (store) => store('choices').put(token, TOKEN_PREFIX + serviceId))),
  remove: (serviceId) =>
    attempt((database) => write(database, (store) => store('choices').delete(TOKEN_PREFIX + serviceId))),
})

async function loadTokens(database: Database): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>()
  for (const name of await database.getAllKeys('choices')) {
    const token = name.startsWith(TOKEN_PREFIX) ? await database.get('choices', name) : undefined
    if (typeof token === 'string') tokens.set(name.slice(TOKEN_PREFIX.length), token)
  }
  return tokens
}

const STORES: StoreName[] = ['keys', 'notes', 'choices']

type Stores = (name: StoreName) => ReturnType<ReturnType<typeof transactionOf>['objectStore']>

const transactionOf = (database: Database) =>
  // Strict durability resolves only once the data is on disk, because a power cut would otherwise lose the key.
  database.transaction(STORES, 'readwrite', { durability: 'strict' })

async function write(database: Database, change: (store: Stores) => Promise<unknown>): Promise<undefined> {
  const transaction = transactionOf(database)
  await Promise.all([change((name) => transaction.objectStore(name)), transaction.done])
}

async function putRecord(store: Stores, record: StoredKey): Promise<void> {
  const { publicKey, createdMs, key, vault, ...notes } = record
  const secret = key === undefined ? { vault } : { key }
  await store('keys').put({ publicKey, createdMs, label: notes.label, ...secret })
  await store('notes').put(notes, publicKey)
  await store('choices').put(crypto.randomUUID(), WRITTEN_PREFIX + publicKey)
}

/** Any script of this origin can write to the database, so records are validated like any other input. */
function storedKey(record: unknown, notesOf: ReadonlyMap<string, unknown>): StoredKey | undefined {
  const publicKey = ownMember(record, 'publicKey')
  const createdMs = ownMember(record, 'createdMs')
  if (typeof publicKey !== 'string' || !/^[0-9a-f]{64}$/.test(publicKey)) return undefined
  if (typeof createdMs !== 'number' || !Number.isFinite(createdMs)) return undefined
  // Version 1 stored the label in the key's record.
  const notes = keyNotes(notesOf.get(publicKey)) ?? keyNotes(record)
  if (notes === undefined) return undefined
  const base = { publicKey, createdMs, ...notes }
  const key = ownMember(record, 'key')
  if (key !== undefined) return isSigningKey(key) ? { ...base, key } : undefined
  const vault = readVault(ownMember(record, 'vault'))
  return vault.ok && vault.value.publicKey === publicKey ? { ...base, vault: vault.value } : undefined
}

function keyNotes(notes: unknown): KeyNotes | undefined {
  const [label, notAfterMs, lastUsedMs] = ['label', 'notAfterMs', 'lastUsedMs'].map((name) =>
    ownMember(notes, name),
  )
  if (typeof label !== 'string') return undefined
  const grants = grantsOf(ownMember(notes, 'grants'))
  return {
    label,
    ...(isTime(notAfterMs) && { notAfterMs }),
    ...(isTime(lastUsedMs) && { lastUsedMs }),
    ...(grants.length > 0 && { grants }),
  }
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isSigningKey = (key: unknown): key is CryptoKey =>
  key instanceof CryptoKey &&
  key.algorithm.name === 'Ed25519' &&
  !key.extractable &&
  key.usages.includes('sign')
