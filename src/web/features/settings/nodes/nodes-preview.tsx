import { useMemo, useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { shortNodeId } from '#record/node-id.ts'
import type { BadNodeLine, NodeList } from '#settings/node-list.ts'
import type { WatchedNode } from '#settings/schema.ts'
import { nameOf, tagText, type Addition, type ListedChange } from '#parts/node-edits.ts'
import { LineExcerpt } from '#parts/nodes-field.tsx'
import { serviceName } from '#record/service-name.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Segmented } from '#ui/choices.tsx'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { joined } from '#texts/format.ts'

const words = settingsTexts.nodes.preview

const KINDS = ['new', 'changed', 'unchanged', 'fixed', 'repeated', 'invalid'] as const
type Kind = (typeof KINDS)[number]

type PreviewRow =
  | {
      readonly kind: 'listed'
      readonly key: string
      readonly change: ListedChange
      readonly isElsewhere: boolean
    }
  | { readonly kind: 'bad'; readonly key: string; readonly line: BadNodeLine; readonly lineText: string }

const rowKey = ({ key }: PreviewRow): string => key

type NodesPreviewProps = {
  readonly list: NodeList
  readonly addition: Addition
  readonly baseUrl: string
}

export function NodesPreview({ list, addition, baseUrl }: NodesPreviewProps) {
  const [wanted, setWanted] = useState<Kind>('new')
  const counts: Readonly<Record<Kind, number>> = {
    new: addition.added,
    changed: addition.changed,
    unchanged: addition.unchanged,
    fixed: addition.fixed,
    repeated: list.repeatedCount,
    invalid: list.badCount - list.repeatedCount,
  }
  const kinds = KINDS.filter((kind) => counts[kind] > 0)
  const kind = kinds.includes(wanted) ? wanted : kinds[0]
  if (kind === undefined) return null
  return (
    <section aria-label={words.label}>
      <Segmented<Kind>
        legend={words.label}
        value={kind}
        options={kinds.map((each) => ({ value: each, label: words.kind(words.kinds[each], counts[each]) }))}
        onChange={setWanted}
      />
      <PreviewTable kind={kind} count={counts[kind]} list={list} addition={addition} baseUrl={baseUrl} />
    </section>
  )
}

type PreviewTableProps = NodesPreviewProps & { readonly kind: Kind; readonly count: number }

function PreviewTable({ kind, count, list, addition, baseUrl }: PreviewTableProps) {
  const rows = useMemo(() => rowsOf(kind, list, addition, baseUrl), [kind, list, addition, baseUrl])
  return (
    <>
      <DataTable<PreviewRow>
        label={`${words.label}: ${words.kinds[kind]}`}
        columns={COLUMNS}
        rows={rows}
        rowKey={rowKey}
        maxHeight="16rem"
        empty={null}
      />
      {kind === 'fixed' && <div className="panel-foot">{words.ignored.fixed}</div>}
      {(kind === 'repeated' || kind === 'invalid') && (
        <div className="panel-foot">
          {rows.length < count && `${words.first(rows.length)} `}
          {words.ignored[kind]}
        </div>
      )}
    </>
  )
}

function rowsOf(kind: Kind, { bad }: NodeList, { listed }: Addition, baseUrl: string): readonly PreviewRow[] {
  if (kind !== 'repeated' && kind !== 'invalid')
    return listed.flatMap((change) =>
      change.kind === kind
        ? [
            {
              kind: 'listed',
              key: `${change.node.service} ${change.node.id ?? ''}`,
              change,
              isElsewhere: change.node.service !== baseUrl,
            },
          ]
        : [],
    )
  return bad.flatMap((line, index) =>
    (line.problem === 'repeated') === (kind === 'repeated')
      ? [{ kind: 'bad', key: `${line.line} ${index}`, line, lineText: formTexts.nodes.line(line.line) }]
      : [],
  )
}

const EXCERPT_CHARS_MAX = 48

const COLUMNS: readonly DataColumn<PreviewRow>[] = [
  {
    id: 'node',
    header: words.columns.node,
    track: 'minmax(10rem, 1fr)',
    narrowTrack: 'minmax(0, 1fr)',
    cell: (row) =>
      row.kind === 'listed' ? (
        <span className="ink-1">{nameOf(row.change.node)}</span>
      ) : (
        <LineExcerpt text={row.line.text} charsMax={EXCERPT_CHARS_MAX} />
      ),
  },
  {
    id: 'id',
    header: words.columns.id,
    track: '9rem',
    narrowTrack: null,
    cell: (row) => {
      const id = row.kind === 'listed' ? row.change.node.id : undefined
      return (
        id !== undefined && (
          <span className="mono" title={id}>
            {shortNodeId(id)}
          </span>
        )
      )
    },
  },
  {
    id: 'what',
    header: words.columns.what,
    track: 'minmax(12rem, 2fr)',
    narrowTrack: 'minmax(0, 1.4fr)',
    cell: (row) => {
      const text =
        row.kind === 'listed'
          ? joined(' ', [
              row.isElsewhere && words.service(toVisibleText(serviceName(row.change.node.service))),
              changeText(row.change),
            ])
          : `${row.lineText}: ${formTexts.nodes.problems[row.line.problem]}`
      return <span title={text}>{text}</span>
    },
  },
]

const tagsText = (node: WatchedNode): string => toVisibleText(tagText(node)) || words.none
const nameText = ({ name }: WatchedNode): string => (name === undefined ? words.none : toVisibleText(name))

function changeText({ node, before }: ListedChange): string {
  if (before === undefined) return node.tags.map((tag) => `#${toVisibleText(tag)}`).join(' ')
  return joined('; ', [
    before.name !== node.name && words.name(nameText(before), nameText(node)),
    tagText(before) !== tagText(node) && words.tags(tagsText(before), tagsText(node)),
    before.notes !== node.notes && words.notes,
  ])
}
