import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { isCurrentAt } from '#fleet/assessment.ts'
import { valueNow, type NodeKey } from '#fleet/live.ts'
import type { Metric } from '#metrics/metric.ts'
import { spreadText } from '#record/amount.ts'
import { ConditionCell, MetricCell, ReadingCell } from '#parts/node-cells.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, nodePath } from '#react/routes.ts'
import { useNow } from '#react/use-fleet.ts'
import { compareTexts } from '#texts/en-compare.ts'
import { formatValue } from '#texts/format-metric.ts'
import { IconButton } from '#ui/button.tsx'
import { ItemMark } from '#ui/chart/compared.tsx'
import { CompareTable } from '#ui/compare-table.tsx'
import { Panel } from '#ui/panel.tsx'
import { Value } from '#ui/value.tsx'
import type { Subject } from './use-subjects.ts'

const words = compareTexts.table

type NowTableProps = {
  readonly subjects: readonly Subject[]
  readonly onRemove: (key: NodeKey) => void
}

export function NowTable({ subjects, onRemove }: NowTableProps) {
  const { metrics } = useDashboard()
  const cells = (what: PresentProps['what']): readonly ReactNode[] =>
    subjects.map((subject) => <Present key={subject.key} subject={subject} what={what} />)
  return (
    <Panel title={words.title} flush>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls where it is wider than the page */}
      <section className="now-table" aria-label={words.caption} tabIndex={0}>
        <CompareTable
          caption={words.caption}
          corner={words.corner}
          columns={[
            ...subjects.map((subject, place) => ({
              id: subject.key,
              heading: <Heading subject={subject} place={place} onRemove={onRemove} />,
            })),
            { id: 'difference', heading: words.difference },
          ]}
          rows={[
            {
              id: 'condition',
              heading: words.condition,
              values: cells('condition'),
            },
            {
              id: 'answer',
              heading: words.answer,
              values: cells('answer'),
            },
            ...metrics.map((metric) => ({
              id: metric.id,
              heading: metric.heading,
              values: [...cells(metric), <Difference key="difference" metric={metric} subjects={subjects} />],
            })),
          ]}
        />
      </section>
    </Panel>
  )
}

type PresentProps = { readonly subject: Subject; readonly what: 'condition' | 'answer' | Metric }

function Present({ subject: { key, node }, what }: PresentProps) {
  if (node === undefined) return <span className="ink-3">{compareTexts.notWatched}</span>
  if (what === 'condition') return <ConditionCell nodeKey={key} />
  return what === 'answer' ? <ReadingCell nodeKey={key} /> : <MetricCell nodeKey={key} metric={what} />
}

type HeadingProps = Pick<NowTableProps, 'onRemove'> & { readonly subject: Subject; readonly place: number }

const Heading = ({ subject: { key, title, node }, place, onRemove }: HeadingProps) => (
  <span className="now-table-head row">
    <ItemMark place={place} />
    {node === undefined ? (
      <span className="truncate" title={title}>
        {title}
      </span>
    ) : (
      <a className="ink-1 truncate" href={hrefOf(nodePath(key))} title={title}>
        {title}
      </a>
    )}
    <IconButton small label={compareTexts.remove(title)} icon={X} onClick={() => onRemove(key)} />
  </span>
)

type DifferenceProps = { readonly metric: Metric; readonly subjects: readonly Subject[] }

function Difference({ metric, subjects }: DifferenceProps) {
  const nowMs = useNow()
  const { text, old } = differenceOf(metric, subjects, nowMs)
  return <Value old={old}>{text}</Value>
}

/** The spread of the known values; `old` if any of them is outdated. */
export function differenceOf(
  metric: Metric,
  subjects: readonly Subject[],
  nowMs: number,
): { readonly text: string; readonly old: boolean } {
  const known = subjects.flatMap(({ node, settings }) => {
    const value = node && valueNow(node, metric, nowMs)
    return node === undefined || value === undefined ? [] : [{ node, settings, value }]
  })
  const [first] = known
  if (first === undefined || known.length < 2) return { text: words.tooFew, old: true }
  const text = apart(metric, known)
  return {
    text: known.length === subjects.length ? text : words.of(text, known.length, subjects.length),
    old: known.some(({ node }) => !isCurrentAt(node, nowMs)),
  }
}

type Known = {
  readonly settings: Subject['settings']
  readonly value: NonNullable<ReturnType<typeof valueNow>>
}

function apart(metric: Metric, known: readonly Known[]): string {
  const texts = known.map(({ value }) => value.text)
  const numbers = known.flatMap(({ value }) => value.value ?? [])
  if (metric.kind === 'state' || metric.kind === 'fingerprint' || numbers.length < known.length)
    return new Set(texts).size === 1 ? words.same : words.differs
  if (!haveOneUnit(metric, known)) return words.units
  const spread = Math.max(...numbers) - Math.min(...numbers)
  // Amounts are subtracted exactly, because two different amounts may share a double.
  const isWritten = metric.unit !== 'ms' && metric.unit !== 'ratio'
  const value = { text: isWritten ? spreadText(texts) : String(spread), value: spread }
  const text = formatValue(metric, value, known[0]?.settings)
  return metric.unit === 'ratio' ? words.points(text.replace(/\s*%$/u, '')) : text
}

/** Amounts in different units cannot be compared. */
export const haveOneUnit = ({ unit }: Metric, of: readonly Pick<Known, 'settings'>[]): boolean =>
  unit !== 'amount' ||
  new Set(of.map(({ settings }) => `${settings.stakeDecimals.value} ${settings.stakeSymbol.value}`)).size <= 1
