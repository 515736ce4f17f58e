import type { NodeKey } from '#fleet/live.ts'
import type { ServiceId } from '#record/service.ts'
import { isActive, isOn, type AlarmKind, type AlarmsView, type AlarmView } from './alarm.ts'

/** The state of a node's most urgent alarm. `quiet`: shelved or in maintenance. */
type AlarmMark = 'unack' | 'acked' | 'quiet'

/** Alarms of a service or key that apply to each of its nodes. */
const OF_ALL: readonly AlarmKind[] = ['unreachable', 'key-rejected', 'paused']

type Marks = {
  readonly nodes: ReadonlyMap<NodeKey, AlarmMark>
  readonly services: ReadonlyMap<ServiceId, AlarmMark>
}

const WORST_FIRST: readonly AlarmMark[] = ['unack', 'acked', 'quiet']
const worse = (one: AlarmMark | undefined, other: AlarmMark | undefined): AlarmMark | undefined =>
  WORST_FIRST.find((mark) => mark === one || mark === other)

/** Computed once per view, for all rows of a table. */
const known = new WeakMap<AlarmsView, Marks>()

/** Undefined if the node has no active alarm. In a large group only the members that the view lists have a mark. */
export function alarmMarkOf(
  view: AlarmsView | undefined,
  node: NodeKey,
  serviceId: ServiceId,
): AlarmMark | undefined {
  if (view === undefined) return undefined
  const marks = known.get(view) ?? marksIn(view)
  known.set(view, marks)
  return worse(marks.nodes.get(node), marks.services.get(serviceId))
}

function marksIn({ alarms }: AlarmsView): Marks {
  const nodes = new Map<NodeKey, AlarmMark>()
  const services = new Map<ServiceId, AlarmMark>()
  const add = <K>(marks: Map<K, AlarmMark>, key: K, mark: AlarmMark | undefined): void => {
    const next = worse(marks.get(key), mark)
    if (next !== undefined) marks.set(key, next)
  }
  for (const alarm of alarms) {
    const { subject, members } = alarm
    for (const member of members) add(nodes, member.node, markFor({ ...alarm, ...member }))
    if (members.length > 0) continue
    const mark = markFor(alarm)
    if (subject.kind === 'node') add(nodes, subject.node, mark)
    else if (subject.kind !== 'screen' && OF_ALL.includes(alarm.kind)) add(services, subject.serviceId, mark)
    else for (const node of alarm.nodes) add(nodes, node, mark)
  }
  return { nodes, services }
}

type Marked = Pick<AlarmView, 'phase' | 'acknowledged' | 'shelved' | 'maintenance' | 'inhibitedBy'>

function markFor(alarm: Marked): AlarmMark | undefined {
  if (isActive(alarm)) return alarm.acknowledged === undefined ? 'unack' : 'acked'
  return isOn(alarm) && alarm.inhibitedBy === undefined ? 'quiet' : undefined
}
