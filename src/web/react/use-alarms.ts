import type { AlarmsView } from '#alarms/alarm.ts'
import { useDashboard } from './dashboard.ts'
import { useStore } from './use-store.ts'

/** What is picked of the alarms; undefined before they were evaluated. */
export const useAlarms = <S>(select: (view: AlarmsView | undefined) => S): S =>
  useStore(useDashboard().alarms, select)
