import { useMemo } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { episodesOf } from '#alarms/statistics.ts'
import type { EventArea } from '#history/event-log.ts'
import { useWallNow } from '#react/ticking.tsx'
import { usePastEvents } from '#react/use-past-events.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatAge } from '#texts/format.ts'
import { MiniStrip } from '#ui/strips.tsx'

const words = alarmTexts.detail

const AREAS: readonly EventArea[] = ['alarm']
const MONTH_MS = 30 * 86_400_000

/** When the alarm was active in the last 30 days, according to the journal. */
export function DetailHistory({ alarm }: { readonly alarm: AlarmView }) {
  const { id, subject, severity } = alarm
  const nodeKey = subject.kind === 'node' && alarm.memberCount <= 1 ? subject.node : undefined
  const past = usePastEvents({ areas: AREAS, lengthMs: MONTH_MS, nodeKey })
  const nowMs = useWallNow()
  const episodes = useMemo(
    () => (past === undefined ? undefined : episodesOf(past.entries).filter((each) => each.alarm === id)),
    [past, id],
  )
  if (episodes === undefined || nowMs === undefined) return null
  const lasted = episodes.map(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs)
  const summary =
    episodes.length === 0
      ? words.neverBefore
      : words.timesBefore(episodes.length, formatAge(Math.max(...lasted)))
  return (
    <section>
      <h3>{words.history}</h3>
      <MiniStrip
        fromMs={nowMs - MONTH_MS}
        toMs={nowMs}
        spans={episodes.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? nowMs, level: severity }))}
        label={summary}
      />
      <p className="text-12 ink-3">{summary}</p>
    </section>
  )
}
