import { err, ok, type Result } from '#base/result.ts'
import { publicKeyOf } from './nacl-signer.ts'
import { decodeBase64, decodeHex, hexDigits, isPrintable, trimmed } from './seed-text.ts'
import { SEED_BYTES } from './signing-key.ts'

export type SeedProblem = 'empty' | 'not-a-seed' | 'wrong-length' | 'public-half-differs'

/** No accepted form is longer than 200 bytes; what is longer is some other file and is not looked at. */
export const SEED_INPUT_BYTES_MAX = 4_096

/** Seed and public key, one after the other: what many tools call the secret key. */
const SECRET_BYTES = 2 * SEED_BYTES

/**
 * Reads a seed and lends it to `use`: 32 raw bytes, or hex (with or without 0x), base64 or
 * base64url of them, with white space around. The 64 bytes of seed and public key are taken
 * only when the public half is the seed's own. Afterwards every buffer is zero, `input` included.
 */
export async function spendSeed<T>(
  input: Uint8Array,
  use: (seed: Uint8Array) => Promise<T>,
): Promise<Result<T, SeedProblem>> {
  let secret: Uint8Array | undefined
  try {
    const read = readSecret(input)
    if (!read.ok) return read
    secret = read.value
    const seed = secret.subarray(0, SEED_BYTES)
    if (secret.length === SECRET_BYTES && !same(publicKeyOf(seed), secret.subarray(SEED_BYTES)))
      return err('public-half-differs')
    return ok(await use(seed))
  } finally {
    secret?.fill(0)
    input.fill(0)
  }
}

const isSecretLength = (length: number): boolean => length === SEED_BYTES || length === SECRET_BYTES

/** 32 or 64 bytes in a buffer that is the caller's to zero. */
function readSecret(input: Uint8Array): Result<Uint8Array, SeedProblem> {
  if (input.length > SEED_INPUT_BYTES_MAX) return err('not-a-seed')
  // Raw bytes are not trimmed: a seed may end with what would be a newline in a text. Of
  // random seeds one in 10^13 looks like a text; it can still be given as hex.
  if (!isPrintable(input)) return isSecretLength(input.length) ? ok(input.slice()) : err('not-a-seed')
  const text = trimmed(input)
  if (text.length === 0) return err('empty')
  const candidates = [decodeHex(text), decodeBase64(text)]
  // Hex digits are base64 digits too; the two never agree on a length that a seed can have.
  const secret = candidates.find((candidate) => candidate !== undefined && isSecretLength(candidate.length))
  for (const candidate of candidates) if (candidate !== secret) candidate?.fill(0)
  if (secret !== undefined) return ok(secret)
  // An odd number of hex digits is no hex, but clearly was meant to be.
  const isMeant = hexDigits(text) !== undefined || candidates.some((candidate) => candidate !== undefined)
  return err(isMeant ? 'wrong-length' : 'not-a-seed')
}

const same = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, at) => byte === b[at])
