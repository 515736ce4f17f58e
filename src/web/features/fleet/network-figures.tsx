import { useMemo, useState } from 'react'
import { AGE_EDGES_MS, networkFigures, type NetworkFigure } from '#fleet/network-metrics.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSteps } from '#react/ticking.tsx'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { formatAge, formatSpan } from '#texts/format.ts'
import { networkNumber, networkText } from '#texts/format-network.ts'
import { Stats } from '#ui/figure.tsx'
import { SparkLine } from '#ui/spark.tsx'
import { MiniBars } from '#ui/strips.tsx'

const words = fleetOverviewTexts.network

/** Thousands of nodes are summed at most so often. */
const COUNTED_EVERY_MS = 5_000

/** What is said of all nodes together: each with its course, over how many nodes it is, and how fresh they are. */
export function NetworkFigures() {
  const { fleet, metrics, nowMs } = useDashboard()
  const stepMs = useSteps(COUNTED_EVERY_MS)
  const [course] = useState(createCourse)
  const figures = useMemo(() => {
    const now = Math.max(stepMs, nowMs())
    const snapshot = fleet.get()
    const found = networkFigures(snapshot, now, metrics)
    const wallMs = snapshot.wallMs + (now - snapshot.nowMs)
    return found.map((figure) => ({ figure, course: course.take(figure, wallMs) }))
  }, [fleet, metrics, nowMs, stepMs, course])
  return (
    <div className="network">
      <Stats
        label={words.label}
        items={figures.map(({ figure, course: line }) => ({
          id: figure.metric.id,
          label: words.heading(figure),
          value: networkText(figure) ?? words.notKnown,
          picture: <Picture figure={figure} course={line} />,
          note: words.coverage(
            figure.coverage.nodes,
            figure.coverage.of,
            figure.coverage.oldestMs === undefined ? undefined : formatAge(figure.coverage.oldestMs),
          ),
        }))}
      />
    </div>
  )
}

type Course = { readonly atMs: readonly number[]; readonly value: readonly number[] }

function Picture({
  figure,
  course: { atMs, value },
}: {
  readonly figure: NetworkFigure
  readonly course: Course
}) {
  if (figure.kind === 'ages')
    return (
      <MiniBars
        values={figure.counts}
        limit={Number.POSITIVE_INFINITY}
        label={words.ages(figure.counts.map((count, place) => `${edgeText(place)}: ${count}`))}
      />
    )
  const known = value.filter((each) => !Number.isNaN(each))
  const [from, to] = [atMs[0], atMs.at(-1)]
  if (known.length < 2 || from === undefined || to === undefined) return null
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return (
    <SparkLine
      fromMs={from}
      toMs={to}
      atMs={atMs}
      value={value}
      domain={[low, high]}
      label={words.course(formatSpan(to - from), networkNumber(figure, low), networkNumber(figure, high))}
    />
  )
}

const edgeText = (place: number): string => {
  const edge = AGE_EDGES_MS[place]
  return edge === undefined
    ? words.older(formatSpan(AGE_EDGES_MS.at(-1) ?? 0))
    : words.below(formatSpan(edge))
}

/** A point a minute, for twelve hours; longer without one is a gap. */
const POINT_EVERY_MS = 60_000
const POINTS_MAX = 720
const GAP_MS = 3 * POINT_EVERY_MS

/** What figures were since this page shows them. Bounded; what was not looked at is a gap. */
function createCourse() {
  const courses = new Map<string, { readonly atMs: number[]; readonly value: number[] }>()
  return {
    take: (figure: NetworkFigure, wallMs: number): Course => {
      const course = courses.get(figure.metric.id) ?? { atMs: [], value: [] }
      courses.set(figure.metric.id, course)
      const lastMs = course.atMs.at(-1) ?? Number.NEGATIVE_INFINITY
      if (wallMs - lastMs >= POINT_EVERY_MS) {
        if (wallMs - lastMs > GAP_MS && course.atMs.length > 0) put(course, lastMs + 1, Number.NaN)
        put(course, wallMs, numberOf(figure))
      }
      return { atMs: [...course.atMs], value: [...course.value] }
    },
  }
}

function put(
  { atMs, value }: { readonly atMs: number[]; readonly value: number[] },
  ms: number,
  at: number,
): void {
  atMs.push(ms)
  value.push(at)
  if (atMs.length <= POINTS_MAX) return
  atMs.shift()
  value.shift()
}

function numberOf(figure: NetworkFigure): number {
  if (figure.kind === 'ages') return figure.counts[0] ?? Number.NaN
  const value = figure.kind === 'total' ? figure.value?.value : figure.value
  return value ?? Number.NaN
}
