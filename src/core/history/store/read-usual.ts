import type { StoreState } from './store-state.ts'
import { readAllRollups } from './read-node.ts'
import { LANES_FORM } from './records.ts'
import {
  USUAL_MS,
  usualThreats,
  usualValues,
  type Usual,
  type UsualPart,
  type UsualQuery,
} from '#history/usual.ts'

const HOUR_MS = 3_600_000
/** Nodes whose seven days stay in memory, about 3 MB each: those that were looked at last. */
const NODES_MAX = 4

/** What was read of one node up to a time. */
export type KnownUsual = {
  readonly toMs: number
  /** Hours to which nothing comes any more, one after another; and what follows them. */
  readonly closed: readonly UsualPart[]
  readonly open: UsualPart
  readonly values: Omit<Usual, 'threats'>
  readonly isWhole: boolean
}

/** What was usual. Seven days are read once; from then on, only what came since. */
export async function readUsual(state: StoreState, { node, toMs, barMs }: UsualQuery): Promise<Usual> {
  const { usual } = state
  const held = usual.get(node)
  const known = held?.toMs === toMs ? held : await readKnown(state, node, toMs, held?.closed ?? [])
  // What is kept may have become another meanwhile, or could not be read: then this is not held on to.
  if (state.usual === usual && known.isWhole) {
    usual.delete(node)
    usual.set(node, known)
    for (const oldest of Array.from(usual.keys()).slice(0, -NODES_MAX)) usual.delete(oldest)
  }
  const threats = usualThreats([...known.closed, known.open], toMs, barMs)
  return { ...known.values, ...(threats && { threats }) }
}

async function readKnown(
  state: StoreState,
  node: string,
  toMs: number,
  held: readonly UsualPart[],
): Promise<KnownUsual> {
  const firstMs = toMs - USUAL_MS
  let isWhole = true
  const part = async (fromMs: number, endMs: number): Promise<UsualPart> => {
    const read = await readAllRollups(state, 'minute', { node, fromMs, toMs: endMs }, LANES_FORM)
    isWhole &&= read.isWhole
    return { minutes: read.rollups, fromMs, toMs: endMs }
  }
  const useful = held.filter((one) => one.toMs > firstMs && one.toMs <= toMs)
  const reaches = (useful[0]?.fromMs ?? toMs) <= firstMs
  const before = reaches ? useful : []
  const closedMs = before.at(-1)?.toMs ?? firstMs
  // An answer of the hour before may still come.
  const closeMs = Math.max(closedMs, (Math.floor(toMs / HOUR_MS) - 1) * HOUR_MS)
  const closed = closeMs > closedMs ? [...before, await part(closedMs, closeMs)] : before
  const open = await part(closeMs, toMs)
  return { toMs, closed, open, values: usualValues([...closed, open], toMs), isWhole }
}
