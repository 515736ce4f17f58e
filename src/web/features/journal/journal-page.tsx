import { useCallback, useMemo, useState, type ComponentProps } from 'react'
import { useSearchParams } from '#react/location.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { KeptEntry } from '#history/event-log.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { useJournal } from '#react/use-journal.ts'
import { useToggled } from '#react/use-toggled.ts'
import { eventWords } from '#texts/en-events.ts'
import { nodeEventTexts } from '#texts/en-node-events.ts'
import { journalTexts as words, journalTexts } from '#texts/en-journal.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty, Skeleton } from '#ui/empty.tsx'
import { PageHead } from '#ui/page.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { columnsFor } from './journal-columns.tsx'
import { Toolbar } from './journal-toolbar.tsx'
import { ExportButtons } from './export-buttons.tsx'
import {
  addressOf,
  filterFromAddress,
  NO_FILTER,
  queryOf,
  type JournalFilter,
  type ShowJournal,
} from './filter.ts'
import { rowKey, rowsOf, type JournalRow } from './rows.ts'
import { NoteForm } from '#parts/note-form.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { entryNameIn } from '#texts/names.ts'
import { useJournalFigures } from '#parts/journal-figures.tsx'
import { SourceChoice, WatchSource } from '#parts/watch-source.tsx'
import { Stats } from '#ui/figure.tsx'

export const JournalPage = () => (
  <WatchSource>
    <Journal />
  </WatchSource>
)

function Journal() {
  const { fleet, metrics } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const [params, setParams] = useSearchParams()
  const address = params.toString()
  const filter = useMemo(() => filterFromAddress(new URLSearchParams(address)), [address])
  const show: ShowJournal = (changes) =>
    setParams(
      (old) => {
        const now = filterFromAddress(old)
        return { ...addressOf({ ...now, ...(typeof changes === 'function' ? changes(now) : changes) }) }
      },
      { replace: true },
    )
  // The time range is fixed while the filter is unchanged, so that entries do not shift while being read.
  const query = useMemo(() => queryOf(filter, fleet.get().wallMs), [filter, fleet])
  const known = useKnownNames()
  const nameOf = useCallback((entry: KeptEntry) => entryNameIn(known.fleet.get(), entry), [known])
  const accepts = useMemo(() => searchFor(filter.search, metrics, nameOf), [filter.search, metrics, nameOf])
  return (
    <div className="page">
      <PageHead title={words.title} actions={<ExportButtons query={query} accepts={accepts} />}>
        <span className="ink-3">{words.lead}</span>
      </PageHead>
      <SourceChoice />
      <PartBoundary>
        <Figures />
      </PartBoundary>
      <Disclosure summary={nodeEventTexts.write}>
        <NoteForm about={aboutOf(filter.node, fleet.get())} zone={zone} />
      </Disclosure>
      <Toolbar filter={filter} onShow={show} />
      <Entries query={query} accepts={accepts} nameOf={nameOf} zone={zone} filter={filter} onShow={show} />
    </div>
  )
}

/** A new object whenever names may have changed, because entries are often read before nodes are known. */
function useKnownNames() {
  const { fleet } = useDashboard()
  const { effective } = useConfiguration()
  const nodes = useFleet((snapshot) => snapshot.nodes.size)
  return useMemo(() => ({ fleet, effective, nodes }), [fleet, effective, nodes])
}

type EntriesProps = {
  readonly query: ReturnType<typeof queryOf>
  readonly accepts: ((entry: KeptEntry) => boolean) | undefined
  readonly nameOf: (entry: KeptEntry) => string | undefined
  readonly zone: 'utc' | 'local'
  readonly filter: JournalFilter
  readonly onShow: ShowJournal
}

function Entries({ query, accepts, nameOf, zone, filter, onShow }: EntriesProps) {
  const { fleet, metrics } = useDashboard()
  const [openedMs] = useState(() => fleet.get().wallMs)
  const { entries, state, seen, seenToMs, readOn } = useJournal(query, accepts)
  const [unfolded, toggle] = useToggled()
  // Keyed by entry ids, so that a line stays open when it gains an entry.
  const onUnfold = useCallback((folded: readonly KeptEntry[]) => toggle(folded.map(({ id }) => id)), [toggle])
  const rows = useMemo(() => rowsOf(entries, zone, unfolded), [entries, zone, unfolded])
  const columns = useMemo(
    () => columnsFor({ zone, nowMs: openedMs, metrics, nameOf, onUnfold }),
    [zone, openedMs, metrics, nameOf, onUnfold],
  )
  const last = entries.at(-1)
  const older = (): void => {
    if (last !== undefined) onShow({ times: 'between', toMs: last.wallMs })
  }
  return (
    <PlainPanel flush label={words.title}>
      <DataTable<JournalRow>
        label={words.table}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        heading={headingOf}
        maxHeight="max(24rem, calc(100dvh - 20rem))"
        onNearEnd={readOn}
        empty={<Nothing state={state} filter={filter} onShow={onShow} onAgain={readOn} />}
      />
      <div className="panel-foot">
        <output>
          {footOf(
            state,
            entries.length,
            seen,
            filter.search !== '' && seenToMs !== undefined
              ? formatMoment(seenToMs, openedMs, zone)
              : undefined,
          )}
        </output>
        {state === 'failed' && entries.length > 0 && (
          <Button size="small" onClick={readOn}>
            {words.again}
          </Button>
        )}
        {state === 'full' && (
          <Button size="small" onClick={older}>
            {words.older}
          </Button>
        )}
        {filter.toMs !== undefined && (
          <Button size="small" onClick={() => onShow({ toMs: undefined })}>
            {words.newest}
          </Button>
        )}
      </div>
    </PlainPanel>
  )
}

const headingOf = (row: JournalRow) => (row.entry === undefined ? row.day : undefined)

function footOf(
  state: ReturnType<typeof useJournal>['state'],
  count: number,
  seen: number,
  searchedTo: string | undefined,
): string {
  if (state === 'failed') return words.failed
  if (searchedTo !== undefined && state === 'reading') return words.searching(seen, searchedTo)
  if (state === 'reading') return words.reading
  if (state === 'full') return words.full(count)
  return state === 'end' ? words.shown(count) : words.andOlder(count)
}

type NothingProps = {
  readonly state: ReturnType<typeof useJournal>['state']
  readonly filter: JournalFilter
  readonly onShow: ShowJournal
  readonly onAgain: () => void
}

function Nothing({ state, filter, onShow, onAgain }: NothingProps) {
  if (state === 'reading') return null
  if (state === 'failed')
    return <Empty title={words.failed} actions={<Button onClick={onAgain}>{words.again}</Button>} />
  if (Object.keys(addressOf(filter)).length === 0)
    return <Empty title={words.empty.title}>{words.empty.text}</Empty>
  return (
    <Empty title={words.noMatch} actions={<Button onClick={() => onShow(NO_FILTER)}>{words.clear}</Button>} />
  )
}

function aboutOf(
  key: string | undefined,
  { nodes }: FleetSnapshot,
): ComponentProps<typeof NoteForm>['about'] {
  const node = key === undefined ? undefined : nodes.get(nodeKeyFromText(key))
  return node === undefined ? {} : { nodeKey: node.key, serviceId: node.serviceId }
}

function searchFor(
  search: string,
  metrics: MetricRegistry,
  nameOf: (entry: KeptEntry) => string | undefined,
) {
  const wanted = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (wanted.length === 0) return undefined
  return (entry: KeptEntry): boolean => {
    const { kind, title } = eventWords(entry, { zone: 'utc', nowMs: entry.wallMs, metrics })
    const shown = [kind, title, nameOf(entry) ?? '', entry.nodeKey ?? '', entry.what].join(' ').toLowerCase()
    return wanted.every((word) => shown.includes(word))
  }
}

const statsWords = journalTexts.stats

function Figures() {
  const figures = useJournalFigures()
  if (figures === undefined) return <Skeleton label={statsWords.label} lines={2} />
  const { rate, repeated, longest, blind } = figures
  return <Stats label={statsWords.label} items={[rate, repeated, longest, blind]} />
}
