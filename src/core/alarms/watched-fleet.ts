import { isCurrentAt } from '#fleet/assessment.ts'
import {
  pollIntervalOf,
  type AssessedNode,
  type NodeKey,
  type NodeLive,
  type ServiceLive,
} from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmSubject } from './alarm.ts'
import type { LastAnswer } from './shared-rules.ts'

export type PolledNode = { readonly node: AssessedNode; readonly service: ServiceLive }

export function createWatchedFleet() {
  const polls = new Map<NodeKey, number>()
  const lastAnswers = new Map<NodeKey, LastAnswer>()
  const intervals = createIntervals(lastAnswers)
  const services = new Set<ServiceId>()
  let key: 'unknown' | 'awaited' | 'had' = 'unknown'

  const polledOf = (node: AssessedNode, now: FleetSnapshot, awakeMs: number): readonly PolledNode[] => {
    const made = node.answered + node.failed
    const before = polls.get(node.key)
    if (before === made) return []
    polls.set(node.key, made)
    if (!lastAnswers.has(node.key)) lastAnswers.set(node.key, { awakeMs: undefined, sinceMs: awakeMs })
    const service = now.services.get(node.serviceId)
    if (made === 0 || service === undefined) return []
    // An answer from an earlier session is not new.
    const isNews = before !== undefined || node.episode !== undefined
    const isCurrent = isCurrentAt(node, now.nowMs)
    if (!isNews && !isCurrent) return []
    if (node.episode === undefined && isCurrent) lastAnswers.set(node.key, { awakeMs, sinceMs: awakeMs })
    return [{ node, service }]
  }

  return {
    lastAnswers,
    polled: (now: FleetSnapshot, before: FleetSnapshot | undefined, awakeMs: number): readonly PolledNode[] =>
      before?.nodes === now.nodes
        ? []
        : Array.from(now.nodes.values())
            .filter((node) => before?.nodes.get(node.key) !== node)
            .flatMap((node) => polledOf(node, now, awakeMs)),
    noteIntervals: intervals.note,
    /**
     * Until the first key is set, only its absence matters: nothing is notified, and silence counts from when polling begins.
     */
    noteKey: ({ nodes }: FleetSnapshot, awakeMs: number): boolean => {
      if (key === 'had') return false
      const all = Array.from(nodes.values())
      const wasAwaited = key === 'awaited'
      key = all.some(showsKey) ? 'had' : all.some(lacksKey) ? 'awaited' : 'unknown'
      if (wasAwaited && key !== 'awaited')
        for (const node of lastAnswers.keys()) lastAnswers.set(node, { awakeMs: undefined, sinceMs: awakeMs })
      return key === 'had'
    },
    awaitsKey: (): boolean => key === 'awaited',
    hadKey: (): boolean => key === 'had',
    wasWatched: (subject: AlarmSubject): boolean =>
      subject.kind === 'node'
        ? lastAnswers.has(subject.node)
        : 'serviceId' in subject && services.has(subject.serviceId),
    leave: (now: FleetSnapshot): ReadonlySet<NodeKey> => {
      const left = new Set(Array.from(lastAnswers.keys()).filter((node) => !now.nodes.has(node)))
      for (const node of left) {
        polls.delete(node)
        lastAnswers.delete(node)
        intervals.forget(node)
      }
      services.clear()
      for (const { serviceId } of now.nodes.values()) services.add(serviceId)
      return left
    },
    pollsOf: (nodes: Iterable<NodeKey>): readonly (readonly [NodeKey, number])[] =>
      Array.from(new Set(nodes)).flatMap((node) => {
        const made = polls.get(node)
        return made === undefined ? [] : [[node, made] as const]
      }),
    restore: (made: Iterable<readonly [NodeKey, number]>, hadKey: boolean): void => {
      for (const [node, count] of made) polls.set(node, count)
      key = hadKey ? 'had' : 'unknown'
    },
  }
}

/** When a node's interval is shortened, its silence starts over, because the longer interval explains what came before. */
function createIntervals(lastAnswers: Map<NodeKey, LastAnswer>) {
  const intervals = new Map<NodeKey, number>()
  return {
    note: (now: FleetSnapshot, before: FleetSnapshot | undefined, awakeMs: number): void => {
      if (before?.nodes === now.nodes && before.services === now.services) return
      for (const node of now.nodes.values()) {
        const intervalMs = pollIntervalOf(node, now.services.get(node.serviceId))
        const last = lastAnswers.get(node.key)
        if (last !== undefined && intervalMs < (intervals.get(node.key) ?? 0)) {
          const answeredMs = last.awakeMs === undefined ? undefined : awakeMs
          lastAnswers.set(node.key, { awakeMs: answeredMs, sinceMs: awakeMs })
        }
        intervals.set(node.key, intervalMs)
      }
    },
    forget: (node: NodeKey): boolean => intervals.delete(node),
  }
}

const lacksKey = ({ episode }: NodeLive): boolean => episode?.failure.kind === 'no-key'

const showsKey = (node: NodeLive): boolean =>
  node.answered + node.failed > 0 ||
  node.reading !== undefined ||
  (node.episode !== undefined && !lacksKey(node))
