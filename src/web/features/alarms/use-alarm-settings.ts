import { useState } from 'react'
import type { AlarmSettings } from '#settings/schema.ts'
import { parseSettings } from '#settings/documents.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { valueProblemText } from '#texts/en-field-problems.ts'
import { alarmRuleTexts as words } from '#texts/en-alarm-rules.ts'

type AlarmSettingsSave = {
  readonly alarms: AlarmSettings
  /** Why the change is invalid or could not be stored; undefined if all is well. */
  readonly problem: string | undefined
  /** Returns false if nothing was saved. */
  readonly save: (change: (alarms: AlarmSettings) => AlarmSettings) => boolean
}

/** The operator's rules and windows. A change that could not be read back is never stored. */
export function useAlarmSettings(): AlarmSettingsSave {
  const { configuration, saveSettings } = useDashboard()
  const { alarms } = useConfiguration().settings
  const [problem, setProblem] = useState<string>()
  const save: AlarmSettingsSave['save'] = (change) => {
    const now = configuration.get().settings
    const parsed = parseSettings({ ...now, alarms: change(now.alarms) })
    if (!parsed.ok) {
      const [first] = parsed.error
      setProblem(words.invalid(first === undefined ? '' : valueProblemText(first)))
      return false
    }
    setProblem(saveSettings(parsed.value) ? undefined : words.notKept)
    return true
  }
  return { alarms, problem, save }
}

export function freshId(prefix: string, taken: readonly { readonly id: string }[]): string {
  let number = taken.length + 1
  while (taken.some(({ id }) => id === `${prefix}-${number}`)) number++
  return `${prefix}-${number}`
}
