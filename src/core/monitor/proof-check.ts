import { bytesToHex } from '#base/bytes.ts'
import type { Clock } from '#base/clock.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { VerifySignature } from '#signing/signer.ts'
import type { ProofProfile } from '#proof/proof-profile.ts'
import { proofStatement, type ProofStatement, type ProofVerdict } from '#proof/proof-statement.ts'

/** A proof that was checked, kept so that the same record is not checked twice. */
export type CheckedProof = {
  /** Canonical text, key and signature in one. */
  readonly statement: string
  readonly verdict: ProofVerdict
  /** Steady clock. */
  readonly atMs: number
}

export type ProofToCheck = {
  readonly profile: ProofProfile
  /** The answer as it was received. */
  readonly body: string
  /** What is known of the node's previous proof. */
  readonly last: CheckedProof | undefined
  /** How many nodes are watched, so that each is checked at times. */
  readonly nodes: number
  /** Steady clock. */
  readonly nowMs: number
}

/** At most one part in so many of the engine's time goes into proofs. */
const SHARE = 4
/** How much may be spent at once beyond that share: a whole fleet for the first time by WebCrypto. */
const BURST_MS = 500
/** What is taken for longer was the computer's sleep or other work, and no check. */
const COST_MAX_MS = 100
/** A measurement that was better than all later ones is forgotten at this rate. */
const COST_RISE = 1.05

/**
 * Checks the proofs of a fleet. WebCrypto takes a fraction of a millisecond for one; the
 * verifier in JavaScript, on plain http, takes up to forty, and then the nodes of a large
 * fleet take turns, so that no time is taken from asking.
 */
export function createProofChecks(clock: Clock, verify: VerifySignature | undefined) {
  /** What one check takes when it waits for nothing else: the least that was measured lately, in ms. */
  let costMs = 0
  let isMeasured = false
  let spentMs = 0
  let spentAtMs = Number.NEGATIVE_INFINITY

  const isBusy = ({ last, nodes, nowMs }: ProofToCheck): boolean => {
    spentMs = Math.max(0, spentMs - (nowMs - spentAtMs) / SHARE)
    spentAtMs = nowMs
    return spentMs > BURST_MS || (last !== undefined && nowMs - last.atMs < nodes * costMs * SHARE)
  }

  const verdictOf = async (statement: ProofStatement, verifier: VerifySignature): Promise<ProofVerdict> => {
    const beganMs = clock.monotonicMs()
    const fits = await verifier(statement.publicKey, statement.message, statement.signature)
    const tookMs = Math.min(clock.monotonicMs() - beganMs, COST_MAX_MS)
    costMs = isMeasured ? Math.min(tookMs, costMs * COST_RISE) : tookMs
    isMeasured = true
    spentMs += costMs
    return fits ? { kind: 'verified' } : { kind: 'wrong', reason: 'mismatch' }
  }

  return {
    /** Never rejects. `checked` is what to pass as `last` the next time. */
    check: async (
      proof: ProofToCheck,
    ): Promise<{ readonly verdict: ProofVerdict; readonly checked: CheckedProof | undefined }> => {
      const { profile, body, last, nowMs } = proof
      if (verify === undefined) return { verdict: notChecked('no-verifier'), checked: undefined }
      const json = parseJsonRecord(body)
      if (!json.ok) return { verdict: notChecked('member'), checked: undefined }
      const read = proofStatement(profile, json.value)
      if (!read.ok) return { verdict: read.error, checked: undefined }
      const statement = nameOf(read.value)
      if (last?.statement === statement) return { verdict: last.verdict, checked: last }
      // What was wrong stays wrong until another proof is found right: no pause makes it better.
      if (isBusy(proof))
        return { verdict: last?.verdict.kind === 'wrong' ? last.verdict : notChecked('busy'), checked: last }
      const verdict = await verdictOf(read.value, verify)
      return { verdict, checked: { statement, verdict, atMs: nowMs } }
    },
  }
}

const notChecked = (reason: 'member' | 'busy' | 'no-verifier'): ProofVerdict => ({
  kind: 'not-checked',
  reason,
})

const nameOf = ({ text, publicKey, signature }: ProofStatement): string =>
  `${bytesToHex(publicKey)} ${bytesToHex(signature)} ${text}`
