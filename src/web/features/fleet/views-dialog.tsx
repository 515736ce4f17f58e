import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { DEFAULTS } from '#base/defaults.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { useDashboard } from '#react/dashboard.ts'
import { problemOf, useSave } from '#parts/save.tsx'
import { hrefOf } from '#react/routes.ts'
import { useSay } from '#react/toasts.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import type { SavedView } from '#settings/schema.ts'
import { savedViewTexts as words } from '#texts/en-saved-views.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { TextField } from '#ui/text-field.tsx'
import { pathOfView, viewNamed, withView } from './saved-views.ts'
import { joined } from '#texts/format.ts'

type ViewsDialogProps = {
  readonly query: string
  readonly onClose: () => void
}

export function ViewsDialog({ query, onClose }: ViewsDialogProps) {
  const { settings, effective } = useConfiguration()
  const { views } = settings
  const { problem, save } = useViews()
  const [renamed, setRenamed] = useState<SavedView>()
  const shown = effective.views.find((view) => view.query === query)
  return (
    <Dialog
      open
      title={words.title}
      closeLabel={words.close}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          {words.close}
        </Button>
      }
    >
      {renamed === undefined ? (
        <NameForm
          key=""
          label={words.name}
          name={shown?.name ?? ''}
          submit={(name) => (viewNamed(views, name) === undefined ? words.save : words.update)}
          problem={(name) =>
            viewNamed(views, name) === undefined && views.length >= DEFAULTS.viewsMax
              ? words.full(DEFAULTS.viewsMax)
              : problem
          }
          onSubmit={(name) => {
            const done = viewNamed(views, name) === undefined ? words.saved : words.updated
            save(withView(views, { name, query }), done(toVisibleText(name)))
          }}
        />
      ) : (
        <NameForm
          key={renamed.name}
          label={words.newName(toVisibleText(renamed.name))}
          name={renamed.name}
          submit={() => words.rename}
          problem={(name) => {
            const other = viewNamed(views, name)
            return other === undefined || other === renamed ? problem : words.taken
          }}
          onSubmit={(name) => {
            save(renamedIn(views, renamed, name), words.renamed(toVisibleText(name)))
            setRenamed(undefined)
          }}
        />
      )}
      {effective.views.length === 0 && <p className="ink-3">{words.none}</p>}
      <ul className="check-box-list">
        {effective.views.map((view) => (
          <ViewItem
            key={view.name}
            view={view}
            isShown={view === shown}
            isOwn={views.includes(view)}
            onOpen={onClose}
            onRename={() => setRenamed(view)}
            onRemove={() => save(without(views, view), words.removed(toVisibleText(view.name)))}
          />
        ))}
      </ul>
    </Dialog>
  )
}

const renamedIn = (views: readonly SavedView[], which: SavedView, name: string): readonly SavedView[] =>
  views.map((view) => (view === which ? { ...view, name } : view))

const without = (views: readonly SavedView[], which: SavedView): readonly SavedView[] =>
  views.filter((view) => view !== which)

type NameFormProps = {
  readonly label: string
  readonly name: string
  readonly submit: (name: string) => string
  readonly problem: (name: string) => string | undefined
  readonly onSubmit: (name: string) => void
}

function NameForm({ label, name: given, submit, problem, onSubmit }: NameFormProps) {
  const [typed, setTyped] = useState(given)
  const name = typed.trim()
  const error = problem(name)
  return (
    <Form
      onSubmit={() => {
        if (name !== '' && error === undefined) onSubmit(name)
      }}
    >
      <TextField label={label} value={typed} onChange={setTyped} error={error} />
      <div className="flow">
        <Button type="submit" disabled={name === '' || error !== undefined}>
          {submit(name)}
        </Button>
      </div>
    </Form>
  )
}

type ViewItemProps = {
  readonly view: SavedView
  readonly isShown: boolean
  /** Saved in this browser; views of the server can only be opened. */
  readonly isOwn: boolean
  readonly onOpen: () => void
  readonly onRename: () => void
  readonly onRemove: () => void
}

function ViewItem({ view, isShown, isOwn, onOpen, onRename, onRemove }: ViewItemProps) {
  const name = toVisibleText(view.name)
  return (
    <li className="row">
      <a className="link" href={hrefOf(pathOfView(view))} onClick={onOpen}>
        {name}
      </a>
      <span className="grow ink-3">{joined(', ', [!isOwn && words.fromServer, isShown && words.shown])}</span>
      {isOwn && (
        <>
          <IconButton small label={words.renameThis(name)} icon={Pencil} onClick={onRename} />
          <IconButton small label={words.remove(name)} icon={Trash2} onClick={onRemove} />
        </>
      )}
    </li>
  )
}

function useViews() {
  const { configuration } = useDashboard()
  const say = useSay()
  const { saved, save } = useSave()
  const put = (views: readonly SavedView[]): boolean => save((now) => ({ ...now, views: [...views] }))
  return {
    problem: problemOf(saved),
    save: (views: readonly SavedView[], done: string): void => {
      const before = configuration.get().settings.views
      if (put(views)) say(done, () => void put(before))
    },
  }
}
