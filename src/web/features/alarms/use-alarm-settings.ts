import type { AlarmSettings } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { problemOf, useSave } from '#parts/save.tsx'

type AlarmSettingsSave = {
  readonly alarms: AlarmSettings
  readonly problem: string | undefined
  /** Returns false if nothing was saved. */
  readonly save: (change: (alarms: AlarmSettings) => AlarmSettings) => boolean
}

/** The operator's rules and windows. */
export function useAlarmSettings(): AlarmSettingsSave {
  const { alarms } = useConfiguration().settings
  const { saved, save } = useSave()
  return {
    alarms,
    problem: problemOf(saved),
    save: (change) => save((now) => ({ ...now, alarms: change(now.alarms) })),
  }
}

export function freshId(prefix: string, taken: readonly { readonly id: string }[]): string {
  let number = taken.length + 1
  while (taken.some(({ id }) => id === `${prefix}-${number}`)) number++
  return `${prefix}-${number}`
}
