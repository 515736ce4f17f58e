import type { Result } from '#base/result.ts'
import { draftOf, readFields, secondsField, type FieldProblems, type Fields } from '#react/form-draft.ts'
import { WatchedNodeSchema, type WatchedNode } from '#settings/schema.ts'

/** In seconds, as typed; empty: as its service says. */
type Shown = { readonly poll: string }

const FIELDS: Fields<Shown> = { poll: secondsField('pollIntervalMs') }

export const pollTextOf = (node: WatchedNode): string => draftOf({ poll: '' }, FIELDS, node).poll

/** The node with this interval, the same object where it has it; or what is wrong with the text. */
export function withPollText(node: WatchedNode, poll: string): Result<WatchedNode, FieldProblems<Shown>> {
  const read = readFields(WatchedNodeSchema, FIELDS, { poll }, node)
  return read.ok && read.value.pollIntervalMs === node.pollIntervalMs ? { ...read, value: node } : read
}
