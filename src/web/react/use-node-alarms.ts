import { useMemo } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from './dashboard.ts'
import { useRead } from './reads.ts'
import { useAlarms } from './use-fleet.ts'

const NONE: readonly AlarmView[] = []

/** The alarms with all their members. The view lists only the first ones of a large group; the engine is asked for the others. */
export function useAllMembers(alarms: readonly AlarmView[]): readonly AlarmView[] {
  const { engine } = useDashboard()
  const revision = useAlarms((view) => view?.revision)
  const cut = alarms.filter(isCut).map(({ id }) => id)
  const { data } = useRead({
    queryKey: ['all-members', cut, cut.length === 0 ? 0 : revision],
    enabled: cut.length > 0,
    queryFn: async () =>
      new Map(await Promise.all(cut.map(async (id) => [id, await engine.readAlarmMembers(id)] as const))),
    gcTime: 10_000,
    placeholderData: (before) => before,
    structuralSharing: false,
  })
  return useMemo(
    () =>
      alarms.map((alarm) => {
        const members = isCut(alarm) ? data?.get(alarm.id) : undefined
        return members === undefined ? alarm : { ...alarm, members }
      }),
    [alarms, data],
  )
}

const isCut = ({ members, memberCount }: AlarmView): boolean =>
  memberCount > 1 && memberCount > members.length

/** Alarms of the node itself, alone or grouped; alarms of the whole service are left out. */
export const useNodeAlarms = (node: NodeKey): readonly AlarmView[] =>
  useAllMembers(useAlarms((view) => view?.alarms) ?? NONE).filter(({ subject, members }) =>
    members.length > 0
      ? members.some((member) => member.node === node)
      : subject.kind === 'node' && subject.node === node,
  )
