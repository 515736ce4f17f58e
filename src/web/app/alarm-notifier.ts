import type { AlarmNotification, AlarmSeverity } from '#alarms/alarm.ts'
import { reachesLevel, type Channels } from '#alarms/channels.ts'
import type { DescribeAlarm } from '#delivery/delivery-queue.ts'
import { closeNotification, showNotification } from '#platform/notifications.ts'
import { vibrate } from '#platform/vibration.ts'
import { notificationTexts as words } from '#texts/en-notifications.ts'
import type { Tone } from '#platform/sound.ts'

const NAMED_MAX = 3

/** Shows a notification and vibrates for each event, and closes the notification when all its alarms have cleared. */
export function createAlarmNotifier(describe: DescribeAlarm) {
  /** The number of active alarms in this tab's notifications, by group. */
  const shown = new Map<string, number>()
  return (notification: AlarmNotification, channels: Channels): void => {
    const { kind, reason, group, severity, count } = notification
    if (kind === 'recovery') {
      const left = (shown.get(group) ?? 0) - count
      if (left > 0) shown.set(group, left)
      else if (shown.delete(group)) closeNotification(group)
      return
    }
    if (kind === 'reminder' && reason !== 'worse') return
    if (reachesLevel(severity, channels.vibration)) vibrate(VIBRATIONS[severity])
    if (kind === 'problem') shown.set(group, (shown.get(group) ?? 0) + count)
    if (reachesLevel(severity, channels.notifications)) notify(notification, describe)
  }
}

function notify({ alarms, count, severity, group }: AlarmNotification, describe: DescribeAlarm): void {
  const facts = alarms.slice(0, NAMED_MAX).map((alarm) => describe(alarm))
  const [only] = alarms
  const [first] = facts
  if (only === undefined || first === undefined) return
  const critical = alarms.filter((alarm) => alarm.severity === 'critical').length
  const isCounted = count === alarms.length || severity !== 'critical'
  showNotification({
    title:
      count === 1
        ? words.notification(severity, first.title)
        : words.many(count, isCounted ? critical : undefined),
    body: count === 1 ? first.text : facts.map(({ title }) => title).join('\n'),
    tag: group,
    stays: severity === 'critical',
    hash: count === 1 ? `#/alarms?alarm=${encodeURIComponent(only.id)}` : '#/alarms',
  })
}

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
const VIBRATIONS: Readonly<Record<AlarmSeverity, readonly number[]>> = {
  critical: [200, 100, 200, 100, 200, 100, 600],
  warning: [300, 150, 300],
  info: [200],
}
