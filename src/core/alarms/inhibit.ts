import type { NodeKey } from '#fleet/live.ts'
import { SELF_KINDS, type AlarmId } from './alarm.ts'
import type { Instance } from './instance.ts'

/** Nodes that an alarm of more than one node explains. */
export type Reach = ReadonlyMap<AlarmId, ReadonlySet<NodeKey>>

const isOn = ({ phase }: Instance): boolean => phase === 'firing' || phase === 'recovering'

/** Own network and what keeps this screen from asking, before the key, before the service, before nodes. */
function rankOf({ kind, subject }: Instance): number {
  if (kind === 'clock-skew' || kind === 'round-too-long' || kind === 'blind') return 0
  if (subject.kind === 'screen')
    return kind === 'network' || kind === 'paused' || kind === 'unreachable' ? 3 : 0
  return subject.kind === 'key' ? 2 : subject.kind === 'service' ? 1 : 0
}

/** What no answer shows: it may be the rest of what is just ending. */
const SILENT: readonly string[] = ['unreachable', 'blind', 'paused', 'network']
const FAILING: readonly string[] = ['unreachable', 'rejected', 'key-rejected']
const NEVER: readonly string[] = [
  ...SELF_KINDS.filter((kind) => kind !== 'blind'),
  'clock-skew',
  'round-too-long',
]

/** For each alarm that a bigger one explains: which. */
export function inhibited(instances: Iterable<Instance>, reach: Reach): ReadonlyMap<AlarmId, AlarmId> {
  const all = Array.from(instances)
  const bigger = all.filter((one) => isOn(one) && rankOf(one) > 0).toSorted((a, b) => rankOf(b) - rankOf(a))
  const failing = new Map<NodeKey, AlarmId>()
  for (const one of all)
    if (one.subject.kind === 'node' && isOn(one) && FAILING.includes(one.kind))
      failing.set(one.subject.node, one.id)
  const found = new Map<AlarmId, AlarmId>()
  for (const one of all) {
    if (NEVER.includes(one.kind)) continue
    const by = bigger.find(
      (big) => rankOf(big) > rankOf(one) && !isNewSince(big, one) && explains(big, one, reach),
    )?.id
    const explained = by ?? (one.kind === 'blind' ? allFailing(reach.get(one.id), failing) : undefined)
    if (explained !== undefined) found.set(one.id, explained)
  }
  return found
}

/** An answer that came after the end of what kept answers away, and shows for the first time what is wrong. */
const isNewSince = ({ phase, goodSinceWallMs }: Instance, { kind, badSinceWallMs }: Instance): boolean =>
  phase === 'recovering' &&
  goodSinceWallMs !== undefined &&
  badSinceWallMs >= goodSinceWallMs &&
  !SILENT.includes(kind)

function explains(big: Instance, small: Instance, reach: Reach): boolean {
  const nodes = reach.get(big.id)
  // A screen's alarm of which nobody knows any more whom it touches stands for all.
  if (nodes === undefined) return big.subject.kind === 'screen' || isSameService(big, small)
  if (small.subject.kind === 'node') return nodes.has(small.subject.node)
  if (isSameService(big, small)) return true
  const own = reach.get(small.id)
  return own !== undefined && own.size > 0 && Array.from(own).every((key) => nodes.has(key))
}

const isSameService = ({ subject }: Instance, small: Instance): boolean =>
  'serviceId' in subject && 'serviceId' in small.subject && subject.serviceId === small.subject.serviceId

/** Nodes that do not answer, each of them for a reason that has an alarm of its own. */
function allFailing(
  blind: ReadonlySet<NodeKey> | undefined,
  failing: ReadonlyMap<NodeKey, AlarmId>,
): AlarmId | undefined {
  if (blind === undefined || blind.size === 0) return undefined
  let first: AlarmId | undefined
  for (const key of blind) {
    const by = failing.get(key)
    if (by === undefined) return undefined
    first ??= by
  }
  return first
}
