import { err, ok, type Result } from '#base/result.ts'

/** Hex digits after 0x; an Ed25519 key has 64. The interface specifies no length. */
const DIGITS_MAX = 128

export type NodeIdProblem = 'empty' | 'no-prefix' | 'not-hex' | 'too-long'

/**
 * Reads a typed id: "0x" and hex digits. Keeps their case, because a profile may send the id as typed; compare ids with
 * `sameNode`, never with `===`.
 */
export function parseNodeId(text: string): Result<string, NodeIdProblem> {
  const trimmed = text.trim()
  if (trimmed === '') return err('empty')
  if (!/^0x/i.test(trimmed)) return err('no-prefix')
  if (!/^0x[0-9a-f]+$/i.test(trimmed)) return err('not-hex')
  if (trimmed.length > DIGITS_MAX + 2) return err('too-long')
  return ok(trimmed)
}

/** The form in which ids are compared and used as keys: lower case, with "0x". */
export const canonicalNodeId = (text: string): string => {
  const lower = text.toLowerCase()
  return lower.startsWith('0x') ? lower : `0x${lower}`
}

/** Whether an answer is about the requested node. Ignores letter case and a missing 0x. */
export const sameNode = (requested: string, answered: string): boolean =>
  canonicalNodeId(requested) === canonicalNodeId(answered)

/** "0x7f3a…02e1": both ends, because ids often share a beginning. */
export const shortNodeId = (text: string): string =>
  text.length <= 14 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`
