import { useMemo } from 'react'
import type { AlarmAct, AlarmId, AlarmView } from '#alarms/alarm.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSay } from '#react/toasts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatMoment } from '#texts/format-time.ts'
import { useAnnounce } from '#ui/live-region.tsx'
import { whatOf } from './alarm-subject.ts'

const words = alarmTexts.done

/** So long is the sound off after one key. */
export const MUTE_MS = 900_000

export type AlarmActs = {
  readonly acknowledge: (alarms: readonly AlarmView[], note?: string) => void
  readonly unacknowledge: (alarm: AlarmView) => void
  /** `forMs`: how long nobody is called. */
  readonly shelve: (alarm: AlarmView, forMs: number, reason: string) => void
  readonly unshelve: (alarm: AlarmView) => void
  readonly see: (alarms: readonly AlarmView[]) => void
  readonly mute: () => void
  readonly unmute: () => void
}

/** What a person does about alarms. Each says what was done, and offers the way back where that is safe. */
export function useAlarmActs(): AlarmActs {
  const { engine, fleet, metrics, nowMs } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const say = useSay()
  const announce = useAnnounce()
  return useMemo(() => {
    const wallNow = (): number => fleet.get().wallMs + (nowMs() - fleet.get().nowMs)
    const tell = (text: string, undo?: () => void): void => {
      announce(text)
      say(text, undo)
    }
    const act = async (done: AlarmAct, text: string, back?: AlarmAct): Promise<void> => {
      const worked = await engine.alarmAct(done).catch(() => false)
      if (!worked) return tell(words.failed)
      tell(text, back === undefined ? undefined : () => void act(back, words.undone))
    }
    const what = (alarm: AlarmView): string => whatOf(alarm, fleet.get(), metrics)
    const at = (wallMs: number): string => formatMoment(wallMs, wallNow(), zone)
    return {
      acknowledge: (alarms, note) => {
        const [first] = alarms
        if (first === undefined) return
        const ids = idsOf(alarms)
        const text =
          alarms.length === 1 ? words.acknowledged(what(first)) : words.acknowledgedMany(alarms.length)
        void act({ act: 'acknowledge', ids, ...(note !== undefined && note !== '' && { note }) }, text, {
          act: 'unacknowledge',
          ids,
        })
      },
      unacknowledge: (alarm) =>
        void act({ act: 'unacknowledge', ids: [alarm.id] }, words.unacknowledged(what(alarm))),
      shelve: (alarm, forMs, reason) => {
        const untilWallMs = wallNow() + forMs
        void act(
          { act: 'shelve', ids: [alarm.id], untilWallMs, reason },
          words.shelved(what(alarm), at(untilWallMs)),
          {
            act: 'unshelve',
            ids: [alarm.id],
          },
        )
      },
      unshelve: (alarm) => {
        const { shelved } = alarm
        const back = shelved && {
          act: 'shelve' as const,
          ids: [alarm.id],
          untilWallMs: shelved.untilWallMs,
          reason: shelved.reason,
        }
        void act({ act: 'unshelve', ids: [alarm.id] }, words.unshelved(what(alarm)), back)
      },
      // What was seen is gone: there is no way back to having missed it.
      see: (alarms) => {
        const [first] = alarms
        if (first !== undefined)
          void act({ act: 'acknowledge-end', ids: idsOf(alarms) }, words.seen(what(first)))
      },
      mute: () => {
        const untilWallMs = wallNow() + MUTE_MS
        void act({ act: 'mute', untilWallMs }, words.muted(at(untilWallMs)), { act: 'unmute' })
      },
      unmute: () => void act({ act: 'unmute' }, words.unmuted),
    }
  }, [engine, fleet, metrics, nowMs, zone, say, announce])
}

const idsOf = (alarms: readonly AlarmView[]): readonly AlarmId[] => alarms.map(({ id }) => id)
