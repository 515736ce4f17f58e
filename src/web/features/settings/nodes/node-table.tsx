import { folded } from '#base/read-text.ts'
import { Trash2, Undo2 } from 'lucide-react'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { shortNodeId } from '#record/node-id.ts'
import { ruleKey } from '#settings/effective.ts'
import type { Service, WatchedNode } from '#settings/schema.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { createDrafts } from '#react/drafts.ts'
import { hrefOf, scopePath } from '#react/routes.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatSpan } from '#texts/format.ts'
import { idName } from '#texts/names.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Tag } from '#ui/chip.tsx'
import { DataTable, type DataColumn } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextField } from '#ui/text-field.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { ToolRow } from '#ui/toolbar.tsx'
import { nameOf, tagText, withoutOwn, type NodeEdits, type NodeRow } from '#parts/node-edits.ts'
import { draftOfRow, NodeEditor, type NodeDraft } from './node-editor.tsx'

const words = settingsTexts.nodes

type NodeTableProps = {
  readonly service: Service
  readonly label: string
  readonly rows: readonly NodeRow[]
  /** Returns false if the edits could not be saved. */
  readonly onEdit: (edits: NodeEdits, done: string) => boolean
}

const useNodeDraft = createDrafts<NodeDraft>()

const FIND_FROM_ROWS = 12

/** One line; on a phone two. */
const ROW = { wide: 2, narrow: 3.25 } as const
/** Height in rem of the fields with their error messages: side by side, or below each other on a phone. */
const EDITOR = { wide: 8.5, narrow: 21.5 } as const

const rowKey = ({ key }: NodeRow): string => key

export function NodeTable({ service, label, rows, onEdit }: NodeTableProps) {
  const [wanted, setWanted] = useState('')
  const found = useFound(rows, wanted)
  const [draft, setDraft] = useNodeDraft(service.baseUrl)
  // An unsaved draft reopens its form, but takes the focus only if it was opened in this view.
  const [isOpenedHere, setOpenedHere] = useState(false)
  const open = (row: NodeRow): void => {
    setOpenedHere(true)
    setDraft(draftOfRow(row))
  }
  const edited = draft && rows.find(({ key }) => key === draft.key)
  const remove = useRemove(onEdit)
  const columns = useMemo(() => columnsFor(remove), [remove])
  const editor = draft &&
    edited && {
      rowKey: draft.key,
      rem: EDITOR,
      form: (
        <NodeEditor
          row={edited}
          service={service}
          draft={draft}
          takesFocus={isOpenedHere}
          onChange={setDraft}
          onEdit={onEdit}
        />
      ),
    }
  return (
    <>
      {rows.length >= FIND_FROM_ROWS && (
        <ToolRow inside>
          <TextField
            label={words.find}
            hideLabel
            placeholder={words.find}
            value={wanted}
            onChange={setWanted}
          />
        </ToolRow>
      )}
      <DataTable<NodeRow>
        label={label}
        columns={columns}
        rows={found}
        rowKey={rowKey}
        rowRem={ROW}
        onOpen={open}
        onDelete={remove}
        editor={editor}
        maxHeight="max(20rem, 60dvh)"
        empty={
          <Empty
            title={words.noneFound}
            actions={<Button onClick={() => setWanted('')}>{words.showAll}</Button>}
          />
        }
      />
      <div className="panel-foot">{words.keys}</div>
    </>
  )
}

/** Stable across renders, so that the columns are stable too. */
function useRemove(onEdit: NodeTableProps['onEdit']): (row: NodeRow) => void {
  const latest = useRef(onEdit)
  useEffect(() => {
    latest.current = onEdit
  })
  return useCallback((row) => {
    if (!isRemovable(row)) return
    const done = row.isConfigured ? words.discarded : words.removed
    latest.current(withoutOwn(row), done(nameOf(row.node)))
  }, [])
}

/** For a node of the server's configuration, only this browser's own values can be removed. */
const isRemovable = ({ isConfigured, unused }: NodeRow): boolean => !isConfigured || unused !== undefined

function useFound(rows: readonly NodeRow[], wanted: string): readonly NodeRow[] {
  const text = folded(useDeferredValue(wanted).trim())
  return useMemo(() => {
    const parts = text.split(/\s+/)
    if (text === '') return rows
    return rows.filter(({ key, node }) => {
      const own = folded(`${node.name ?? ''} ${key} ${tagText(node)}`)
      return parts.every((part) => own.includes(part.replace(/^#/, '')))
    })
  }, [rows, text])
}

function columnsFor(remove: (row: NodeRow) => void): readonly DataColumn<NodeRow>[] {
  return [
    {
      id: 'name',
      header: words.columns.name,
      track: 'minmax(10rem, 1.2fr)',
      narrowTrack: 'minmax(0, 1fr)',
      cell: (row) => <NameCell row={row} />,
    },
    {
      id: 'id',
      header: words.columns.id,
      track: '9rem',
      narrowTrack: null,
      cell: ({ node: { id } }) =>
        id !== undefined && (
          <span className="mono" title={id}>
            {shortNodeId(id)}
          </span>
        ),
    },
    {
      id: 'tags',
      header: words.columns.tags,
      track: 'minmax(8rem, 1fr)',
      narrowTrack: null,
      cell: ({ node }) => node.tags.map((tag) => <NodeTag key={tag} tag={tag} />),
    },
    {
      id: 'acts',
      header: <span className="visually-hidden">{words.columns.acts}</span>,
      track: '3.5rem',
      narrowTrack: '3.5rem',
      end: true,
      cell: (row) =>
        isRemovable(row) && (
          <IconButton
            small
            tabIndex={-1}
            label={(row.isConfigured ? words.discard : words.remove)(nameOf(row.node))}
            icon={row.isConfigured ? Undo2 : Trash2}
            onClick={() => remove(row)}
          />
        ),
    },
  ]
}

function NameCell({ row: { node, isConfigured, unused } }: { readonly row: NodeRow }) {
  const { name, id, tags, pollIntervalMs } = node
  return (
    <>
      <span className="ink-1" title={name === undefined ? undefined : toVisibleText(name)}>
        {name === undefined ? (
          <span className="ink-3">{id === undefined ? idName(id) : words.noName}</span>
        ) : (
          <VisibleText text={name} />
        )}
      </span>
      {isConfigured && (
        <span className="ink-3" title={unused && unusedText(unused)}>
          {' '}
          {unused === undefined ? words.configured : words.ownUnused}
        </span>
      )}
      {pollIntervalMs !== undefined && (
        <span className="ink-3"> {words.polledEvery(formatSpan(pollIntervalMs))}</span>
      )}
      <small className="data-table-under mono text-11 ink-3">
        {id === undefined ? '' : shortNodeId(id)} {tags.map((tag) => `#${toVisibleText(tag)}`).join(' ')}
      </small>
    </>
  )
}

const unusedText = (node: WatchedNode): string =>
  [nameOf(node), ...node.tags.map((tag) => `#${toVisibleText(tag)}`)].join(' ')

const NodeTag = ({ tag }: { readonly tag: string }) => (
  <>
    <Tag tag={tag} href={hrefOf(scopePath(ruleKey({ for: 'tag', tag })))} inRow />{' '}
  </>
)
