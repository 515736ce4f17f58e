import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useSay } from '#react/toasts.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Panel } from '#ui/panel.tsx'
import { SentenceRow } from '#ui/sentence.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

/** A runbook or a reason may fill a page; the list shows its beginning. */
const CHARS_MAX = 300

type Row = { readonly text: string; readonly note?: string; readonly glyph?: ReactNode }

type FormActs<T> = { readonly onSave: (item: T) => void; readonly onCancel: () => void }

export type FormOf<T> = (id: string, item: T | undefined, acts: FormActs<T>) => ReactNode

type EditedListProps<T> = {
  readonly words: {
    readonly title: string
    readonly lead?: string
    readonly add: string
    readonly none?: { readonly title: string; readonly text: string }
  }
  readonly actions?: ReactNode
  readonly items: readonly T[]
  /** Set in the server's configuration; read-only here. */
  readonly fixed: readonly T[]
  readonly fresh: string
  readonly problem: string | undefined
  /** Saves the edited items; false if that failed. */
  readonly change: (edit: (now: readonly T[]) => T[]) => boolean
  readonly rowOf: (item: T) => Row
  readonly form: FormOf<T>
  readonly removedText: (item: T) => string
  /** Shown below the list. `edit` opens the form of an item, or of a new one. */
  readonly children?: (edit: (id: string) => void) => ReactNode
}

export function EditedList<T extends { readonly id: string }>(props: EditedListProps<T>) {
  const { words, items, fixed, fresh, problem, change, rowOf, removedText, children } = props
  const [editing, setEditing] = useState<string>()
  const say = useSay()
  const close = (): void => setEditing(undefined)
  const form = (id: string, item: T | undefined): ReactNode =>
    props.form(id, item, {
      onSave: (edited) => {
        if (change((now) => placed(now, id, edited))) close()
      },
      onCancel: close,
    })
  const remove = (item: T): void => {
    if (change((now) => now.filter(({ id }) => id !== item.id)))
      say(removedText(item), () => change((now) => putBack(now, item, items)))
  }
  return (
    <Panel
      title={words.title}
      {...(words.lead !== undefined && { note: words.lead })}
      actions={
        <>
          {props.actions}
          {editing === undefined && (
            <Button size="small" icon={Plus} onClick={() => setEditing(fresh)}>
              {words.add}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        {problem !== undefined && <p role="alert">{problem}</p>}
        {items.length + fixed.length === 0 && editing === undefined && words.none !== undefined && (
          <Empty title={words.none.title}>{words.none.text}</Empty>
        )}
        {fixed.map((item) => (
          <ItemRow key={item.id} {...rowOf(item)} mark={alarmRuleTexts.own.fromServer} />
        ))}
        {items.map((item) =>
          item.id === editing ? (
            form(item.id, item)
          ) : (
            <ItemRow
              key={item.id}
              {...rowOf(item)}
              actions={
                <>
                  <Button size="small" onClick={() => setEditing(item.id)}>
                    {alarmRuleTexts.own.edit}
                  </Button>
                  <Button size="small" look="quiet" onClick={() => remove(item)}>
                    {alarmRuleTexts.own.remove}
                  </Button>
                </>
              }
            />
          ),
        )}
        {editing !== undefined && items.every(({ id }) => id !== editing) && form(editing, undefined)}
        {children?.(setEditing)}
      </div>
    </Panel>
  )
}

function ItemRow({
  text,
  note,
  glyph,
  mark,
  actions,
}: Row & { readonly mark?: string; readonly actions?: ReactNode }) {
  return (
    <SentenceRow
      {...(glyph !== undefined && { glyph })}
      text={<VisibleText text={text} charsMax={CHARS_MAX} />}
      note={
        (note !== undefined || mark !== undefined) && (
          <>
            {note !== undefined && <VisibleText text={note} charsMax={CHARS_MAX} />} {mark}
          </>
        )
      }
      actions={actions}
    />
  )
}

/** Restores a removed item at its previous position, or at the end. */
export const putBack = <T extends { readonly id: string }>(
  items: readonly T[],
  item: T,
  before: readonly T[],
): T[] => {
  const others = items.filter(({ id }) => id !== item.id)
  // Other items may have changed, so the item goes before the first remaining item that followed it.
  const behind = new Set(before.slice(before.findIndex(({ id }) => id === item.id) + 1).map(({ id }) => id))
  const place = others.findIndex(({ id }) => behind.has(id))
  return others.toSpliced(place === -1 ? others.length : place, 0, item)
}

/** Replaces the item of this id, and another one of the edited item's id, or appends a new one. */
function placed<T extends { readonly id: string }>(items: readonly T[], id: string, item: T): T[] {
  const others = items.filter((each) => each.id === id || each.id !== item.id)
  const place = others.findIndex((each) => each.id === id)
  return place === -1 ? [...others, item] : others.with(place, item)
}
