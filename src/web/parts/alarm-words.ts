import { toVisibleText } from '#base/visible-text.ts'
import { isActive, type AlarmView } from '#alarms/alarm.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { alarmTexts as words, severityWords } from '#texts/en-alarms.ts'
import { formatMoment, type Zone } from '#texts/format-time.ts'
import { formatAge, joined } from '#texts/format.ts'

export const titleOf = ({ kind }: AlarmView, metrics: MetricRegistry): string => alarmName(kind, metrics)

export const needsAcknowledgement = (alarm: AlarmView): boolean =>
  isActive(alarm) && alarm.acknowledged === undefined

export function markOf(alarm: AlarmView): {
  readonly ring: 'unack' | 'acked' | undefined
  readonly label: string
} {
  const severity = severityWords[alarm.severity]
  if (alarm.shelved !== undefined || alarm.maintenance || alarm.inhibitedBy !== undefined)
    return { ring: 'acked', label: words.mark.shelved(severity) }
  if (alarm.phase === 'cleared') return { ring: 'acked', label: words.mark.cleared(severity) }
  if (alarm.phase === 'pending') return { ring: 'acked', label: words.mark.pending(severity) }
  return alarm.acknowledged === undefined
    ? { ring: 'unack', label: words.mark.unack(severity) }
    : { ring: 'acked', label: words.mark.acked(severity) }
}

export type AlarmsAround = {
  readonly zone: Zone
  readonly nowMs: number
  readonly explainedBy: string | undefined
}

/** Makes hidden characters visible, because the text may come from another tab or file. */
const visible = (text: string): string => toVisibleText(text, NOTE_CHARS_MAX)

const NOTE_CHARS_MAX = 500

export function remarksOn(alarm: AlarmView, { zone, nowMs, explainedBy }: AlarmsAround): string {
  const { kind, shelved, acknowledged, evidence, phase, flapping, raised24h, clearedWallMs } = alarm
  const isGroup = alarm.memberCount > 1
  const at = (wallMs: number): string => formatMoment(wallMs, nowMs, zone)
  return joined(', ', [
    isGroup && words.sub.group(alarm.memberCount),
    shelved &&
      words.sub.shelved(at(shelved.untilWallMs), shelved.by && visible(shelved.by), visible(shelved.reason)),
    alarm.maintenance && words.sub.maintenance,
    explainedBy !== undefined && words.sub.inhibited(explainedBy),
    phase === 'cleared' && clearedWallMs !== undefined && words.sub.cleared(at(clearedWallMs)),
    phase === 'pending' && words.sub.since(formatAge(nowMs - alarm.sinceWallMs)),
    phase === 'recovering' && words.sub.recovering,
    // “No data” shows its own, longer time without data.
    phase !== 'cleared' &&
      kind !== 'blind' &&
      evidence.state === 'old' &&
      words.sub.held(formatAge(evidence.ageMs)),
    flapping && words.sub.flapping(raised24h, isGroup),
    !flapping && raised24h > 1 && words.sub.repeated(raised24h, isGroup),
    acknowledged &&
      words.sub.acknowledged(
        at(acknowledged.wallMs),
        acknowledged.by && visible(acknowledged.by),
        acknowledged.note && visible(acknowledged.note),
      ),
  ])
}

export const lastingMs = (
  { raisedWallMs, sinceWallMs, clearedWallMs, phase }: AlarmView,
  nowMs: number,
): number => (phase === 'cleared' ? (clearedWallMs ?? nowMs) : nowMs) - (raisedWallMs ?? sinceWallMs)
