import { SHORTCUTS } from '#parts/key-map.ts'
import { openOverlay } from '#react/overlay.ts'
import { useKeysOn } from '#react/single-keys.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { Button } from '#ui/button.tsx'
import { KeyHint } from '#ui/key-hint.tsx'

const { acknowledge, shelve, mute } = SHORTCUTS.alarms
const words = alarmTexts.keyLegend

/** The shortcuts of the list in short, below it. */
export function KeyLegend() {
  const [on] = useKeysOn()
  return (
    <>
      {on && (
        <span className="key-legend">
          <KeyHint>{acknowledge[0]}</KeyHint> {words.acknowledge} <KeyHint>{shelve[0]}</KeyHint>{' '}
          {words.shelve} <KeyHint>{mute[0]}</KeyHint> {words.mute}
        </span>
      )}
      <Button size="small" look="quiet" onClick={() => openOverlay('shortcuts')}>
        {alarmTexts.act.keys}
      </Button>
    </>
  )
}
