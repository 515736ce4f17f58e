import { base64ToBytes, bytesToHex, hexToBytes, type Bytes } from '#base/bytes.ts'
import { err, ok, type Result } from '#base/result.ts'
import { pointProblem, PUBLIC_KEY_BYTES, SIGNATURE_BYTES, signatureProblem } from './ed25519-points.ts'
import type { JsonRecord } from '#record/json-record.ts'
import { hashOf } from '#signing/prehash.ts'
import { memberOf, type NodeIdRule, type ProofProfile } from './proof-profile.ts'
import { NODE_ID_MEMBER, PROOF_MEMBER } from '#record/field.ts'
import { parseTemplate } from '#signing/template-parts.ts'

/** What became of the check of one record's proof. */
export type ProofVerdict =
  | { readonly kind: 'verified' }
  | { readonly kind: 'wrong'; readonly reason: WrongProof }
  | { readonly kind: 'not-checked'; readonly reason: UncheckedProof; readonly at?: string }

/**
 * `mismatch`: the signature is not over this record by this key. `length`: no Ed25519 signature
 * has so many bytes. `weak`: key or signature are of a form that fits more than one message.
 * `other-node`: the node id is not made from the key.
 */
export type WrongProof = 'mismatch' | 'length' | 'weak' | 'other-node'

/**
 * `member`: the record lacks the member `at`, or it is no text, number or yes/no. `key`: there is
 * no public key of 32 bytes where the profile says. `too-long`: the text has more than 64 KiB.
 * `busy`: checking every record would take more time than this browser has. `no-verifier`: this
 * screen can't check signatures.
 */
export type UncheckedProof = 'member' | 'key' | 'too-long' | 'busy' | 'no-verifier'

/** One question for a verifier. */
export type ProofStatement = {
  /** The canonical form of the record, as it was filled in. */
  readonly text: string
  /** What was signed: the text in UTF-8, or its hash. */
  readonly message: Bytes
  readonly publicKey: Bytes
  readonly signature: Bytes
}

export const STATEMENT_CHARS_MAX = 65_536

/** The text that a proof is over, with a record's members filled in as they were written. */
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

/** What has to be verified, or the verdict where nothing has to be. Never throws. */
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
  if (signature === undefined) return notChecked('member', PROOF_MEMBER)
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

/** Longer than any key, id or signature in hex; what is longer is not read. */
const TEXT_CHARS_MAX = 256

const hexOf = (value: unknown): Bytes | undefined =>
  typeof value === 'string' && value.length <= TEXT_CHARS_MAX
    ? hexToBytes(value.replace(/^0x/i, ''))
    : undefined

function isMadeFrom(nodeId: Bytes | undefined, publicKey: Bytes, { hash, bytes, end }: NodeIdRule): boolean {
  const whole = hash === 'none' ? publicKey : hashOf(hash, publicKey)
  const count = Math.min(bytes ?? whole.length, whole.length)
  const id = end === 'first' ? whole.slice(0, count) : whole.slice(whole.length - count)
  return nodeId !== undefined && bytesToHex(nodeId) === bytesToHex(id)
}
