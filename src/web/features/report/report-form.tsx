import { useState } from 'react'
import { DAY_MS, type TimeRange } from '#base/time.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { fromFieldText, rangeTexts } from '#parts/calendar-time.ts'
import { targetIn, targetText, type ReportQuery } from '#parts/report-address.ts'
import { SPAN_MAX_MS } from '#parts/time-view.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { zoneName, type Zone } from '#texts/format-time.ts'
import { nodeName } from '#texts/names.ts'
import { Button } from '#ui/button.tsx'
import { ToolGroup } from '#ui/toolbar.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { formFields } from '#ui/form-fields.tsx'

const words = availabilityTexts.form

type ReportFormProps = { readonly query: ReportQuery; readonly onShow: (query: ReportQuery) => void }

/** With more nodes, a report on a single node is opened from the node's page. */
const NODES_MAX = 200

export function ReportForm({ query, onShow }: ReportFormProps) {
  const { fleet } = useDashboard()
  const { settings, server } = useConfiguration()
  const { queryApis = [] } = server
  const zone = settings.display.timeZone
  const zoneText = zoneName(zone)
  const subjects = useSubjects(query.subject)
  const { draft, set, problem, read } = useDraft(query, zone)
  const { text, select } = formFields(draft, (name, value) => set({ [name]: value }))
  const show = (): void => {
    const given = read(fleet.get().wallMs)
    if (given === undefined) return
    const subject = subjects.find(({ value }) => value === draft.subject)?.subject ?? query.subject
    set({ subject: GIVEN })
    onShow({ ...given, subject })
  }
  return (
    <PlainPanel label={availabilityTexts.title}>
      <Form onSubmit={show}>
        <div className="settings-layout-fields">
          <SearchSelect
            label={words.nodes}
            value={draft.subject}
            options={subjects}
            onChange={(subject) => set({ subject })}
          />
          {text('from', words.from(zoneText), { type: 'datetime-local' })}
          {text('to', words.to(zoneText), {
            type: 'datetime-local',
            error: problem === 'range' && words.badRange,
          })}
          {text('target', words.target, {
            inputMode: 'decimal',
            error: problem === 'target' && words.badTarget,
          })}
          {queryApis.length > 0 &&
            select('source', words.source, {
              browser: availabilityTexts.sources.browser,
              'query-api': queryApis.map(({ name }) => name).join(', '),
            })}
        </div>
        <QuickRanges onChoose={(range) => set(rangeTexts(range, zone))} zone={zone} />
      </Form>
    </PlainPanel>
  )
}

/** The option that the URL selects. */
const GIVEN = 'given'

function useDraft(query: ReportQuery, zone: Zone) {
  const [draft, setDraft] = useState(() => ({
    subject: GIVEN,
    ...rangeTexts(query, zone),
    target: targetText(query.target),
    source: query.source,
  }))
  const [problem, setProblem] = useState<'target' | 'range'>()
  const set = (changes: Partial<typeof draft>): void => setDraft((now) => ({ ...now, ...changes }))
  const read = (nowMs: number): Omit<ReportQuery, 'subject'> | undefined => {
    const target = targetIn(draft.target)
    const fromMs = fromFieldText(draft.from, zone) ?? Number.NaN
    const toMs = fromFieldText(draft.to, zone) ?? Number.NaN
    const isRange = toMs > fromMs && toMs - fromMs <= SPAN_MAX_MS && fromMs < nowMs
    setProblem(target === undefined ? 'target' : isRange ? undefined : 'range')
    return target !== undefined && isRange ? { fromMs, toMs, target, source: draft.source } : undefined
  }
  return { draft, set, problem, read }
}

type QuickRangesProps = { readonly onChoose: (range: TimeRange) => void; readonly zone: Zone }

function QuickRanges({ onChoose, zone }: QuickRangesProps) {
  const { fleet } = useDashboard()
  return (
    <ToolGroup label={words.quick}>
      {QUICK.map((range) => (
        <Button
          key={range}
          size="small"
          onClick={() => onChoose(quickRange(range, fleet.get().wallMs, zone))}
        >
          {words.ranges[range]}
        </Button>
      ))}
      <Button type="submit" look="primary">
        {words.show}
      </Button>
    </ToolGroup>
  )
}

const QUICK = ['month', 'lastMonth', 'week', 'days'] as const

function quickRange(range: (typeof QUICK)[number], nowMs: number, zone: Zone): TimeRange {
  const now = new Date(nowMs)
  const monthMs = (months: number): number =>
    zone === 'utc'
      ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months)
      : new Date(now.getFullYear(), now.getMonth() + months).getTime()
  switch (range) {
    case 'month':
      return { fromMs: monthMs(0), toMs: nowMs }
    case 'lastMonth':
      return { fromMs: monthMs(-1), toMs: monthMs(0) }
    case 'week':
      return { fromMs: nowMs - 7 * DAY_MS, toMs: nowMs }
    case 'days':
      return { fromMs: nowMs - 30 * DAY_MS, toMs: nowMs }
  }
}

type SubjectOption = {
  readonly value: string
  readonly label: string
  readonly subject: ReportQuery['subject']
}

function useSubjects(given: ReportQuery['subject']): readonly SubjectOption[] {
  const nodes = Array.from(useFleet((fleet) => fleet.nodes).values())
  const tags = new Map<string, number>()
  for (const node of nodes) for (const tag of node.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1)
  const options: readonly SubjectOption[] = [
    { value: 'all', label: words.all(nodes.length), subject: { kind: 'all' } },
    ...Array.from(tags, ([tag, count]) => ({
      value: `tag ${tag}`,
      label: words.tagged(toVisibleText(tag), count),
      subject: { kind: 'tag', tag } as const,
    })).toSorted((a, b) => a.label.localeCompare(b.label)),
    ...(nodes.length > NODES_MAX ? [] : nodes).map((node) => ({
      value: `node ${node.key}`,
      label: toVisibleText(nodeName(node)),
      subject: { kind: 'nodes', nodes: [node.key] } as const,
    })),
  ]
  const same = options.find(({ subject }) => JSON.stringify(subject) === JSON.stringify(given))
  const label =
    same?.label ??
    (given.kind === 'nodes'
      ? words.selected(given.nodes.length)
      : words.tagged(given.kind === 'tag' ? toVisibleText(given.tag) : '', 0))
  return [{ value: GIVEN, label, subject: given }, ...options.filter((option) => option !== same)]
}
