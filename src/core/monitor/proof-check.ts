import { bytesToHex } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { VerifySignature } from '#signing/signer.ts'
import type { ProofProfile } from '#proof/proof-profile.ts'
import { proofStatement, type ProofStatement, type ProofVerdict } from '#proof/proof-statement.ts'

/** The last verdict, stored so that the same proof is not checked twice. */
export type CheckedProof = {
  /** Canonical text, key and signature, joined. */
  readonly statement: string
  readonly verdict: ProofVerdict
  /** Steady clock. */
  readonly atMs: number
}

export type ProofToCheck = {
  readonly profile: ProofProfile
  /** The answer as received. */
  readonly body: string
  readonly last: CheckedProof | undefined
  /** Number of watched nodes, so that each gets its turn. */
  readonly nodes: number
  /** Steady clock. */
  readonly nowMs: number
}

/** Proof checks take at most a quarter (1 / `SHARE`) of the engine's time. */
const SHARE = 4
/** Time that may exceed that share at once: enough to check a whole fleet with WebCrypto the first time. */
const BURST_MS = 500
/** A longer measurement includes sleep or other work of the computer. */
const COST_MAX_MS = 100
/** The lowest measured cost rises by this factor per check, so that a lucky measurement does not last. */
const COST_RISE = 1.05

/**
 * Checks the proofs of a fleet. WebCrypto needs a fraction of a millisecond per proof. The JavaScript verifier, used on plain
 * http, needs up to 40 ms; in a large fleet the nodes then take turns, so that polling loses no time.
 */
export function createProofChecks(clock: Clock, verify: VerifySignature) {
  /** Cost of one check without waiting, in ms: the lowest recent measurement; undefined before the first. */
  let costMs: number | undefined
  let spentMs = 0
  let spentAtMs = Number.NEGATIVE_INFINITY

  const isBusy = ({ last, nodes, nowMs }: ProofToCheck): boolean => {
    spentMs = Math.max(0, spentMs - (nowMs - spentAtMs) / SHARE)
    spentAtMs = nowMs
    return spentMs > BURST_MS || (last !== undefined && nowMs - last.atMs < nodes * (costMs ?? 0) * SHARE)
  }

  const verdictOf = async (statement: ProofStatement): Promise<ProofVerdict> => {
    const beganMs = clock.monotonicMs()
    const fits = await verify(statement.publicKey, statement.message, statement.signature)
    const tookMs = Math.min(clock.monotonicMs() - beganMs, COST_MAX_MS)
    costMs = costMs === undefined ? tookMs : Math.min(tookMs, costMs * COST_RISE)
    spentMs += costMs
    return fits ? { kind: 'verified' } : { kind: 'wrong', reason: 'mismatch' }
  }

  return {
    /** Never rejects. Pass `checked` as `last` the next time. */
    check: async (
      proof: ProofToCheck,
    ): Promise<{ readonly verdict: ProofVerdict; readonly checked: CheckedProof | undefined }> => {
      const { profile, body, last, nowMs } = proof
      const json = parseJsonRecord(body)
      if (!json.ok) return { verdict: notChecked('member'), checked: undefined }
      const read = proofStatement(profile, json.value)
      if (!read.ok) return { verdict: read.error, checked: undefined }
      const statement = nameOf(read.value)
      if (last?.statement === statement) return { verdict: last.verdict, checked: last }
      // A failed proof stays failed until another proof is verified; being busy does not clear it.
      if (isBusy(proof))
        return { verdict: last?.verdict.kind === 'wrong' ? last.verdict : notChecked('busy'), checked: last }
      const verdict = await verdictOf(read.value)
      return { verdict, checked: { statement, verdict, atMs: nowMs } }
    },
  }
}

const notChecked = (reason: 'member' | 'busy'): ProofVerdict => ({ kind: 'not-checked', reason })

const nameOf = ({ text, publicKey, signature }: ProofStatement): string =>
  `${bytesToHex(publicKey)} ${bytesToHex(signature)} ${text}`
