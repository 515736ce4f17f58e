import { SHORTCUTS } from '#parts/key-map.ts'
import { COMMAND_KEY } from '#react/overlay.ts'
import { useKeysOn } from '#react/single-keys.ts'
import { shortcutTexts as words } from '#texts/en-keyboard.ts'
import { choiceRow } from '#ui/choices.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { KeyHint } from '#ui/key-hint.tsx'
import { Properties } from '#ui/properties.tsx'
import { ROW_KEYS } from '#ui/grid-cursor.ts'

type Line = { readonly does: string; readonly keys: readonly string[] }

const linesOf = <K extends string>(
  texts: Readonly<Record<K, string>>,
  keys: Readonly<Record<K, readonly string[]>>,
): readonly Line[] => {
  const lines: Line[] = []
  for (const name in keys) lines.push({ does: texts[name], keys: keys[name] })
  return lines
}

const SCOPES: readonly { readonly id: keyof typeof words.scopes; readonly lines: readonly Line[] }[] = [
  { id: 'page', lines: linesOf(words.page, { ...SHORTCUTS.page, close: ['Escape'] }) },
  { id: 'go', lines: linesOf(words.go, SHORTCUTS.go) },
  { id: 'alarms', lines: linesOf(words.alarms, SHORTCUTS.alarms) },
  { id: 'rows', lines: linesOf(words.rows, { move: ROW_KEYS, open: ['Enter'] }) },
]

export function ShortcutsDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [on, setOn] = useKeysOn()
  return (
    <Dialog open={open} title={words.title} closeLabel={words.close} onClose={onClose}>
      <div className="shortcuts-dialog">
        {SCOPES.map(({ id, lines }) => (
          <section key={id} aria-label={words.scopes[id]}>
            <h3>{words.scopes[id]}</h3>
            <dl>
              {lines.map(({ does, keys }) => (
                <div key={does} className="shortcuts-dialog-row row text-12">
                  <dt>{does}</dt>
                  <dd>
                    {keys.map((each) => (
                      <Combination key={each} keys={each} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Properties
        items={[choiceRow(words.toggle, on ? 'on' : 'off', words.ways, (next) => setOn(next === 'on'))]}
      />
      <p className="text-12 ink-3">{words.lead}</p>
    </Dialog>
  )
}

/** "mod k" means both keys together; "g n" means one after the other. */
function Combination({ keys }: { readonly keys: string }) {
  const [first = '', second] = keys.split(' ')
  if (second === undefined) return <KeyHint>{first}</KeyHint>
  return (
    <span>
      <KeyHint>{first === 'mod' ? COMMAND_KEY : first}</KeyHint>{' '}
      {first !== 'mod' && <span className="visually-hidden">{words.andThen}</span>}{' '}
      <KeyHint>{second}</KeyHint>
    </span>
  )
}
