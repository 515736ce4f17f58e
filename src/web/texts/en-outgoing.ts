import type { AlarmNotification } from '#alarms/alarm.ts'

/** The words of messages that leave this browser. */
export const outgoingTexts = {
  ownNode: 'the key’s own node',
  screen: 'this dashboard',
  key: (service: string): string => `key for ${service}`,
  nodes: (count: number): string => (count === 1 ? '1 node' : `${count} nodes`),
  title: (name: string, subject: string): string => `${name}: ${subject}`,
  value: (value: string, limit: string | undefined): string =>
    limit === undefined ? `Value ${value}.` : `Value ${value}, limit ${limit}.`,
  /** One line that says it all, for chat services. */
  summary: ({ kind, severity }: AlarmNotification, titles: readonly string[], count: number): string => {
    const [first = ''] = titles
    const more = count > 1 ? ` (and ${count - 1} more)` : ''
    if (kind === 'recovery') return `Cleared: ${first}${more}`
    return `${kind === 'reminder' ? 'Still ' : ''}${severity}: ${first}${more}`
  },
  test: 'Test of the immune node dashboard. Nothing is wrong.',
}
