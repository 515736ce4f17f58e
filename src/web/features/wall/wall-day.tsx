import type { LaneData } from '#history/history.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { WallStrip } from '#ui/strips.tsx'

const MARKS = [words.ago24h, words.hours(18), words.hours(12), words.hours(6), words.now]

/** What happened to the polls of the last 24 hours. */
export const Day = ({ lanes }: { readonly lanes: LaneData }) => (
  <WallStrip
    spans={lanes.spans.map((span) => ({ ...span, label: '' }))}
    fromMs={lanes.fromMs}
    toMs={lanes.toMs}
    label={words.strip}
    marks={MARKS}
  />
)
