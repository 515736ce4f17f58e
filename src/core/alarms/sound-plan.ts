import { ALARM_SEVERITIES, type AlarmSeverity, type AlarmsView, type AlarmView } from './alarm.ts'
import { reachesLevel, type ChannelLevel } from './channels.ts'

/** Until somebody acknowledges it, an alarm sounds again this often. */
export const SOUND_EVERY_MS = 30_000
/** What is raised within this time of a sound is part of the same storm. */
const SOUND_GAP_MS = 10_000

/** What asks for a sound: on, of this level, and neither acknowledged nor kept quiet by anything. */
export const needsSound = (alarm: AlarmView, level: ChannelLevel): boolean =>
  alarm.phase === 'firing' &&
  alarm.acknowledged === undefined &&
  alarm.shelved === undefined &&
  !alarm.maintenance &&
  alarm.inhibitedBy === undefined &&
  reachesLevel(alarm.severity, level)

/**
 * When to make a sound: for what is new, and every 30 s while nobody has acknowledged it. Alarms of one
 * rule, service and severity are one cause to the ear, however many rows they are, and what comes and goes
 * sounds once. `nowMs` on a steady clock.
 */
export function createSoundPlan() {
  let sounded: ReadonlySet<string> = new Set()
  let lastMs = Number.NEGATIVE_INFINITY
  return {
    /** The severity to sound now; undefined: be quiet. To be asked at every change and every second. */
    next: (
      view: AlarmsView,
      level: ChannelLevel,
      nowMs: number,
      wallMs: number,
    ): AlarmSeverity | undefined => {
      const isMuted = view.mutedUntilWallMs !== undefined && view.mutedUntilWallMs > wallMs
      // After a mute the same alarm sounds at once: its time is up.
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
      return ALARM_SEVERITIES.find((severity) => sounding.some((alarm) => alarm.severity === severity))
    },
  }
}

const causeOf = ({ ruleId, subject, severity }: AlarmView): string =>
  `${ruleId} ${'serviceId' in subject ? subject.serviceId : 'screen'} ${severity}`
