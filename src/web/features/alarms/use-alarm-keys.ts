import type { AlarmView } from '#alarms/alarm.ts'
import { needsAcknowledgement } from '#parts/alarm-words.ts'
import { useShortcuts } from '#parts/key-map.ts'
import type { AlarmActs } from '#parts/alarm-acts.tsx'
import { alarmTexts } from '#texts/en-alarms.ts'
import type { AlarmRow } from './lists.ts'

type AlarmKeysOptions = {
  readonly rows: readonly AlarmRow[]
  readonly opened: AlarmView | undefined
  readonly acts: AlarmActs
  readonly isMuted: boolean
}

/** Keyboard shortcuts for the focused alarm, or else the open one. */
export function useAlarmKeys(options: AlarmKeysOptions): void {
  const { acts, isMuted } = options
  useShortcuts('alarms', {
    acknowledge: () => {
      const alarm = meant(options)
      if (alarm !== undefined && needsAcknowledgement(alarm)) acts.acknowledge([alarm])
    },
    shelve: () => {
      const alarm = meant(options)
      if (alarm !== undefined && alarm.phase !== 'cleared') acts.askToShelve(alarm)
    },
    mute: isMuted ? acts.unmute : acts.mute,
  })
}

function meant({ rows, opened }: AlarmKeysOptions): AlarmView | undefined {
  const place = focusedRow()
  return (place === undefined ? undefined : rows[place]?.alarm) ?? opened
}

/**
 * The index of the focused row of the alarm list. The table head is row 1, so index 0 is row 2; rows of other tables are
 * ignored.
 */
function focusedRow(): number | undefined {
  const row = document.activeElement?.closest(`[aria-label="${alarmTexts.list}"] [role="row"]`)
  const index = Number(row?.getAttribute('aria-rowindex') ?? Number.NaN)
  return Number.isNaN(index) ? undefined : index - 2
}
