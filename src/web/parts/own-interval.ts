import type { Result } from '#base/result.ts'
import { draftOf, readFields, secondsField, type DraftOf, type FieldProblems } from '#react/form-draft.ts'
import { WatchedNodeSchema, type WatchedNode } from '#settings/schema.ts'

/** Seconds as typed; empty: the service's default. */
const FIELDS = { poll: secondsField('pollIntervalMs') }

export const pollTextOf = (node: WatchedNode): string => draftOf(FIELDS, node).poll

/** Sets the interval, and returns the same object if nothing changes; or the problem with the text. */
export function withPollText(
  node: WatchedNode,
  poll: string,
): Result<WatchedNode, FieldProblems<DraftOf<typeof FIELDS>>> {
  const read = readFields(WatchedNodeSchema, FIELDS, { poll }, node)
  return read.ok && read.value.pollIntervalMs === node.pollIntervalMs ? { ...read, value: node } : read
}
