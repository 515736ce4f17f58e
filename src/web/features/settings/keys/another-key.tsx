import { useState } from 'react'
import { BringKey } from '#parts/bring-key.tsx'
import { PlaceChoice, usePlaceChoice } from '#parts/place-choice.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useKeyIntake } from '#react/use-key-intake.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'

const words = settingsTexts.key

/** A key more: it stands in the list as soon as it is here. */
export function AnotherKey({ isFirst }: { readonly isFirst: boolean }) {
  const { refreshKeys } = useDashboard()
  const keyIntake = useKeyIntake()
  const { intake, make, settle } = keyIntake
  const [isBringing, setBringing] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const choice = usePlaceChoice('plain')
  const show = async (): Promise<void> => {
    settle()
    setBringing(false)
    setChoosing(false)
    await refreshKeys()
  }
  const makeOne = async (): Promise<void> => {
    const place = choice.take()
    if (place === undefined) return
    const made = await make(words.makeLabel, place)
    if (made.phase === 'ready') await show()
  }
  const isMaking = intake.phase === 'busy' && intake.origin === 'made'
  const refused = intake.phase === 'refused' && intake.origin === 'made' ? intake.problem : undefined
  return (
    <Panel title={words.another}>
      <p>{isFirst ? words.anotherFirst : words.anotherText}</p>
      <Flow>
        <Button aria-expanded={isChoosing} onClick={() => setChoosing((now) => !now)}>
          {words.make}
        </Button>
        <Button aria-expanded={isBringing} onClick={() => setBringing((now) => !now)}>
          {isBringing ? words.bringHide : words.bring}
        </Button>
      </Flow>
      {isChoosing && (
        <>
          <PlaceChoice choice={choice} />
          <Flow>
            <Button look="primary" busy={isMaking} onClick={() => void makeOne()}>
              {words.makeIt}
            </Button>
          </Flow>
        </>
      )}
      <p role="alert" className="ink1">
        {refused !== undefined && `${words.makeFailed} ${formTexts.key.problems[refused]}`}
      </p>
      {isBringing && <BringKey keyIntake={keyIntake} onReady={show} />}
    </Panel>
  )
}
