import { Buffer } from 'node:buffer'
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers'
import { bytesToHex } from '#base/bytes.ts'
import { putNewest } from '#base/newest-last.ts'

/** A node's id is its public key. */
export const isNodeId = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)

export type Directory = ReturnType<typeof createDirectory>

/** Cached private keys; the others are derived again, 60 µs each. */
const KEYS_KEPT_MAX = 1_000
/** Keys derived per turn of the event loop: about 3 ms. */
const SLICE = 50

/** The demo network's nodes. Ids are public keys, so each must be computed before it can be found. */
export function createDirectory(seed: string, count: number) {
  const ids: string[] = []
  const indexById = new Map<string, number>()
  const kept = new Map<number, KeyObject>()
  const waiting = new Set<() => void>()
  const state = { filling: false, closed: false }

  const fillSlice = (): void => {
    for (let i = 0; i < SLICE && ids.length < count; i++) {
      const id = derive(seed, ids.length).id
      indexById.set(id, ids.length)
      ids.push(id)
    }
    for (const wake of waiting) wake()
    waiting.clear()
    if (ids.length < count && !state.closed) setImmediate(fillSlice)
  }

  /** 100,000 ids take six seconds; they are computed in the background from the first lookup on. */
  const startFilling = (): void => {
    if (state.filling) return
    state.filling = true
    fillSlice()
  }

  return {
    count,
    idOf: (index: number): string => ids[index] ?? derive(seed, index).id,
    /** Waits while the ids are being computed; undefined for an unknown id. Requires a lower-case id. */
    indexOf: async (id: string): Promise<number | undefined> => {
      startFilling()
      while (!indexById.has(id) && ids.length < count && !state.closed) {
        await new Promise<void>((wake) => waiting.add(wake))
      }
      return indexById.get(id)
    },
    sign: (index: number, message: Uint8Array): Uint8Array => {
      const key = kept.get(index) ?? derive(seed, index).key
      putNewest(kept, index, key, KEYS_KEPT_MAX)
      return sign(null, message, key)
    },
    close: (): void => {
      state.closed = true
      for (const wake of waiting) wake()
      waiting.clear()
    },
  }
}

/** An Ed25519 private key in PKCS#8 up to its 32 bytes: RFC 8410, section 7. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives a node's key pair from the network's seed. Anyone who knows the seed has all keys, which is acceptable for a demo.
 */
function derive(seed: string, index: number): { readonly id: string; readonly key: KeyObject } {
  const secret = createHash('sha256').update(`immune-node-key-v1\n${seed}\n${index}`).digest()
  // With PKCS#8 Node derives the public key; a JWK would have to contain it.
  const key = createPrivateKey({ format: 'der', type: 'pkcs8', key: Buffer.concat([PKCS8_HEAD, secret]) })
  // The last 32 bytes of its SPKI: RFC 8410, section 4.
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { id: `0x${bytesToHex(publicKey)}`, key }
}
