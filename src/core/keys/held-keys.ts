import { bytesToHex, hexToBytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import type { MadeKey } from './make-key.ts'
import type { SigningKey } from './signing-key.ts'
import { webCryptoSigningKey } from './web-crypto-signer.ts'

/** What may be shown of a key. The key itself never leaves the signer. */
export type KeyInfo = {
  /** 64 hex digits; also the key's id. */
  readonly publicKey: string
  readonly label: string
  readonly createdMs: number
  /** `device`: non-extractable, in this browser's storage, back after a restart. `session`: in memory until the last tab closes. */
  readonly custody: 'device' | 'session'
}

/** `not-kept`: there is a storage, and it would not keep the key. `too-many`: see `KEYS_MAX`. */
export type KeepProblem = 'not-kept' | 'too-many'

/** More keys than anybody tells apart; a bound for storage and lists. */
export const KEYS_MAX = 16

export const KEY_LABEL_CHARS_MAX = 60

type Held = { readonly info: KeyInfo; readonly key: SigningKey }

export type HeldKeys = {
  /** Takes over what storage has: another signer of this browser may have changed it. */
  readonly reload: () => Promise<void>
  /** Whether storage answered the last `reload`. */
  readonly isKeeping: () => boolean
  readonly keep: (key: MadeKey, label: string, atMs: number) => Promise<Result<KeyInfo, KeepProblem>>
  readonly remove: (publicKey: string) => Promise<Result<undefined, 'not-removed'>>
  /** Oldest first; keys of the same millisecond in the order in which they came. */
  readonly sorted: () => readonly Held[]
  readonly get: (publicKey: string) => SigningKey | undefined
}

/** The keys in memory, and their copies in storage where there is one. Calls must not overlap. */
export function createHeldKeys(store: KeyStore | undefined): HeldKeys {
  const held = new Map<string, Held>()
  let keeping = false

  const drop = (publicKey: string): void => {
    held.get(publicKey)?.key.forget()
    held.delete(publicKey)
  }

  const put = async (record: Omit<StoredKey, 'key'>, key: MadeKey): Promise<KeepProblem | undefined> => {
    if (!held.has(record.publicKey) && held.size >= KEYS_MAX) return 'too-many'
    if (!keeping || store === undefined || key.cryptoKey === undefined) return undefined
    const stored = await store.put({ ...record, key: key.cryptoKey })
    return stored.ok ? undefined : 'not-kept'
  }

  return {
    isKeeping: () => keeping,
    get: (publicKey) => held.get(publicKey)?.key,
    sorted: () => Array.from(held.values()).toSorted((a, b) => a.info.createdMs - b.info.createdMs),
    reload: async () => {
      const stored = await store?.load()
      keeping = stored?.ok === true
      // A store that can't be read says nothing about the keys that are already here: they go on.
      if (stored?.ok !== true) return
      const kept = new Set(stored.value.map(({ publicKey }) => publicKey))
      for (const [id, { info }] of held) if (info.custody === 'device' && !kept.has(id)) drop(id)
      for (const record of stored.value.slice(0, KEYS_MAX)) {
        const { publicKey, label, createdMs } = record
        const key = held.get(publicKey)?.key ?? signingKeyOf(record)
        if (key !== undefined)
          held.set(publicKey, { info: { publicKey, label, createdMs, custody: 'device' }, key })
      }
    },
    keep: async (key, label, atMs) => {
      const publicKey = bytesToHex(key.publicKey)
      const before = held.get(publicKey)
      const createdMs = before?.info.createdMs ?? atMs
      const record = { publicKey, label: label.trim().slice(0, KEY_LABEL_CHARS_MAX), createdMs }
      const problem = await put(record, key)
      if (problem !== undefined) {
        key.forget()
        return err(problem)
      }
      before?.key.forget()
      const info: KeyInfo = { ...record, custody: keeping && key.cryptoKey ? 'device' : 'session' }
      held.set(publicKey, { info, key })
      return ok(info)
    },
    remove: async (publicKey) => {
      if (held.get(publicKey)?.info.custody === 'device') {
        const removed = await store?.remove(publicKey)
        if (removed?.ok !== true) return err('not-removed')
      }
      drop(publicKey)
      return ok(undefined)
    },
  }
}

const signingKeyOf = ({ publicKey, key }: StoredKey): SigningKey | undefined => {
  const bytes = hexToBytes(publicKey)
  return bytes?.length === 32 ? webCryptoSigningKey(key, bytes) : undefined
}
