import type { AlarmSettings } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { problemOf, useSave } from '#parts/save.tsx'

type ListName = keyof Pick<AlarmSettings, 'rules' | 'maintenance' | 'builtIn'>

/** One of the operator's lists, and a function that saves an edited one; it returns false if nothing was saved. */
export function useAlarmList<N extends ListName>(name: N) {
  const { alarms } = useConfiguration().settings
  const { saved, save } = useSave()
  return {
    items: alarms[name],
    problem: problemOf(saved),
    change: (edit: (now: AlarmSettings[N]) => AlarmSettings[N]): boolean =>
      save((now) => ({ ...now, alarms: { ...now.alarms, [name]: edit(now.alarms[name]) } })),
  }
}

export function freshId(prefix: string, taken: readonly { readonly id: string }[]): string {
  let number = taken.length + 1
  while (taken.some(({ id }) => id === `${prefix}-${number}`)) number++
  return `${prefix}-${number}`
}
