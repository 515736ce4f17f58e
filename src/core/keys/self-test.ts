import { bytesToHex } from '#base/bytes.ts'
import { fitsSignature } from './verify-signature.ts'
import { keyOfSeed, type Cryptography } from './make-key.ts'

/** RFC 8032, 7.1, TEST 3. */
const SEED = new Uint8Array([
  0xc5, 0xaa, 0x8d, 0xf4, 0x3f, 0x9f, 0x83, 0x7b, 0xed, 0xb7, 0x44, 0x2f, 0x31, 0xdc, 0xb7, 0xb1, 0x66, 0xd3,
  0x85, 0x35, 0x07, 0x6f, 0x09, 0x4b, 0x85, 0xce, 0x3a, 0x2e, 0x0b, 0x44, 0x58, 0xf7,
])
const MESSAGE = Uint8Array.of(0xaf, 0x82)
const PUBLIC_KEY = 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025'
const SIGNATURE =
  '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac' +
  '18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'

/** Whether signing as it is done here gives the published signature of a published key, bit by bit. Never throws. */
export async function signsRight(cryptography: Cryptography): Promise<boolean> {
  try {
    const key = await keyOfSeed(SEED, cryptography)
    const signature = await key.sign(MESSAGE)
    key.forget()
    return (
      bytesToHex(key.publicKey) === PUBLIC_KEY &&
      bytesToHex(signature) === SIGNATURE &&
      fitsSignature(key.publicKey, MESSAGE, signature)
    )
  } catch {
    return false // a browser that refuses the key does not sign right
  }
}
