import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Announcement } from '#alarms/announcements.ts'

const SEVERITIES: Readonly<Record<AlarmSeverity, string>> = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
}

const alarms = (count: number): string => (count === 1 ? '1 alarm' : `${count} alarms`)

/** What people hear and read of alarms outside of the page itself. */
export const tellingTexts = {
  notification: (severity: AlarmSeverity, title: string): string => `${SEVERITIES[severity]}: ${title}`,
  /** `critical` undefined: some of them, and nobody has counted. */
  many: (count: number, critical: number | undefined): string => {
    if (critical === undefined) return `${count} new alarms, critical ones among them`
    return critical === 0 ? `${count} new alarms` : `${count} new alarms, ${critical} of them critical`
  },
  /** For screen readers; `title` of the one alarm that it is about. */
  announcement: ({ critical, others, over, only }: Announcement, title: string | undefined): string => {
    if (only !== undefined && title !== undefined)
      return over === 1 ? `Over: ${title}` : `New: ${SEVERITIES[only.severity]}, ${title}`
    const parts = [
      critical > 0 && `${critical} new critical ${critical === 1 ? 'alarm' : 'alarms'}`,
      others > 0 && `${others} other new ${others === 1 ? 'alarm' : 'alarms'}`,
      over > 0 && `${alarms(over)} over`,
    ]
    return parts.filter((part) => part !== false).join(', ')
  },
  blocked: {
    title: 'This browser lets the page make no sound',
    text: 'Alarms are shown, but not heard. Browsers want a click or a key on the page first. A screen that nobody touches needs Chromium started with --autoplay-policy=no-user-gesture-required.',
    unsupportedTitle: 'This browser can make no sound',
    unsupportedText: 'Alarms are shown, but not heard. Try another browser, or have messages sent instead.',
    allow: 'Let it sound',
    settings: 'Open settings',
  },
}
