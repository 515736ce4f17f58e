import type { SignedHeaders } from '#signing/signer.ts'
import type { Service } from '#settings/settings.ts'

/** One entry per node of a fleet of ordinary size; beyond it the oldest is signed anew. */
export const SIGNATURES_MAX = 4_096

export type SignatureCache = {
  /** Undefined when nothing was kept for so many seconds, or when the time went backwards. */
  readonly find: (service: Service, entry: string, nowMs: number) => SignedHeaders | undefined
  readonly keep: (service: Service, entry: string, nowMs: number, signed: SignedHeaders) => void
}

type Kept = { readonly atMs: number; readonly signed: SignedHeaders }

/**
 * Signatures that a profile allows to use again. Hung on the service's own object, so that
 * they end with the configuration they were made for.
 */
export function createSignatureCache(entriesMax = SIGNATURES_MAX): SignatureCache {
  const kept = new WeakMap<Service, Map<string, Kept>>()
  return {
    find: (service, entry, nowMs) => {
      const found = kept.get(service)?.get(entry)
      const reuseMs = (reuseSecondsOf(service) ?? 0) * 1_000
      const isGood = found !== undefined && nowMs >= found.atMs && nowMs < found.atMs + reuseMs
      return isGood ? found.signed : undefined
    },
    keep: (service, entry, nowMs, signed) => {
      if (reuseSecondsOf(service) === undefined) return
      const entries = kept.get(service) ?? new Map<string, Kept>()
      kept.set(service, entries)
      entries.delete(entry) // so that it is the newest in the map's order
      entries.set(entry, { atMs: nowMs, signed })
      const [oldest] = entries.keys()
      if (entries.size > entriesMax && oldest !== undefined) entries.delete(oldest)
    },
  }
}

const reuseSecondsOf = (service: Service): number | undefined =>
  typeof service.profile === 'string' ? undefined : service.profile.reuseSeconds
