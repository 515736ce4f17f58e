import { base64ToBytes, bytesToHex, hexToBytes, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import type { JsonRecord } from '#record/json-record.ts'
import { hashOf } from '#signing/signing-values.ts'
import { memberOf, type NodeIdRule, type ProofProfile } from './proof-profile.ts'
import { NODE_ID_MEMBER, PROOF_MEMBER } from '#record/member-names.ts'
import { parseTemplate } from '#signing/template.ts'

export type ProofVerdict =
  | { readonly kind: 'verified' }
  | { readonly kind: 'wrong'; readonly reason: WrongProof }
  | { readonly kind: 'not-checked'; readonly reason: UncheckedProof; readonly at?: string }

/**
 * `mismatch`: the signature does not match this record and key. `length`: not the length of an Ed25519 signature. `weak`: key
 * or signature has a form that fits more than one message. `other-node`: the node id is not derived from the key.
 */
export type WrongProof = 'mismatch' | 'length' | 'weak' | 'other-node'

/**
 * `member`: the record lacks the member `at`, or it is not a string, number or boolean. `key`: the profile's source has no
 * public key of 32 bytes. `too-long`: the text exceeds 64 KiB. `busy`: checking every record would take more time than this
 * browser has.
 */
export type UncheckedProof = 'member' | 'key' | 'too-long' | 'busy'

export type ProofStatement = {
  /** The canonical form of the record with its values. */
  readonly text: string
  /** The signed bytes: the text in UTF-8, or its hash. */
  readonly message: Bytes
  readonly publicKey: Bytes
  readonly signature: Bytes
}

export const STATEMENT_CHARS_MAX = 65_536

/** Fills the template with the record's members as written. */
export function proofText(
  { template }: ProofProfile,
  json: JsonRecord,
): Result<string, Extract<ProofVerdict, { kind: 'not-checked' }>> {
  const parts = parseTemplate(template)
  let text = ''
  for (const part of parts.ok ? parts.value : []) {
    const value = part.kind === 'text' ? part.text : memberText(part.name, json)
    if (value === undefined && part.kind === 'placeholder')
      return notChecked('member', memberOf(part.name)?.name ?? part.name)
    text += value ?? ''
    if (text.length > STATEMENT_CHARS_MAX) return notChecked('too-long')
  }
  return ok(text)
}

/** The statement to verify, or the verdict if there is nothing to verify. Never throws. */
export function proofStatement(
  profile: ProofProfile,
  json: JsonRecord,
): Result<ProofStatement, Exclude<ProofVerdict, { kind: 'verified' }>> {
  const text = proofText(profile, json)
  if (!text.ok) return text
  const nodeId = hexOf(json.value(NODE_ID_MEMBER))
  const publicKey = publicKeyOf(profile.key, json, nodeId)
  if (publicKey?.length !== PUBLIC_KEY_BYTES) return notChecked('key')
  const signature = hexOf(json.value(PROOF_MEMBER))
  if (signature === undefined)
    return isLongHex(json.value(PROOF_MEMBER)) ? wrong('length') : notChecked('member', PROOF_MEMBER)
  if (signature.length !== SIGNATURE_BYTES) return wrong('length')
  if (pointProblem(publicKey) !== undefined || signatureProblem(signature) !== undefined) return wrong('weak')
  const { key, prehash } = profile
  if (key.from === 'member' && !isMadeFrom(nodeId, publicKey, key.nodeId)) return wrong('other-node')
  const bytes = new TextEncoder().encode(text.value)
  const message = prehash === undefined ? bytes : hashOf(prehash, bytes)
  return ok({ text: text.value, message, publicKey, signature })
}

const wrong = (reason: WrongProof) => err({ kind: 'wrong', reason } as const)

const notChecked = (reason: UncheckedProof, at?: string) =>
  err({ kind: 'not-checked', reason, ...(at !== undefined && { at }) } as const)

function memberText(placeholder: string, json: JsonRecord): string | undefined {
  const member = memberOf(placeholder)
  if (member === undefined) return undefined
  const written = json.scalarText(member.name)
  const value = json.value(member.name)
  return member.form === 'text' && typeof value === 'string' ? value : written
}

function publicKeyOf(
  key: ProofProfile['key'],
  json: JsonRecord,
  nodeId: Bytes | undefined,
): Bytes | undefined {
  if (key.from === 'node-id') return nodeId
  if (key.from === 'fixed') return hexToBytes(key.hex)
  const value = json.value(key.name)
  if (key.encoding === 'hex') return hexOf(value)
  return typeof value === 'string' && value.length <= TEXT_CHARS_MAX ? base64ToBytes(value) : undefined
}

/** Longer than any key, id or signature in hex. */
const TEXT_CHARS_MAX = 256

const hexOf = (value: unknown): Bytes | undefined =>
  typeof value === 'string' && value.length <= TEXT_CHARS_MAX
    ? hexToBytes(value.replace(/^0x/i, ''))
    : undefined

const isLongHex = (value: unknown): boolean =>
  typeof value === 'string' && value.length > TEXT_CHARS_MAX && /^(?:0x)?[\da-f]*$/i.test(value)

function isMadeFrom(nodeId: Bytes | undefined, publicKey: Bytes, { hash, bytes, end }: NodeIdRule): boolean {
  const whole = hash === 'none' ? publicKey : hashOf(hash, publicKey)
  const count = Math.min(bytes ?? whole.length, whole.length)
  const id = end === 'first' ? whole.slice(0, count) : whole.slice(whole.length - count)
  return nodeId !== undefined && bytesToHex(nodeId) === bytesToHex(id)
}

export const PUBLIC_KEY_BYTES = 32
const SIGNATURE_BYTES = 64

/** The field prime and the order of the base point, RFC 8032 section 5.1. */
const P = 2n ** 255n - 19n
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
/** The y coordinate of two points of order eight; two more have its negative. */
const ORDER_EIGHT_Y =
  2_707_385_501_144_840_649_318_225_287_225_658_788_936_804_267_575_313_519_463_743_609_750_303_402_022n

/** The y coordinates of the eight points of small order. */
const SMALL_ORDER_Y: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, ORDER_EIGHT_Y, P - ORDER_EIGHT_Y])

export type PointProblem = 'not-canonical' | 'small-order'

/**
 * Checks an encoded point before any computation. With a key of small order one signature fits every message, and a second
 * encoding of a point would be a second identity. Verifiers differ in which of these they accept, and one crashes on them.
 */
export function pointProblem(encoded: Uint8Array): PointProblem | undefined {
  const y = yOf(encoded)
  if (y >= P) return 'not-canonical'
  return SMALL_ORDER_Y.has(y) ? 'small-order' : undefined
}

type SignatureProblem = 'wrong-length' | 's-not-canonical' | PointProblem

/** Checks a signature's form, independent of any message. */
export function signatureProblem(signature: Uint8Array): SignatureProblem | undefined {
  if (signature.length !== SIGNATURE_BYTES) return 'wrong-length'
  if (littleEndian(signature.subarray(32)) >= L) return 's-not-canonical'
  return pointProblem(signature.subarray(0, 32))
}

/** The y coordinate: 255 bits. The last bit is the sign of x, which does not matter here. */
const yOf = (encoded: Uint8Array): bigint => littleEndian(encoded) & (2n ** 255n - 1n)

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${bytesToHex(bytes.toReversed())}`)
