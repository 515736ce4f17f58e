import type { AlarmsView } from '#alarms/alarm.ts'
import { useJournalFigures } from '#parts/journal-figures.tsx'
import { useWallNow } from '#react/ticking.tsx'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatAge, formatCount } from '#texts/format.ts'
import { Stats } from '#ui/figure.tsx'

const words = alarmTexts.stats

export function AlarmStats({ view }: { readonly view: AlarmsView }) {
  const { critical, warning, info, unacknowledged, cleared } = view.counts
  const figures = useJournalFigures()
  return (
    <Stats
      label={words.label}
      items={[
        {
          label: words.active,
          value: formatCount(critical + warning + info),
          note: words.activeNote(critical, warning, info),
        },
        {
          label: words.unacknowledged,
          value: formatCount(unacknowledged),
          note: (
            <>
              <Oldest atMs={view.oldestUnacknowledgedWallMs} />
              {cleared > 0 && words.cleared(cleared)}
            </>
          ),
        },
        ...(figures === undefined ? [] : [figures.rate, figures.repeated]),
      ]}
    />
  )
}

function Oldest({ atMs }: { readonly atMs: number | undefined }) {
  const nowMs = useWallNow()
  if (atMs === undefined || nowMs === undefined) return words.none
  return words.oldest(formatAge(nowMs - atMs))
}
