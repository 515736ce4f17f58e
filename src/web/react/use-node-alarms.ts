import type { AlarmId, AlarmsView, AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from './dashboard.ts'
import { previousOf, useRead } from './reads.ts'
import { useAlarms } from './use-fleet.ts'

const NONE: readonly AlarmView[] = []

/** Alarms of the node itself, alone or grouped; alarms of the whole service are left out. */
export function useNodeAlarms(node: NodeKey): readonly AlarmView[] {
  const { engine } = useDashboard()
  const view = useAlarms((now) => now)
  // The view lists only the first members of a large group, so the engine is queried for the others.
  const cut = view?.alarms.filter(isCut).map(({ id }) => id) ?? []
  const { data } = useRead({
    queryKey: ['alarms-of-node', node, cut, cut.length === 0 ? 0 : view?.revision],
    enabled: cut.length > 0,
    queryFn: async (): Promise<readonly AlarmId[]> => {
      const members = await Promise.all(cut.map((id) => engine.readAlarmMembers(id)))
      return cut.filter((_, place) => members[place]?.some((member) => member.node === node))
    },
    gcTime: 10_000,
    placeholderData: previousOf(node),
  })
  return view === undefined ? NONE : ownAlarms(view, node, data ?? [])
}

const isCut = ({ memberCount, members }: AlarmView): boolean =>
  memberCount > members.length && memberCount > 1

const ownAlarms = ({ alarms }: AlarmsView, node: NodeKey, groups: readonly AlarmId[]): readonly AlarmView[] =>
  alarms.filter(({ id, subject, members }) =>
    members.length > 0
      ? members.some((member) => member.node === node) || groups.includes(id)
      : subject.kind === 'node' && subject.node === node,
  )
