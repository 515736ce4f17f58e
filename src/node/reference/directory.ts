import { Buffer } from 'node:buffer'
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { bytesToHex } from '#base/bytes.ts'
import { putNewest } from '#base/newest-last.ts'
import { pkcs8Of } from '#keys/signing-key.ts'

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
  const state = { filling: false, closed: false }

  /** 100,000 ids take six seconds; they are computed in the background from the first lookup on. */
  const fill = async (): Promise<void> => {
    if (state.filling) return
    state.filling = true
    while (ids.length < count && !state.closed) {
      const { id } = derive(seed, ids.length)
      indexById.set(id, ids.length)
      ids.push(id)
      if (ids.length % SLICE === 0) await setImmediate()
    }
  }

  return {
    count,
    idOf: (index: number): string => ids[index] ?? derive(seed, index).id,
    /** Waits while the ids are being computed; undefined for an unknown id. Requires a lower-case id. */
    indexOf: async (id: string): Promise<number | undefined> => {
      void fill()
      while (!indexById.has(id) && ids.length < count && !state.closed) await setImmediate()
      return indexById.get(id)
    },
    sign: (index: number, message: Uint8Array): Uint8Array => {
      const key = kept.get(index) ?? derive(seed, index).key
      putNewest(kept, index, key, KEYS_KEPT_MAX)
      return sign(null, message, key)
    },
    close: (): void => {
      state.closed = true
    },
  }
}

/**
 * Derives a node's key pair from the network's seed. Anyone who knows the seed has all keys, which is acceptable for a demo.
 */
function derive(seed: string, index: number): { readonly id: string; readonly key: KeyObject } {
  const secret = createHash('sha256').update(`immune-node-key-v1\n${seed}\n${index}`).digest()
  // With PKCS#8 Node derives the public key; a JWK would have to contain it.
  const key = createPrivateKey({ format: 'der', type: 'pkcs8', key: Buffer.from(pkcs8Of(secret)) })
  // The last 32 bytes of its SPKI: RFC 8410, section 4.
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { id: `0x${bytesToHex(publicKey)}`, key }
}
