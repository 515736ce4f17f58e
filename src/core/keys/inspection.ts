import { MINUTE_MS } from '#base/time.ts'
import { bytesToHex, copySecret } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { err, type Result } from '#base/result.ts'
import type { Place } from './key-store.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { type KeyInfo, type KeyProblem, type KeyRing } from './key-ring.ts'
import type { KeyFamily, KeyFileProblem, KeyKind, LockedKind } from '#protocol/key-kinds.ts'
import type { Service } from '#settings/schema.ts'
import { KEY_FILE_BYTES_MAX, readKey } from './read-key.ts'

export type InspectedKey = {
  readonly kind: KeyKind
  readonly family: KeyFamily
  /** 64 hex digits. */
  readonly publicKey: string
  readonly fingerprint: string
}

/** `dropped`: another key came, or time ran out, while this one was being read. */
export type Inspected =
  | { readonly outcome: 'key'; readonly key: InspectedKey }
  | { readonly outcome: 'needs-passphrase'; readonly kind: LockedKind }
  | { readonly outcome: 'refused'; readonly problem: KeyFileProblem }
  | { readonly outcome: 'dropped' }

export type KeepInspectedProblem = KeyProblem | 'dropped'

/** Long enough to compare a public key and choose a place; then the key is gone again. */
export const INSPECTION_MS = 5 * MINUTE_MS

export type Inspection = {
  /** `input` is this inspection's from now on and zero in the end. Takes the place of what waited before. */
  readonly inspect: (input: Uint8Array) => Promise<Inspected>
  /** Opens the file that waits for its passphrase, which is zero afterwards. A wrong one may be followed by another. */
  readonly open: (passphrase: Uint8Array) => Promise<Inspected>
  /** Keeps the key that waits, if it is the one that was shown. After a problem it goes on waiting. */
  readonly keep: (
    publicKey: string,
    label: string,
    place: Place | undefined,
    services?: readonly Service[],
  ) => Promise<Result<KeyInfo, KeepInspectedProblem>>
  readonly drop: () => void
}

type Waiting =
  | { readonly stage: 'file'; readonly secret: Uint8Array }
  | { readonly stage: 'key'; readonly secret: Uint8Array; readonly key: InspectedKey }

/** One key between being read and being kept. It waits here, where no page can reach it, and not for long. */
export function createInspection(after: Clock['after'], keyRing: Pick<KeyRing, 'keepSeed'>): Inspection {
  let waiting: Waiting | undefined
  let stopTimer = (): void => undefined
  /** Counts what was begun, so that work whose key was dropped meanwhile knows it. */
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

  const inspect = async (input: Uint8Array): Promise<Inspected> => {
    drop()
    const mine = turn
    const read = await readKey(input)
    if (mine !== turn) {
      input.fill(0)
      if (read.outcome === 'read') read.seed.fill(0)
      return { outcome: 'dropped' }
    }
    if (read.outcome === 'needs-passphrase') wait({ stage: 'file', secret: input })
    else input.fill(0)
    return shown(read)
  }

  const open = async (passphrase: Uint8Array): Promise<Inspected> => {
    if (waiting?.stage !== 'file') {
      passphrase.fill(0)
      return { outcome: 'dropped' }
    }
    const mine = turn
    // A copy, because the one that waits is zeroed when it is dropped, in the middle of this.
    const file = copySecret(waiting.secret)
    const read = await readKey(file, passphrase)
    passphrase.fill(0)
    file.fill(0)
    if (mine !== turn) {
      if (read.outcome === 'read') read.seed.fill(0)
      return { outcome: 'dropped' }
    }
    return shown(read)
  }

  const shown = (read: Awaited<ReturnType<typeof readKey>>): Inspected => {
    if (read.outcome !== 'read') return read
    const { kind, family, seed, publicKey } = read
    const key = { kind, family, publicKey: bytesToHex(publicKey), fingerprint: fingerprintOf(publicKey) }
    wait({ stage: 'key', secret: seed, key })
    return { outcome: 'key', key }
  }

  const keep: Inspection['keep'] = async (publicKey, label, place, services = []) => {
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

/** The first 8 bytes of the SHA-256 of a public key, in groups of four hex digits: short enough to read out. */
const fingerprintOf = (publicKey: Uint8Array): string =>
  bytesToHex(sha256(publicKey).subarray(0, 8)).replace(/.{4}(?=.)/g, '$& ')

/** What a file gets that is too long to be read at all. */
export const TOO_LARGE: Inspected = { outcome: 'refused', problem: { reason: 'too-large' } }

export const isTooLarge = (bytes: number): boolean => bytes > KEY_FILE_BYTES_MAX
