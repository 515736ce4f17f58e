import { useKeysOn } from '#react/single-keys.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { KeyHint } from '#ui/key-hint.tsx'
import { Properties } from '#ui/properties.tsx'
import { Segmented } from '#ui/choices.tsx'

const words = alarmTexts.keys

/** Which keys do what, and the way to turn them off. */
export function KeysDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [on, setOn] = useKeysOn()
  const key = (id: string, does: string) => ({ id, label: <KeyHint>{id}</KeyHint>, value: does })
  return (
    <Dialog open={open} title={words.title} closeLabel={alarmTexts.act.close} onClose={onClose}>
      <p>{words.lead}</p>
      <Properties
        items={[
          key('A', alarmTexts.act.acknowledge),
          key('S', alarmTexts.act.shelve),
          key('M', words.mute),
          key('?', words.help),
          key('↑ ↓ Enter', words.move),
        ]}
      />
      <Segmented
        legend={words.toggle}
        value={on ? 'on' : 'off'}
        options={[
          { value: 'on', label: words.on },
          { value: 'off', label: words.off },
        ]}
        onChange={(next) => setOn(next === 'on')}
      />
    </Dialog>
  )
}

/** The same in short, below the list. */
export function KeyLegend({ onHelp }: { readonly onHelp: () => void }) {
  const [on] = useKeysOn()
  return (
    <>
      {on && (
        <span className="kbd-help">
          <KeyHint>A</KeyHint> {words.short.a} <KeyHint>S</KeyHint> {words.short.s} <KeyHint>M</KeyHint>{' '}
          {words.short.m}
        </span>
      )}
      <Button size="small" look="quiet" onClick={onHelp}>
        {alarmTexts.act.keys}
      </Button>
    </>
  )
}
