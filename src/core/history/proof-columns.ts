/**
 * 32 bits of a proof's fingerprint; 0 where `HAS_PROOF` is not set in the flags. They are all but random, so that
 * nothing packs them: with 64 of them they were four fifths of all that is kept of a node whose record is
 * always new. Whether a proof changed is judged by its whole text, and is kept in the flags.
 */
export type ProofColumns = {
  readonly proof: Uint32Array<ArrayBuffer>
  readonly flags: Uint8Array<ArrayBuffer>
}

/** In the flags, beside what they say of counter and proof. */
export const HAS_PROOF = 4

const DIGITS = 8

/** What is kept of a fingerprint: its first 8 hex digits, by which one change in 4 billion looks like none. */
export const keptFingerprint = (fingerprint: string): string => fingerprint.slice(0, DIGITS)

/** `proof`: 8 hex digits. Anything else is no fingerprint. */
export function setProof(columns: ProofColumns, place: number, proof: string | undefined): void {
  const word = proof !== undefined && proof.length === DIGITS ? hexWord(proof) : -1
  columns.proof[place] = word === -1 ? 0 : word
  if (word !== -1) columns.flags[place] = (columns.flags[place] ?? 0) | HAS_PROOF
}

/** The proof's fingerprint, 8 hex digits; undefined where none is known. */
export function proofAt(columns: ProofColumns, place: number): string | undefined {
  if (((columns.flags[place] ?? 0) & HAS_PROOF) === 0) return undefined
  return (columns.proof[place] ?? 0).toString(16).padStart(DIGITS, '0')
}

const NO_DIGIT = 16

/** What each character stands for as a hex digit in lower case. */
const HEX_DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (const [digit, character] of Array.from('0123456789abcdef').entries())
  HEX_DIGITS[character.charCodeAt(0)] = digit

/**
 * The first eight hex digits, in lower case, as a number; -1 where there is anything else. Looked up, since which of
 * two ranges a digit lies in can't be foretold: that took a tenth of all that a sample takes.
 */
function hexWord(text: string): number {
  let word = 0
  let seen = 0
  for (let place = 0; place < DIGITS; place++) {
    const digit = HEX_DIGITS[text.charCodeAt(place)] ?? NO_DIGIT
    seen |= digit
    word = (word << 4) | digit
  }
  return seen < NO_DIGIT ? word >>> 0 : -1
}
