import type { ProofVerdict, UncheckedProof, WrongProof } from '#proof/proof-statement.ts'
import type { FailureWords } from './failure-words.ts'

const WRONG: Readonly<Record<WrongProof, string>> = {
  mismatch:
    'cryptographic_proof is not a signature of this record by the node’s key: the record was changed or forged, or the proof profile does not match the service.',
  length: 'cryptographic_proof does not have the 64 bytes of an Ed25519 signature.',
  weak: 'The key or the signature is weak: the signature is valid for other messages too.',
  'other-node': 'The signing key does not match the node id.',
}

const UNCHECKED: Readonly<Record<UncheckedProof, string>> = {
  member: 'the record lacks',
  key: 'there is no 32-byte public key where the proof profile expects it.',
  'too-long': 'the signed text would exceed 64 KiB.',
  busy: 'this browser is too slow to check every record.',
}

export function proofWords(verdict: Exclude<ProofVerdict, { kind: 'verified' }>): FailureWords {
  if (verdict.kind === 'wrong')
    return {
      title: 'Proof wrong',
      meaning: `${WRONG[verdict.reason]} The record can’t be trusted.`,
      next: 'Compare the raw record on the node’s page with the node itself, and the proof profile in the settings with the service’s documentation.',
    }
  return {
    title: 'Proof can’t be checked',
    meaning: `A proof profile is set, but ${uncheckedWords(verdict)}`,
    next: 'Compare the proof profile in the settings with the service’s documentation.',
  }
}

/** Why a proof was not checked, worded as the end of a sentence. */
export const uncheckedWords = ({ reason, at }: Extract<ProofVerdict, { kind: 'not-checked' }>): string =>
  reason === 'member'
    ? `${UNCHECKED.member} ${at === undefined ? 'a field' : `the field ${at}`} that the proof covers.`
    : UNCHECKED[reason]

export const wrongProofWords = (reason: WrongProof): string => WRONG[reason]
