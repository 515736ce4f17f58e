import type { AlarmKind, AlarmsView, AlarmView } from './alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { ServiceId } from '#record/service.ts'
import { isActive } from './alarm.ts'

/** How far somebody has dealt with what is wrong with a node; `quiet`: shelved, or in maintenance. */
export type AlarmMark = 'unack' | 'acked' | 'quiet'

/** What is wrong with a whole service or key is wrong with each of its nodes. */
const OF_ALL: readonly AlarmKind[] = ['unreachable', 'key-rejected', 'paused']

type Marks = {
  readonly nodes: ReadonlyMap<NodeKey, AlarmMark>
  readonly services: ReadonlyMap<ServiceId, AlarmMark>
}

const WORST_FIRST: readonly AlarmMark[] = ['unack', 'acked', 'quiet']
const worse = (one: AlarmMark | undefined, other: AlarmMark | undefined): AlarmMark | undefined =>
  WORST_FIRST.find((mark) => mark === one || mark === other)

/** Worked out once for all rows of a table. */
const known = new WeakMap<AlarmsView, Marks>()

/** The mark of a node; undefined where no alarm of it is on. Of a large group only the members that are told have one. */
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
  const isOn = alarm.phase === 'firing' || alarm.phase === 'recovering'
  return isOn && alarm.inhibitedBy === undefined ? 'quiet' : undefined
}
