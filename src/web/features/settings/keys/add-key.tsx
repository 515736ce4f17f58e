import { useState, useRef } from 'react'
import { BringKey } from '#parts/bring-key.tsx'
import { PlaceChoice, usePlaceChoice } from '#parts/place-choice.tsx'
import { ServiceChoice, useServiceChoice } from '#parts/service-choice.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useKeyIntake } from '#react/use-key-intake.ts'
import { useSignerCall } from '#react/use-signer-call.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import type { Service } from '#settings/schema.ts'
import type { MoveProblem } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { FileField, PassphraseField, takePassphrase } from '#ui/secret-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'

const words = settingsTexts.key

type AnotherKeyProps = {
  readonly isFirst: boolean
  /** The service that the key is for, if known; the form then does not ask. */
  readonly service?: Service
}

export function AnotherKey({ isFirst, service }: AnotherKeyProps) {
  const { refreshKeys } = useDashboard()
  const keyIntake = useKeyIntake()
  const { intake, make, settle } = keyIntake
  const [isBringing, setBringing] = useState(false)
  const [isChoosing, setChoosing] = useState(false)
  const choice = usePlaceChoice('plain')
  const forService = useServiceChoice()
  const take = (): readonly Service[] | undefined => (service === undefined ? forService.take() : [service])
  const show = async (): Promise<void> => {
    settle()
    setBringing(false)
    setChoosing(false)
    await refreshKeys()
  }
  const makeOne = async (): Promise<void> => {
    const services = take()
    const place = services && choice.take()
    if (services === undefined || place === undefined) return
    const made = await make(words.makeLabel, place, services)
    if (made.phase === 'ready') await show()
  }
  const isMaking = intake.phase === 'busy' && intake.origin === 'made'
  const refused = intake.phase === 'refused' && intake.origin === 'made' ? intake.problem : undefined
  return (
    <Panel title={words.another}>
      <p>{isFirst ? words.anotherFirst : words.anotherText}</p>
      <div className="flow">
        <Button aria-expanded={isChoosing} onClick={() => setChoosing((now) => !now)}>
          {words.make}
        </Button>
        <Button aria-expanded={isBringing} onClick={() => setBringing((now) => !now)}>
          {isBringing ? words.bringHide : words.bring}
        </Button>
      </div>
      {service === undefined && (isChoosing || isBringing) && <ServiceChoice choice={forService} />}
      {isChoosing && (
        <>
          <PlaceChoice choice={choice} />
          <div className="flow">
            <Button look="primary" busy={isMaking} onClick={() => void makeOne()}>
              {words.makeIt}
            </Button>
          </div>
        </>
      )}
      <p role="alert" className="ink-1">
        {refused !== undefined && `${words.makeFailed} ${formTexts.key.problems[refused]}`}
      </p>
      {isBringing && <BringKey keyIntake={keyIntake} onReady={show} services={take} />}
    </Panel>
  )
}

const moveWords = keyTexts.move

/** Imports a vault that was saved on another computer. The signer reads the file. */
export function KeyMoveIn() {
  const { signer } = useDashboard()
  const { isBusy, problem, call, clearProblem } = useSignerCall<MoveProblem>()
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const forService = useServiceChoice()
  /** The file's key already exists here, and the operator has yet to confirm. */
  const [isThere, setThere] = useState(false)
  const choose = (chosen: File | undefined): void => {
    setFile(chosen)
    setThere(false)
    clearProblem()
  }
  const take = async (chosen: File): Promise<void> => {
    const services = forService.take()
    if (isBusy || services === undefined) return
    const passphrase = takePassphrase(input)
    const taken = await call(() => signer.importVault(chosen, passphrase, moveWords.label, isThere, services))
    if (taken.ok) choose(undefined)
    else if (taken.error === 'exists') setThere(true)
  }
  return (
    <Disclosure summary={moveWords.title}>
      <FileField
        label={moveWords.file}
        prompt={file === undefined ? moveWords.filePrompt : moveWords.chosen(file.name)}
        accept="application/json,.json"
        onFile={choose}
        error={problem === undefined ? undefined : moveWords.problems[problem]}
      />
      {file !== undefined && (
        <>
          <ServiceChoice choice={forService} />
          <PassphraseField label={keyTexts.unlock.label} input={input} onEnter={() => void take(file)} />
          <div className="flow">
            <Button size="small" busy={isBusy} onClick={() => void take(file)}>
              {isThere ? moveWords.replace : moveWords.take}
            </Button>
            {isThere && (
              <Button size="small" look="subtle" onClick={() => choose(undefined)}>
                {moveWords.leave}
              </Button>
            )}
          </div>
        </>
      )}
    </Disclosure>
  )
}
