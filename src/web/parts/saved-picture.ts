import { saveFile, savePng } from '#react/platform.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import type { TimeControl } from './use-time-view.ts'
import type { StripChartProps } from '#ui/chart/chart-types.ts'
import { useAnnounce } from '#ui/live-region.tsx'
import { toFieldText } from './calendar-time.ts'

const words = nodeHistoryTexts.picture

/** Saves a chart as a file that names its nodes, range and time zone. */
export function usePicture(
  title: string,
  { window: { fromMs, toMs: endMs }, nowMs }: Pick<TimeControl, 'window' | 'nowMs'>,
  zone: Zone,
): NonNullable<StripChartProps['picture']> {
  const announce = useAnnounce()
  // A live axis ends at its next step, which may lie hours ahead.
  const toMs = Math.min(endMs, nowMs)
  const at = (ms: number): string => toFieldText(ms, zone).replace('T', ' ')
  return {
    label: words.label,
    title,
    note: words.note(at(fromMs), at(toMs), zoneName(zone, fromMs, toMs)),
    save: (picture, format) => {
      const name = words.fileName(
        title.replaceAll(/[^\w.-]+/g, '-').slice(0, 60),
        new Date(fromMs).toISOString().slice(0, 16).replace(':', ''),
        format,
      )
      if (format === 'svg') saveFile(name, picture.svg, 'image/svg+xml')
      else void savePng(name, picture).then((isSaved) => isSaved || announce(words.failed))
    },
  }
}
