import type { AlarmCounts } from '#alarms/alarm.ts'
import type { Evaluation } from '#react/evaluation.tsx'

/** Where counts stand beside each other, in this order. */
export const COUNTED = ['critical', 'warning', 'info', 'no-data'] as const
export type SeverityCounts = Readonly<Record<(typeof COUNTED)[number], number>>

/**
 * The one count of what is wrong, for the top bar, the wall, the title and the icon: active alarms by
 * severity, and beside them nodes of which no value holds now, whether or not an alarm of theirs is on.
 * Before alarms are evaluated, nodes by severity.
 */
export function severityCounts(
  alarms: AlarmCounts | undefined,
  { counts }: Pick<Evaluation, 'counts'>,
): SeverityCounts {
  const { critical, warning, info } = alarms ?? counts
  return { critical, warning, info, 'no-data': counts.withoutData }
}
