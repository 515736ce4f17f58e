import * as v from 'valibot'
import { Label, PublicKeyHex, whole } from '#base/schemas.ts'
import { isProofProfileId, type ProofProfileId } from '#signing/preset-ids.ts'
import { PROOF_MEMBER } from '#record/member-names.ts'
import { parseTemplate, placeholdersOf } from '#signing/template.ts'

/** {raw.NAME}: a member's value as the service wrote it. {text.NAME}: a string's content without quotes and escapes. */
const PLACEHOLDER = /^(raw|text)\.([A-Za-z0-9_-]{1,64})$/

const MemberName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'is not the name of a member: letters, digits, _ and -'),
)

const StatementTemplate = v.pipe(
  v.string(),
  v.minLength(1, 'is empty'),
  v.maxLength(4_096),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const problem = templateProblem(dataset.value)
    if (problem !== undefined) addIssue({ message: problem })
  }),
)

/** How a node id is derived from a public key: the key itself, or the first or last bytes of its hash. */
const NodeIdRule = v.strictObject({
  hash: v.picklist(['none', 'sha-256', 'sha-512']),
  bytes: v.optional(whole(16, 64)),
  end: v.optional(v.picklist(['first', 'last']), 'first'),
})

const KeySource = v.variant('from', [
  v.strictObject({ from: v.literal('node-id') }),
  /** The record contains the key. That proves something only because the node id is derived from it. */
  v.strictObject({
    from: v.literal('member'),
    name: MemberName,
    encoding: v.picklist(['hex', 'base64']),
    nodeId: NodeIdRule,
  }),
  /** One key signs for every node of the service. */
  v.strictObject({ from: v.literal('fixed'), hex: PublicKeyHex }),
])

/**
 * How `cryptographic_proof` is checked, as data: a 64-byte Ed25519 signature in hex over a text built from the record's
 * members. Contains no expressions and no code.
 */
export const ProofProfileSchema = v.strictObject({
  v: v.optional(v.literal(1), 1),
  title: v.optional(Label),
  scheme: v.literal('ed25519'),
  /** The canonical form of the record in UTF-8, with {raw.NAME} and {text.NAME}. */
  template: StatementTemplate,
  /** The signature is over the bytes of this hash instead of the text. */
  prehash: v.optional(v.picklist(['sha-256', 'sha-512'])),
  key: KeySource,
})

export type ProofProfile = v.InferOutput<typeof ProofProfileSchema>
export type KeySource = ProofProfile['key']
export type NodeIdRule = v.InferOutput<typeof NodeIdRule>

/** A built-in proof profile's id, or a document. Absent: proofs are not checked. */
export const ProofSetting = v.union([
  v.pipe(v.string(), v.check(isProofProfileId, 'is not a built-in proof profile')),
  ProofProfileSchema,
])

/** The member of a placeholder, and how it is written. */
export function memberOf(
  placeholder: string,
): { readonly form: 'raw' | 'text'; readonly name: string } | undefined {
  const [, form, name] = PLACEHOLDER.exec(placeholder) ?? []
  return name !== undefined && (form === 'raw' || form === 'text') ? { form, name } : undefined
}

function templateProblem(template: string): string | undefined {
  const parts = parseTemplate(template)
  if (!parts.ok) return `has a brace that is not closed or not doubled, at ${parts.error.at}`
  const names = parts.value.flatMap((part) => (part.kind === 'placeholder' ? [part.name] : []))
  const unknown = names.find((name) => memberOf(name) === undefined)
  if (unknown !== undefined)
    return `names {${unknown.slice(0, 40)}}; it may name only {raw.MEMBER} and {text.MEMBER} of the record`
  if (names.some((name) => memberOf(name)?.name === PROOF_MEMBER))
    return `names ${PROOF_MEMBER} itself, which no proof can cover`
  return names.length === 0 ? 'names no member of the record, so every record would match' : undefined
}

/** The members covered by version 1, even if records get more. */
const V1_MEMBERS = [
  'node_id',
  'status',
  'stake_deployed',
  'network_participation',
  'threat_responses_executed',
  'last_heartbeat',
]

/**
 * Built-in proof profiles. `record-v1` is our own, because the interface specifies none; the reference service's nodes sign it.
 */
export const PROOF_PROFILES: Readonly<Record<ProofProfileId, ProofProfile & { readonly title: string }>> = {
  'record-v1': {
    v: 1,
    title: 'Each member as written, by the node’s key',
    scheme: 'ed25519',
    template: ['immune-node-record-v1', ...V1_MEMBERS.map((name) => `${name}={raw.${name}}`)].join('\n'),
    key: { from: 'node-id' },
  },
}

/** Members that could be changed without invalidating the proof. */
export function membersNotCovered({ template }: ProofProfile, members: readonly string[]): readonly string[] {
  const covered = new Set(placeholdersOf(template).map((placeholder) => memberOf(placeholder)?.name))
  return members.filter((name) => name !== PROOF_MEMBER && !covered.has(name))
}

export const proofProfileOf = ({
  proof,
}: {
  readonly proof?: string | ProofProfile | undefined
}): ProofProfile | undefined => {
  if (typeof proof !== 'string') return proof
  return isProofProfileId(proof) ? PROOF_PROFILES[proof] : undefined
}
