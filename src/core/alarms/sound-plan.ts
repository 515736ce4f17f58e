import { isActive, worstOf, type AlarmSeverity, type AlarmsView, type AlarmView } from './alarm.ts'
import { reachesLevel, type ChannelLevel } from './channels.ts'

export const SOUND_EVERY_MS = 30_000
/** Alarms raised within this time after a sound belong to the same storm. */
const SOUND_GAP_MS = 10_000

export const needsSound = (alarm: AlarmView, level: ChannelLevel): boolean =>
  alarm.phase === 'firing' &&
  isActive(alarm) &&
  alarm.acknowledged === undefined &&
  reachesLevel(alarm.severity, level)

/**
 * Sounds for new alarms, and every 30 s while one is unacknowledged. Alarms of one rule, service and severity
 * sound once together, and a flapping alarm sounds once. `nowMs` is on a steady clock.
 */
export function createSoundPlan() {
  let sounded: ReadonlySet<string> = new Set()
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    /** The severity to sound now; undefined: silence. Call this at every change and every second. */
    next: (
      view: AlarmsView,
      level: ChannelLevel,
      nowMs: number,
      wallMs: number,
    ): AlarmSeverity | undefined => {
      const isMuted = view.mutedUntilWallMs !== undefined && view.mutedUntilWallMs > wallMs
      // After a mute the same alarm sounds at once.
      const sounding = isMuted ? [] : view.alarms.filter((alarm) => needsSound(alarm, level))
      const causes = new Set(sounding.map(causeOf))
      const steady = sounding.filter(({ flapping }) => !flapping)
      const flapping = new Set(isMuted ? [] : view.alarms.filter((one) => one.flapping).map(causeOf))
      sounded = new Set(Array.from(sounded).filter((cause) => causes.has(cause) || flapping.has(cause)))
      const isNew = Array.from(causes).some((cause) => !sounded.has(cause))
      if (steady.length === 0 && !isNew) return undefined
      if (nowMs - lastMs < (isNew ? SOUND_GAP_MS : SOUND_EVERY_MS)) return undefined
      sounded = new Set([...sounded, ...causes])
      lastMs = nowMs
      return worstOf(sounding)
    },
  }
}

const causeOf = ({ ruleId, subject, severity }: AlarmView): string =>
  `${ruleId} ${'serviceId' in subject ? subject.serviceId : 'screen'} ${severity}`
