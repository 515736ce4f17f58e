import type { AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import type { Channels } from '#alarms/channels.ts'
import { createSoundPlan } from '#alarms/sound-plan.ts'
import { createSoundTurn } from '#platform/sound-turn.ts'
import { createSoundOutput } from '#platform/sound.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { Notifier } from '#react/notifier.ts'
import { SOUNDS } from './alarm-sounds.ts'

/** How often to check whether another tab can play sound, while this one can not. */
const TURN_EVERY_MS = 5_000

export type AlarmSounds = {
  readonly state: () => Notifier['sound']
  /** Makes the sound that is due. To be called at every change and every second. */
  readonly tick: (channels: Channels, view: AlarmsView | undefined) => void
  readonly play: (severity: AlarmSeverity, volume: number) => void
  readonly unblock: () => Promise<unknown>
  readonly watch: (changed: () => void) => void
}

/** Sounds of this tab, where it is its turn. `leads` decides where the browser has no locks. */
export function createAlarmSounds(nowMs: () => number, leads: () => boolean): AlarmSounds {
  const output = createSoundOutput()
  const turn = createSoundTurn(leads)
  const plan = createSoundPlan()
  let isTaken = false
  let askedMs = Number.NEGATIVE_INFINITY
  const play: AlarmSounds['play'] = (severity, volume) => output.play(SOUNDS[severity], volume)

  return {
    play,
    unblock: output.unblock,
    watch: (changed) => void output.watch(changed),
    state: () => (output.state() === 'blocked' && isTaken ? 'elsewhere' : output.state()),
    tick: ({ sound, volume }, view) => {
      const canSound = output.state() === 'ready'
      turn.offer(canSound && sound !== 'off')
      if (canSound) isTaken = false
      else if (nowMs() - askedMs >= TURN_EVERY_MS) {
        askedMs = nowMs()
        void turn.isTaken().then((is) => (isTaken = is))
      }
      if (view === undefined || !turn.isMine()) return
      const severity = plan.next(view, sound, nowMs(), systemClock.wallMs())
      if (severity !== undefined) play(severity, volume)
    },
  }
}
