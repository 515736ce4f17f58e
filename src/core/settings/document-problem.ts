import * as v from 'valibot'
import { err, ok, type Result } from '#base/result.ts'

export type PlainKind = 'not-a-number' | 'not-a-percentage' | 'not-whole' | 'empty'

export type FieldProblem =
  | { readonly kind: PlainKind }
  | { readonly kind: 'out-of-range'; readonly min: number; readonly max: number }
  | { readonly kind: 'too-long' | 'too-many'; readonly max: number }
  /** In the schema's words. */
  | { readonly kind: 'other'; readonly message: string }

/** One thing that is wrong with a document: where, and what to do. `message` is the schema's. */
export type DocumentProblem = { readonly path: string; readonly message: string }

/** The same, for the screen, which has words of its own. */
export type ValueProblem = DocumentProblem & { readonly problem: FieldProblem }

const PROBLEMS_MAX = 20

/** A document by its schema, or the first 20 things that are wrong with it. */
export function parseBy<const TSchema extends v.GenericSchema>(
  schema: TSchema,
  input: unknown,
): Result<v.InferOutput<TSchema>, readonly ValueProblem[]> {
  const parsed = v.safeParse(schema, input)
  if (parsed.success) return ok(parsed.output)
  return err(
    parsed.issues.slice(0, PROBLEMS_MAX).map((issue) => ({
      path: v.getDotPath(issue) ?? '',
      message: issue.message,
      problem: problemOf(issue, schema, input),
    })),
  )
}

/** Names of members that hold what nobody else may know, however they are written. */
const SECRET =
  /^(.*(private|secret|password|passphrase|passwd|mnemonic|credential|token|api[-_]?key|access[-_]?key).*|key|seed|pin|auth|authorization|bearer|jwt)$/i
/** Only the server reads these, and tells no browser. */
const OF_SERVER: readonly string[] = ['receivers', 'queryApis']
/** Documents of their own, whose members are named otherwise: how a token is sent is no token. */
const DOCUMENTS: readonly string[] = ['profile', 'proof']
const PUBLIC_KEY = /^[0-9a-f]{64}$/
const DEPTH_MAX = 32

/** The same for a document that every visitor can read: what looks like a secret is named first. */
export function parsePublicBy<const TSchema extends v.GenericSchema>(
  schema: TSchema,
  input: unknown,
): Result<v.InferOutput<TSchema>, readonly ValueProblem[]> {
  const parsed = parseBy(schema, input)
  if (parsed.ok) return parsed
  const secrets = secretsIn(input, [])
  const others = parsed.error.filter(({ path }) => !secrets.includes(path))
  return err(
    [
      ...secrets.map((path): ValueProblem => {
        const message =
          'keys and other secrets do not belong into a file that every visitor can read: take it out, and replace it wherever it is used, since it may have been read'
        return { path, message, problem: { kind: 'other', message } }
      }),
      ...others,
    ].slice(0, PROBLEMS_MAX),
  )
}

function secretsIn(value: unknown, path: readonly string[]): readonly string[] {
  if (typeof value !== 'object' || value === null || path.length > DEPTH_MAX) return []
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const here = [...path, name]
    if (path.length === 0 && OF_SERVER.includes(name)) return []
    if (DOCUMENTS.includes(name)) return []
    const isPublicKey = name === 'key' && typeof member === 'string' && PUBLIC_KEY.test(member)
    if (!Array.isArray(value) && SECRET.test(name) && !isPublicKey) return [here.join('.')]
    return secretsIn(member, here)
  })
}

/** What an issue says of one value, in a form that the screen has words for. */
export function problemOf(
  issue: v.BaseIssue<unknown>,
  schema: v.GenericSchema,
  document: unknown,
): FieldProblem {
  const max = Number(issue.requirement)
  switch (issue.type) {
    case 'min_value':
    case 'max_value':
      return { kind: 'out-of-range', ...rangeAt(schema, document, v.getDotPath(issue) ?? '') }
    case 'max_length':
      return { kind: Array.isArray(issue.input) ? 'too-many' : 'too-long', max }
    case 'min_length':
      return { kind: 'empty' }
    case 'integer':
      return { kind: 'not-whole' }
    case 'number':
      return { kind: 'not-a-number' }
    default:
      return { kind: 'other', message: issue.message }
  }
}

/** An issue names only the end that was passed; the schema is asked for both, with numbers far beyond them. */
function rangeAt(schema: v.GenericSchema, document: unknown, path: string): { min: number; max: number } {
  const boundOf = (type: string, beyond: number): number => {
    const { issues = [] } = v.safeParse(schema, withMember(document, path.split('.'), beyond))
    const found = issues.find((issue) => issue.type === type && v.getDotPath(issue) === path)
    return found === undefined ? beyond : Number(found.requirement)
  }
  return {
    min: boundOf('min_value', Number.MIN_SAFE_INTEGER),
    max: boundOf('max_value', Number.MAX_SAFE_INTEGER),
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The document with another value at a path, and without a member where that is undefined. */
export function withMember(document: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (Array.isArray(document)) {
    const place = Number(name)
    return document.with(place, withMember(document[place], rest, value))
  }
  const members = isObject(document) ? document : {}
  const next = withMember(members[name], rest, value)
  const { [name]: _before, ...others } = members
  if (next !== undefined) return { ...members, [name]: next }
  return isObject(document) ? others : undefined
}
