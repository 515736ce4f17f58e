import { PartBoundary } from '#parts/part-boundary.tsx'
import { useJournalFigures } from '#parts/journal-figures.tsx'
import { Reads } from '#react/reads.tsx'
import { journalTexts } from '#texts/en-journal.ts'
import { Skeleton } from '#ui/empty.tsx'
import { Stats } from '#ui/figure.tsx'

const words = journalTexts.stats

/** The last week in four figures. */
export const JournalStats = () => (
  <Reads>
    <PartBoundary>
      <Figures />
    </PartBoundary>
  </Reads>
)

function Figures() {
  const figures = useJournalFigures()
  if (figures === undefined) return <Skeleton label={words.label} lines={2} />
  const { rate, repeated, longest, blind } = figures
  return <Stats label={words.label} items={[rate, repeated, longest, blind]} />
}
