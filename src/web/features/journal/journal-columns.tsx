import { Bell, CircleDot, Eye, SlidersHorizontal, Server, UserCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EventArea, KeptEntry } from '#history/event-log.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { levelWords } from '#texts/en-checks.ts'
import type { EventWords } from '#texts/en-alarm-events.ts'
import { eventWords, type EventView } from '#texts/en-events.ts'
import { journalTexts } from '#texts/en-journal.ts'
import { formatClock, formatFullTime, zoneName, type Zone } from '#texts/format-time.ts'
import type { DataColumn } from '#ui/data-table.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { Time } from '#ui/time.tsx'
import { Unfolding } from '#ui/unfolding.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import type { JournalRow } from './rows.ts'

const words = journalTexts.columns

const ICONS: Readonly<Record<EventArea, ReactNode>> = {
  alarm: <Bell className="icon small" aria-hidden />,
  service: <Server className="icon small" aria-hidden />,
  watching: <Eye className="icon small" aria-hidden />,
  record: <CircleDot className="icon small" aria-hidden />,
  operator: <UserCheck className="icon small" aria-hidden />,
  settings: <SlidersHorizontal className="icon small" aria-hidden />,
}

export type RowView = EventView & {
  readonly nameOf: (entry: KeptEntry) => string | undefined
  readonly onUnfold: (entries: readonly KeptEntry[]) => void
}

export function columnsFor(view: RowView): readonly DataColumn<JournalRow>[] {
  const wordsOf = cachedWords(view)
  const cell = (draw: (entry: KeptEntry, text: EventWords) => ReactNode) => (row: JournalRow) =>
    row.entry === undefined ? null : draw(row.entry, wordsOf(row.entry))
  return [
    {
      id: 'time',
      header: words.time(zoneName(view.zone)),
      track: '6rem',
      narrowTrack: '5rem',
      cell: cell(({ wallMs }) => <Clock atMs={wallMs} zone={view.zone} />),
    },
    {
      id: 'glyph',
      header: <span className="visually-hidden">{words.glyph}</span>,
      track: '2.5rem',
      narrowTrack: '2rem',
      cell: cell(({ area }, { level }) =>
        level === undefined ? ICONS[area] : <Glyph kind={level} label={SPOKEN[level]} />,
      ),
    },
    {
      id: 'kind',
      header: words.kind,
      track: 'minmax(6.5rem, 8.5rem)',
      narrowTrack: null,
      cell: cell((_, { kind }) => kind),
    },
    {
      id: 'node',
      header: words.node,
      track: 'minmax(5.5rem, 12rem)',
      narrowTrack: null,
      cell: cell((entry) => <Subject entry={entry} name={view.nameOf(entry)} />),
    },
    {
      id: 'what',
      header: words.what,
      track: 'minmax(9.5rem, 1fr)',
      narrowTrack: 'minmax(0, 1fr)',
      cell: (row) =>
        row.entry === undefined ? null : (
          <What row={row} title={wordsOf(row.entry).title} onUnfold={view.onUnfold} />
        ),
    },
    {
      id: 'service',
      header: words.service,
      track: '6.5rem',
      narrowTrack: null,
      cell: cell(({ serviceMs }) =>
        serviceMs === undefined ? (
          <span className="ink-3">{journalTexts.noService}</span>
        ) : (
          <Clock atMs={serviceMs} zone={view.zone} />
        ),
      ),
    },
  ]
}

type WhatProps = Pick<RowView, 'onUnfold'> & {
  readonly row: Extract<JournalRow, { readonly entry: KeptEntry }>
  readonly title: string
}

function What({ row: { fold, isMember = false }, title, onUnfold }: WhatProps) {
  const text = (
    <span className={isMember ? 'ink-3' : 'ink-1'} title={title}>
      <bdi>{title}</bdi>
    </span>
  )
  if (fold === undefined) return text
  const label = fold.isOpen ? journalTexts.fold : journalTexts.unfold
  return (
    <Unfolding isOpen={fold.isOpen} label={label} onToggle={() => onUnfold(fold.entries)}>
      {text}
    </Unfolding>
  )
}

function cachedWords(view: RowView): (entry: KeptEntry) => EventWords {
  const known = new WeakMap<KeptEntry, EventWords>()
  return (entry) => {
    const text = known.get(entry) ?? eventWords(entry, view)
    known.set(entry, text)
    return text
  }
}

const SPOKEN: Readonly<Record<NonNullable<EventWords['level']>, string>> = {
  ...levelWords,
  ...journalTexts.levels,
  none: levelWords['no-data'],
}

const Clock = ({ atMs, zone }: { readonly atMs: number; readonly zone: Zone }) => (
  <Time atMs={atMs} title={formatFullTime(atMs)}>
    {formatClock(atMs, zone)}
  </Time>
)

function Subject({ entry, name }: { readonly entry: KeptEntry; readonly name: string | undefined }) {
  if (name === undefined) return null
  if (entry.nodeKey === undefined) return <VisibleText text={name} />
  return (
    <a href={hrefOf(`${PATHS.nodes}/${entry.nodeKey}`)} tabIndex={-1} className="ink-1">
      <VisibleText text={name} />
    </a>
  )
}
