import type { AlarmNotification, AlarmSeverity, ClosedReason } from '#alarms/alarm.ts'
import type { Announcement } from '#alarms/announcements.ts'
import { counted, joined } from './format.ts'

const SEVERITIES: Readonly<Record<AlarmSeverity, string>> = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
}

/** Why an alarm ended although its problem did not. */
export const closedTexts: Readonly<Record<string, string>> = {
  'node-removed': 'node no longer watched',
  'rule-removed': 'rule removed',
  'rule-off': 'rule disabled',
} satisfies Record<ClosedReason, string>

export const notificationTexts = {
  notification: (severity: AlarmSeverity, title: string): string => `${SEVERITIES[severity]}: ${title}`,
  /** `critical` is undefined if some are critical but their number is unknown. */
  many: (count: number, critical: number | undefined): string => {
    if (critical === undefined) return `${count} new alarms, some critical`
    return critical === 0 ? `${count} new alarms` : `${count} new alarms, ${critical} critical`
  },
  /** For screen readers. `title` is set if there is a single alarm. */
  announcement: ({ critical, others, over, only }: Announcement, title: string | undefined): string => {
    if (only !== undefined && title !== undefined)
      return over === 1 ? `Cleared: ${title}` : `New: ${SEVERITIES[only.severity]}, ${title}`
    return joined(', ', [
      critical > 0 && `${critical} new critical ${critical === 1 ? 'alarm' : 'alarms'}`,
      others > 0 && `${others} other new ${others === 1 ? 'alarm' : 'alarms'}`,
      over > 0 && `${counted(over, 'alarm')} cleared`,
    ])
  },
  blocked: {
    title: 'Sound blocked by the browser',
    text: 'Alarms are shown but not heard. The browser requires a click or key press on this page first; an unattended screen needs Chromium started with --autoplay-policy=no-user-gesture-required.',
    unsupportedTitle: 'This browser can’t play sound',
    unsupportedText: 'Alarms are shown but not heard. Use another browser, or add a receiver.',
    allow: 'Allow sound',
    settings: 'Open settings',
  },
}

export const outgoingTexts = {
  screen: 'this dashboard',
  key: (service: string): string => `credentials for ${service}`,
  nodes: (count: number): string => counted(count, 'node'),
  title: (name: string, subject: string): string => `${name}, ${subject}`,
  names: {
    value: 'Value',
    since: 'Since',
    lasted: 'Lasted',
    nodes: 'Nodes',
    cause: 'Likely cause',
    meaning: 'What this means',
    doFirst: 'First step',
  },
  valueAndLimit: (value: string, limit: string | undefined): string =>
    limit === undefined ? value : `${value}, limit ${limit}`,
  since: (at: string, age: string | undefined): string => (age === undefined ? at : `${at}, ${age} ago`),
  /** The names of the first nodes, then the number of the others. */
  someNodes: (names: readonly string[], count: number): string =>
    count > names.length ? `${names.join(', ')} and ${count - names.length} more` : names.join(', '),
  summary: ({ kind, reason, severity }: AlarmNotification, titles: readonly string[], count: number) => {
    const [first = ''] = titles
    const what = count > 1 ? `${first} (and ${count - 1} more)` : first
    const closed = closedTexts[reason]
    if (kind === 'recovery') return closed === undefined ? `Cleared: ${what}` : `Closed (${closed}): ${what}`
    if (kind === 'acknowledged') return `Acknowledged: ${what}`
    if (kind === 'reminder') return `${reason === 'worse' ? 'Now' : 'Still'} ${severity}: ${what}`
    return `${SEVERITIES[severity]}: ${what}`
  },
  test: 'Test notification from the immune node dashboard. Nothing is wrong.',
}
