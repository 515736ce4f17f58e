import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Tone } from '#platform/sound.ts'

const HIGH_HZ = 988
const MIDDLE_HZ = 740
const LOW_HZ = 440

const tone = (hz: number, fromS: number, forS: number): Tone => ({ hz, fromS, forS })

/**
 * Severities differ in the number of tones and their tempo, so that they are distinct without a screen and without an ear for
 * pitch.
 */
export const SOUNDS: Readonly<Record<AlarmSeverity, readonly Tone[]>> = {
  critical: [0, 0.4, 0.8].flatMap((fromS) => [
    tone(HIGH_HZ, fromS, 0.15),
    tone(MIDDLE_HZ, fromS + 0.17, 0.15),
  ]),
  warning: [tone(MIDDLE_HZ, 0, 0.3), tone(MIDDLE_HZ, 0.45, 0.3)],
  info: [tone(LOW_HZ, 0, 0.4)],
}

/** Alternating vibration and pauses in ms, in the rhythm of the sounds. */
export const VIBRATIONS: Readonly<Record<AlarmSeverity, readonly number[]>> = {
  critical: [200, 100, 200, 100, 200, 100, 600],
  warning: [300, 150, 300],
  info: [200],
}
