import type { AlarmCounts } from '#alarms/alarm.ts'
import type { NodeSeverity } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'

/** Where counts stand beside each other, in this order. */
export const COUNTED = ['critical', 'warning', 'info', 'no-data'] as const
export type SeverityCounts = Readonly<Record<(typeof COUNTED)[number], number>>

/**
 * The one count of what is wrong, for the top bar, the wall, the title and the icon: active alarms by
 * severity, and nodes of which nothing is known. Before alarms are evaluated, nodes by severity.
 */
export function severityCounts(
  alarms: AlarmCounts | undefined,
  severities: ReadonlyMap<NodeKey, NodeSeverity>,
): SeverityCounts {
  const counts = { critical: 0, warning: 0, info: 0, 'no-data': 0 }
  for (const severity of severities.values()) if (severity !== 'ok') counts[severity]++
  const { critical, warning, info } = alarms ?? counts
  return { critical, warning, info, 'no-data': counts['no-data'] }
}
