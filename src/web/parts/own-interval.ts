import type { Result } from '#base/result.ts'
import { draftOf, readFields, secondsField, type FieldProblems, type Fields } from '#settings/form-draft.ts'
import { WatchedNodeSchema } from '#settings/settings-documents.ts'
import type { WatchedNode } from '#settings/settings.ts'

/** In seconds, as typed; empty: as its service says. */
type Shown = { readonly poll: string }

const FIELDS: Fields<Shown> = { poll: secondsField('pollIntervalMs') }

export const pollTextOf = (node: WatchedNode): string => draftOf({ poll: '' }, FIELDS, node).poll

/** The node with this interval, the same object where it has it; or what is wrong with the text. */
export function withPollText(node: WatchedNode, poll: string): Result<WatchedNode, FieldProblems<Shown>> {
  const read = readFields(WatchedNodeSchema, FIELDS, { poll }, node)
  return read.ok && read.value.pollIntervalMs === node.pollIntervalMs ? { ...read, value: node } : read
}
