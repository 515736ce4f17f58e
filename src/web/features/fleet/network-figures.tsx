import { toVisibleText } from '#base/visible-text.ts'
import { type NetworkLine, AGE_EDGES_MS, networkFigures, type NetworkFigure } from '#fleet/network-metrics.ts'
import { useSteps } from '#react/ticking.tsx'
import { COUNTED_EVERY_MS, useCounted } from '#parts/fleet-figures.ts'
import { useNetworkSeries } from '#react/use-history.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { formatAge, formatSpan } from '#texts/format.ts'
import { lastNetworkText, networkNumber, networkText } from '#texts/format-network.ts'
import { Stats } from '#ui/figure.tsx'
import { MiniBars, SparkLine, TREND_MIN } from '#ui/spark.tsx'

const words = fleetOverviewTexts.network

export function NetworkFigures() {
  const figures = useCounted(networkFigures)
  // The engine would otherwise add amounts in different units.
  const isSummable = figures.some(
    (figure) => figure.kind === 'total' && (figure.value ?? figure.last) !== undefined,
  )
  const { series, engine } = useNetworkSeries(useSteps(COUNTED_EVERY_MS), isSummable)
  return (
    <div className="network-figures">
      <Stats
        label={words.label}
        items={figures.map((figure) => {
          const line = series?.lines.find(({ id }) => id === figure.metric.id)
          return {
            label: words.heading(figure),
            value: networkText(figure) ?? words.notKnown,
            picture: (
              <>
                {figure.kind === 'ages' && figure.coverage.nodes > 0 && <Ages counts={figure.counts} />}
                <Course figure={figure} line={line} toMs={series?.toMs ?? 0} />
              </>
            ),
            note: <Note {...{ figure, line, engine }} />,
          }
        })}
      />
    </div>
  )
}

type NoteProps = {
  readonly figure: NetworkFigure
  readonly line: NetworkLine | undefined
  readonly engine: string
}

function Note({ figure, line, engine }: NoteProps) {
  const { coverage } = figure
  const oldest = coverage.oldestMs === undefined ? undefined : formatAge(coverage.oldestMs)
  const last = lastNetworkText(figure)
  const isLast = last !== undefined && oldest !== undefined
  const counted = coverage.nodes + coverage.old
  const course = [
    // The trend's own number of nodes, unless it is that of the figure.
    ...(line !== undefined && line.nodes[0] < line.of && line.nodes.some((nodes) => nodes !== counted)
      ? [words.courseOver(...line.nodes)]
      : []),
    ...(line?.longTermUntilMs === undefined ? [] : [words.courseFrom(toVisibleText(engine))]),
  ]
  return (
    <>
      {isLast ? words.coverage({ ...coverage, old: 0 }, undefined) : words.coverage(coverage, oldest)}
      {isLast && (
        <>
          {' · '}
          <span className="value old">{words.last(last, oldest)}</span>
        </>
      )}
      {course.map((part) => ` · ${part}`)}
    </>
  )
}

const Ages = ({ counts }: { readonly counts: readonly number[] }) => (
  <MiniBars
    values={counts}
    limit={Number.POSITIVE_INFINITY}
    label={words.ages(counts.map((count, place) => `${edgeText(place)}: ${count}`))}
  />
)

type CourseProps = Omit<NoteProps, 'engine'> & { readonly toMs: number }

function Course({ figure, line, toMs }: CourseProps) {
  const known = Array.from(line?.value ?? []).filter((each) => !Number.isNaN(each))
  const fromMs = line?.atMs[0]
  if (known.length < TREND_MIN.points || line === undefined || fromMs === undefined) return null
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return (
    <SparkLine
      fromMs={fromMs}
      toMs={toMs}
      atMs={line.atMs}
      value={line.value}
      domain={[low, high]}
      label={words.course(formatSpan(toMs - fromMs), networkNumber(figure, low), networkNumber(figure, high))}
    />
  )
}

const edgeText = (place: number): string => {
  const edge = AGE_EDGES_MS[place]
  return edge === undefined
    ? words.older(formatSpan(AGE_EDGES_MS.at(-1) ?? 0))
    : words.below(formatSpan(edge))
}
