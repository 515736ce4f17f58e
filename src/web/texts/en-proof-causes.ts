import type { ProofVerdict, UncheckedProof, WrongProof } from '#proof/proof-statement.ts'
import type { FailureWords } from './failure-words.ts'

const WRONG: Readonly<Record<WrongProof, string>> = {
  mismatch:
    'The signature in cryptographic_proof is not one over this record by the node’s key: the record was changed on its way, somebody else made it, or the service signs another text than the proof profile says.',
  length: 'cryptographic_proof is not as long as an Ed25519 signature, which has 64 bytes.',
  weak: 'The key or the signature is of a form that fits more than one message, so it proves nothing.',
  'other-node': 'The key that signed is not the one that this node id is made from.',
}

const UNCHECKED: Readonly<Record<UncheckedProof, string>> = {
  member: 'the record lacks',
  key: 'there is no public key of 32 bytes where the proof profile says.',
  'too-long': 'the text that is signed would be longer than 64 KiB.',
  busy: 'checking every record would take more time than this browser has.',
  'no-verifier': 'this screen can’t check signatures.',
}

/** What a proof that is wrong, or that can't be checked, means and asks for. */
export function proofWords(verdict: Exclude<ProofVerdict, { kind: 'verified' }>): FailureWords {
  if (verdict.kind === 'wrong')
    return {
      title: 'The proof of the record is wrong',
      meaning: `${WRONG[verdict.reason]} Nothing in the record is vouched for.`,
      next: 'Compare the record with what the node itself says. The node’s page has the record as it came, and the settings show the text that is verified.',
    }
  return {
    title: 'The proof can’t be checked',
    meaning: `A proof profile is set, but ${uncheckedWords(verdict)}`,
    next: 'Compare the proof profile in the settings with what the service’s owner says about proofs.',
  }
}

/** Why a proof was not checked, as the end of a sentence. */
export const uncheckedWords = ({ reason, at }: Extract<ProofVerdict, { kind: 'not-checked' }>): string =>
  reason === 'member'
    ? `${UNCHECKED.member} ${at === undefined ? 'a member' : `the member ${at}`} that the proof is over.`
    : UNCHECKED[reason]

export const wrongProofWords = (reason: WrongProof): string => WRONG[reason]
