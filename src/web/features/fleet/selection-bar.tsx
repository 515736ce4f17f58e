import { useId, useMemo, useState } from 'react'
import { isActive, type AlarmId, type AlarmView } from '#alarms/alarm.ts'
import { nodeKeyOf, type NodeKey } from '#fleet/live.ts'
import { parseTag } from '#record/typed-names.ts'
import { type WatchedNode } from '#settings/schema.ts'
import { COMPARE_MAX, COMPARE_MIN, comparePath } from '#parts/compare-address.ts'
import {
  rowsOf,
  type NodeEdits,
  type NodeRow,
  useNodeEdits,
  pollTextOf,
  withPollText,
} from '#parts/node-edits.ts'
import { ShelfForm, useAlarmActs } from '#parts/alarm-acts.tsx'
import { reportPath } from '#parts/report-address.ts'
import { problemOf, SaveRow } from '#parts/save.tsx'
import { useLocation } from '#react/location.ts'
import { usePageCommands } from '#react/page-commands.ts'
import { useSay } from '#react/toasts.ts'
import { useAlarms, useConfiguration } from '#react/use-fleet.ts'
import { useAllMembers } from '#react/use-node-alarms.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { formatSpan } from '#texts/format.ts'
import { serviceIdOf } from '#record/service.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'

const words = fleetToolTexts.selection

type SelectionBarProps = {
  readonly selected: ReadonlySet<NodeKey>
  readonly onClear: () => void
}

/** The report's URL contains the keys of the selected nodes, so their number is limited. */
const REPORT_NODES_MAX = 500

type Asking = 'tag' | 'untag' | 'interval' | 'shelve'

export function SelectionBar({ selected, onClear }: SelectionBarProps) {
  const [asking, setAsking] = useState<Asking>()
  const { edit, problem, rows } = useEdits(selected)
  const active = useActiveAlarmIds(selected)
  const { shelveMany } = useAlarmActs()
  const own = rows.filter(({ isConfigured }) => !isConfigured)
  const isFixed = own.length === 0
  const [, navigate] = useLocation()
  const end = (): void => setAsking(undefined)
  const remove = (): void => {
    if (edit(own, () => undefined, words.removed)) onClear()
  }
  const ask = (what: Asking) => (): void => setAsking(what)
  const acts: readonly Act[] = [
    { id: 'tag', label: words.addTag, isOff: isFixed, run: ask('tag') },
    { id: 'untag', label: words.removeTag, isOff: isFixed, run: ask('untag') },
    { id: 'interval', label: words.setInterval, isOff: isFixed, run: ask('interval') },
    { id: 'shelve', label: words.shelve(active.length), isOff: active.length === 0, run: ask('shelve') },
    { id: 'remove', label: words.remove(own.length), isOff: isFixed, run: remove },
    {
      id: 'report',
      label: availabilityTexts.link,
      isOff: selected.size > REPORT_NODES_MAX,
      run: () => navigate(reportPath(Array.from(selected))),
    },
  ]
  useOffered(selected, [...acts, { id: 'clear', label: words.clear, isOff: false, run: onClear }])
  return (
    <section className="selection-bar flow" aria-label={words.label}>
      <b>{words.count(selected.size)}</b>
      <CompareButton selected={selected} />
      {acts.map(({ id, label, isOff, run }) => (
        <Button key={id} size="small" disabled={isOff} onClick={run}>
          {label}
        </Button>
      ))}
      {own.length < rows.length && (
        <span className="ink-3">{words.configured(rows.length - own.length)}</span>
      )}
      <span className="grow" />
      <Button size="small" look="quiet" onClick={onClear}>
        {words.clear}
      </Button>
      <output className="combobox-problems">{problem}</output>
      <Dialog
        open={asking !== undefined}
        title={acts.find(({ id }) => id === asking)?.label ?? ''}
        closeLabel={words.cancel}
        onClose={end}
      >
        {asking === 'shelve' ? (
          <ShelfForm
            onCancel={end}
            onShelve={(forMs, reason) => {
              shelveMany(active, forMs, reason)
              end()
            }}
          />
        ) : asking === 'interval' ? (
          <IntervalForm rows={own} edit={edit} onEnd={end} />
        ) : (
          <TagForm isAdding={asking === 'tag'} rows={own} edit={edit} onEnd={end} />
        )}
      </Dialog>
    </section>
  )
}

type Act = {
  readonly id: string
  readonly label: string
  readonly isOff: boolean
  readonly run: () => void
}

function useOffered(selected: ReadonlySet<NodeKey>, acts: readonly Act[]): void {
  const detail = words.count(selected.size)
  const compare = { id: 'selection:compare', label: words.compare, detail }
  usePageCommands([
    ...(compareProblem(selected) === undefined
      ? [{ ...compare, path: comparePath(Array.from(selected)) }]
      : []),
    ...acts
      .filter(({ isOff }) => !isOff)
      .map(({ id, label, run }) => ({ id: `selection:${id}`, label, detail, run })),
  ])
}

function compareProblem({ size }: ReadonlySet<NodeKey>): string | undefined {
  if (size < COMPARE_MIN) return words.compareTooFew
  return size > COMPARE_MAX ? words.compareTooMany(COMPARE_MAX) : undefined
}

function CompareButton({ selected }: Pick<SelectionBarProps, 'selected'>) {
  const [, navigate] = useLocation()
  const reasonId = useId()
  const reason = compareProblem(selected)
  return (
    <>
      <Button
        size="small"
        disabled={reason !== undefined}
        aria-describedby={reason && reasonId}
        onClick={() => navigate(comparePath(Array.from(selected)))}
      >
        {words.compare}
      </Button>
      {reason !== undefined && (
        <span id={reasonId} className="ink-3">
          {reason}
        </span>
      )}
    </>
  )
}

type EditFormProps = Pick<ReturnType<typeof useEdits>, 'rows' | 'edit'> & { readonly onEnd: () => void }

const withTag =
  (tag: string) =>
  (node: WatchedNode): WatchedNode =>
    node.tags.includes(tag) ? node : { ...node, tags: [...node.tags, tag] }

const without =
  (tag: string) =>
  (node: WatchedNode): WatchedNode =>
    node.tags.includes(tag) ? { ...node, tags: node.tags.filter((each) => each !== tag) } : node

function TagForm({ isAdding, rows, edit, onEnd }: EditFormProps & { readonly isAdding: boolean }) {
  const [text, setText] = useState('')
  const tag = parseTag(text)
  const submit = (): void => {
    if (tag === undefined) return
    const changed = isAdding ? withTag(tag) : without(tag)
    if (edit(rows, changed, (count) => words.tagged(tag, isAdding, count))) onEnd()
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.tag}
        value={text}
        maxLength={64}
        onChange={setText}
        error={text.trim() !== '' && tag === undefined && formTexts.nodes.problems['bad-tag']}
      />
      <SaveRow label={isAdding ? words.addTag : words.removeTag} disabled={tag === undefined} />
    </Form>
  )
}

function IntervalForm({ rows, edit, onEnd }: EditFormProps) {
  const shared = new Set(rows.map(({ node }) => pollTextOf(node)))
  const [text, setText] = useState(shared.size === 1 ? (shared.values().next().value ?? '') : '')
  const read = withPollText({ tags: [] }, text)
  const submit = (): void => {
    if (!read.ok) return
    const { pollIntervalMs } = read.value
    const span = pollIntervalMs === undefined ? undefined : formatSpan(pollIntervalMs)
    const changed = (node: WatchedNode): WatchedNode => {
      const its = withPollText(node, text)
      return its.ok ? its.value : node
    }
    if (edit(rows, changed, (count) => words.intervalSet(span, count))) onEnd()
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.interval}
        hint={words.intervalHint}
        value={text}
        onChange={setText}
        error={!read.ok && fieldProblemText(read.error.poll, formatSpan)}
      />
      <SaveRow label={words.setInterval} disabled={!read.ok} />
    </Form>
  )
}

/** Returns the same object if the node needs no change. */
type Change = (node: WatchedNode) => WatchedNode | undefined

function useEdits(selected: ReadonlySet<NodeKey>) {
  const configuration = useConfiguration()
  const { edit, saved } = useNodeEdits()
  const say = useSay()
  const byService = useMemo(
    () =>
      configuration.effective.services.map(({ baseUrl }) => ({
        baseUrl,
        rows: rowsOf(configuration, baseUrl).filter(({ node }) =>
          selected.has(nodeKeyOf(serviceIdOf(baseUrl), node.id)),
        ),
      })),
    [configuration, selected],
  )
  return {
    rows: byService.flatMap(({ rows }) => rows),
    problem: problemOf(saved),
    edit: (rows: readonly NodeRow[], change: Change, done: (count: number) => string): boolean => {
      const wanted = new Set(rows)
      const edits = new Map<string, NodeEdits>()
      let count = 0
      for (const { baseUrl, rows: its } of byService) {
        const changed = its
          .filter((row) => wanted.has(row))
          .map(({ key, node }) => ({ key, before: node, node: change(node) }))
          .filter(({ before, node }) => node !== before)
        count += changed.length
        edits.set(baseUrl, new Map(changed.map(({ key, node }) => [key, { node }])))
      }
      if (count > 0) return edit(edits, done(count))
      say(done(count))
      return true
    },
  }
}

function useActiveAlarmIds(selected: ReadonlySet<NodeKey>): readonly AlarmId[] {
  const alarms = useAlarms((view) => view?.alarms)
  const open = useMemo(() => (alarms ?? []).filter((alarm) => isActive(alarm)), [alarms])
  const all = useAllMembers(open)
  return useMemo(() => all.flatMap((alarm) => idsFor(alarm, selected)), [all, selected])
}

const idsFor = (
  { id, subject, members }: AlarmView,
  selected: ReadonlySet<NodeKey>,
): readonly AlarmView['id'][] =>
  members.length > 0
    ? members.filter(({ node }) => selected.has(node)).map((member) => member.id)
    : subject.kind === 'node' && selected.has(subject.node)
      ? [id]
      : []
