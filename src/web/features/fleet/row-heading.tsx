import { countClasses } from '#fleet/assessment.ts'
import { useMemo, type ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { useSteps } from '#react/ticking.tsx'
import type { NodeKey } from '#fleet/live.ts'
import { figuresOf } from '#parts/fleet-figures.ts'
import { fleetToolTexts as words } from '#texts/en-fleet-tools.ts'
import { formatValue } from '#texts/format-metric.ts'
import { Button } from '#ui/button.tsx'
import type { FleetRow } from './order.ts'

type RowHeadingProps = {
  readonly row: Exclude<FleetRow, { kind: 'node' }>
  readonly onOpen: () => void
}

export function RowHeading({ row, onOpen }: RowHeadingProps) {
  if (row.kind === 'attention')
    return (
      <Line title={words.heading.attention}>
        <span>{words.heading.attentionNote(row.nodes)}</span>
      </Line>
    )
  if (row.kind === 'more') return <More keys={row.keys} onOpen={onOpen} />
  if (row.kind === 'rest') return <Rest keys={row.keys} />
  return (
    <Line title={row.name === undefined ? words.heading.none : toVisibleText(row.name)}>
      <Summary keys={row.keys} />
    </Line>
  )
}

/**
 * After a start this group also holds nodes that await their first answer, so the title does not claim that they are within
 * limits.
 */
function Rest({ keys }: { readonly keys: readonly NodeKey[] }) {
  const isAwaited = useEvaluation(({ awaited }) => awaited.size > 0 && keys.some((key) => awaited.has(key)))
  return (
    <Line title={isAwaited ? words.heading.restAwaited : words.heading.rest}>
      <Summary keys={keys} />
    </Line>
  )
}

const Line = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <span className="row-heading">
    <span className="truncate">{title}</span>
    <span className="ink-3 truncate">{children}</span>
  </span>
)

function More({ keys, onOpen }: { readonly keys: readonly NodeKey[]; readonly onOpen: () => void }) {
  const classes = useEvaluation((evaluation) => evaluation.classes)
  const counts = useMemo(() => {
    return countClasses(keys.map((key) => classes.get(key) ?? 'no-data'))
  }, [keys, classes])
  return (
    <span className="row-heading">
      <Button size="small" look="quiet" tabIndex={-1} onClick={onOpen}>
        {words.heading.more(keys.length)}
      </Button>
      <span className="ink-3 truncate">{words.heading.moreNote(counts)}</span>
    </span>
  )
}

/** Headings refresh slowly, because they sum up many nodes. */
const COUNTED_EVERY_MS = 10_000

function Summary({ keys }: { readonly keys: readonly NodeKey[] }) {
  const { fleet, metrics, nowMs } = useDashboard()
  const stepMs = useSteps(COUNTED_EVERY_MS)
  return useMemo(() => {
    const { nodes, services } = fleet.get()
    const found = keys.flatMap((key) => nodes.get(key) ?? [])
    const figures = figuresOf(metrics, found, Math.max(stepMs, nowMs()))
    const parts = [
      words.heading.nodes(keys.length),
      ...(figures.answered < keys.length ? [words.heading.current(figures.answered)] : []),
      ...figures.metrics.flatMap(({ metric, heading, value }) =>
        value === undefined ? [] : [`${heading} ${formatValue(metric, value)}`],
      ),
    ]
    return services.size === 0 ? null : parts.join(' · ')
  }, [fleet, metrics, nowMs, keys, stepMs])
}
