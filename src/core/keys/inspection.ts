import { MINUTE_MS } from '#base/time.ts'
import { bytesToHex, copySecret } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { err, type Result } from '#base/result.ts'
import type { Place } from './key-store.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { type KeyInfo, type KeyProblem, type KeyRing } from './key-ring.ts'
import type { KeyFamily, KeyKind } from '#protocol/key-kinds.ts'
import type { Service } from '#settings/schema.ts'
import { KEY_FILE_BYTES_MAX, readKey, type ReadKey } from './read-key.ts'
import type { NotRead } from './reading.ts'

export type InspectedKey = {
  readonly kind: KeyKind
  readonly family: KeyFamily
  /** 64 hex digits. */
  readonly publicKey: string
  readonly fingerprint: string
}

/** `dropped`: another key arrived or the time ran out while this one was being read. */
export type Inspected =
  | { readonly outcome: 'key'; readonly key: InspectedKey }
  | NotRead
  | { readonly outcome: 'dropped' }

export type KeepInspectedProblem = KeyProblem | 'dropped'

/** Long enough to compare a public key and choose where to store it. */
export const INSPECTION_MS = 5 * MINUTE_MS

export type Inspection = ReturnType<typeof createInspection>

type Waiting =
  | { readonly stage: 'file'; readonly secret: Uint8Array }
  | { readonly stage: 'key'; readonly secret: Uint8Array; readonly key: InspectedKey }

/** One key between reading and storing. It stays in the signer, where no page can reach it, for at most `INSPECTION_MS`. */
export function createInspection(after: Clock['after'], keyRing: Pick<KeyRing, 'keepSeed'>) {
  let waiting: Waiting | undefined
  let stopTimer = (): void => undefined
  /** Incremented by each drop, so that running work can detect that its key was dropped. */
  let turn = 0

  const drop = (): void => {
    turn++
    stopTimer()
    waiting?.secret.fill(0)
    waiting = undefined
  }
  const wait = (next: Waiting): void => {
    drop()
    waiting = next
    stopTimer = after(INSPECTION_MS, drop)
  }

  /** Undefined if another key replaced it in the meantime. */
  const read = async (file: Uint8Array, passphrase?: Uint8Array): Promise<ReadKey | undefined> => {
    const mine = turn
    const found = await readKey(file, passphrase)
    if (mine === turn) return found
    if (found.outcome === 'read') found.seed.fill(0)
    return undefined
  }
  const shown = (found: ReadKey | undefined): Inspected => {
    if (found?.outcome !== 'read') return found ?? { outcome: 'dropped' }
    const { kind, family, seed, publicKey } = found
    const key = { kind, family, publicKey: bytesToHex(publicKey), fingerprint: fingerprintOf(publicKey) }
    wait({ stage: 'key', secret: seed, key })
    return { outcome: 'key', key }
  }

  /** Takes ownership of `source` and zeroes it. Replaces the previous key. */
  const inspect = async (source: Uint8Array | Blob): Promise<Inspected> => {
    drop()
    // Checked before reading, because any file can be chosen by mistake.
    if (source instanceof Blob && source.size > KEY_FILE_BYTES_MAX)
      return { outcome: 'refused', problem: { reason: 'too-large' } }
    const mine = turn
    const input = source instanceof Blob ? new Uint8Array(await source.arrayBuffer()) : source
    const found = mine === turn ? await read(input) : undefined
    if (found?.outcome === 'needs-passphrase') wait({ stage: 'file', secret: input })
    else input.fill(0)
    return shown(found)
  }

  /** Decrypts the waiting file. Zeroes the passphrase. After a wrong one, another may be tried. */
  const open = async (passphrase: Uint8Array): Promise<Inspected> => {
    // A copy, because a drop may zero the original while this runs.
    const file = waiting?.stage === 'file' ? copySecret(waiting.secret) : undefined
    const found = file && (await read(file, passphrase))
    passphrase.fill(0)
    file?.fill(0)
    return shown(found)
  }

  /** Stores the waiting key if it is the one that was shown. After a problem the key keeps waiting. */
  const keep = async (
    publicKey: string,
    label: string,
    place: Place | undefined,
    services: readonly Service[] = [],
  ): Promise<Result<KeyInfo, KeepInspectedProblem>> => {
    if (waiting?.stage !== 'key' || waiting.key.publicKey !== publicKey) {
      if (place?.custody === 'vault') place.passphrase.fill(0)
      return err('dropped')
    }
    const mine = turn
    const seed = copySecret(waiting.secret)
    try {
      const kept = await keyRing.keepSeed(seed, waiting.key.family, label, place, services)
      if (kept.ok && mine === turn) drop()
      return kept
    } finally {
      seed.fill(0)
    }
  }

  return { inspect, open, keep, drop }
}

/** The first 8 bytes of the SHA-256 of a public key in groups of four hex digits: short enough to read out. */
const fingerprintOf = (publicKey: Uint8Array): string =>
  bytesToHex(sha256(publicKey).subarray(0, 8)).replace(/.{4}(?=.)/g, '$& ')
