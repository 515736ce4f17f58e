import { useMemo } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { statisticsOf } from '#alarms/statistics.ts'
import type { EventArea, KeptEntry } from '#history/event-log.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { useDashboard } from '#react/dashboard.ts'
import { usePastEvents } from '#react/use-past-events.ts'
import { useFleet } from '#react/use-fleet.ts'
import { eventWords } from '#texts/en-events.ts'
import { journalTexts } from '#texts/en-journal.ts'
import { formatAge, formatCount, formatPercent, joined } from '#texts/format.ts'
import { entryNameIn } from '#texts/names.ts'
import { MiniBars } from '#ui/spark.tsx'

const words = journalTexts.stats

const AREAS: readonly EventArea[] = ['alarm', 'watching']
const WEEK_MS = 7 * 86_400_000

/** Figures of the last week: number of alarms, most frequent and longest alarm, and unwatched time. Undefined until read. */
export function useJournalFigures() {
  const past = usePastEvents({ areas: AREAS, lengthMs: WEEK_MS })
  const { fleet, metrics } = useDashboard()
  const snapshot = useFleet((now) => now)
  const figures = useMemo(
    () => (past === undefined ? undefined : statisticsOf(past.entries, fleet.get().wallMs)),
    [past, fleet],
  )
  if (past === undefined || figures === undefined) return undefined
  const nameOf = (entry: KeptEntry): string =>
    joined(', ', [
      eventWords(entry, { zone: 'utc', nowMs: entry.wallMs, metrics }).title,
      toVisibleText(entryNameIn(snapshot, entry) ?? ''),
    ])
  const within = past.isWhole ? '' : words.onlyNewest(past.entries.length)
  const { raised, peak, per10Min, repeated, longest, blindCount, blindMs } = figures
  const flood = DEFAULTS.alarmFloodFrom
  const onceEach = joined(', ', [words.onceEach, within])
  return {
    rate: {
      label: words.rate,
      value: formatCount(raised),
      picture: <MiniBars values={per10Min} limit={flood} label={words.picture(per10Min)} />,
      note: peak > flood ? words.flood(peak, flood) : words.peak(peak, flood),
    },
    repeated: {
      label: words.repeated,
      ...(repeated === undefined
        ? { value: words.none, note: raised === 0 ? words.noAlarms : onceEach }
        : {
            value: words.times(repeated.count),
            note: <bdi>{words.repeatedOf(nameOf(repeated.entry), formatPercent(repeated.share))}</bdi>,
          }),
    },
    longest: {
      label: words.longest,
      ...(longest === undefined
        ? { value: words.none, note: within }
        : {
            value: formatAge(longest.lastedMs),
            note: <bdi>{longest.isOver ? nameOf(longest.entry) : words.stillOn(nameOf(longest.entry))}</bdi>,
          }),
    },
    blind: {
      label: words.blind,
      value: blindCount === 0 ? words.none : formatAge(blindMs),
      note: blindCount === 0 ? within : words.blindNote(blindCount),
    },
  }
}
