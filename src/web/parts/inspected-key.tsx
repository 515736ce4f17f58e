import type { useKeyIntake } from '#react/use-key-intake.ts'
import type { Service } from '#settings/schema.ts'
import type { InspectedKey, KeyInfo } from '#signer/api.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyFormatTexts } from '#texts/en-key-formats.ts'
import { Button } from '#ui/button.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { copying } from './copying.ts'
import { PlaceChoice, usePlaceChoice } from './place-choice.tsx'

type InspectedKeyProps = {
  readonly inspected: InspectedKey
  readonly keyIntake: ReturnType<typeof useKeyIntake>
  readonly services: () => readonly Service[] | undefined
  readonly onKept: (key: KeyInfo) => Promise<void>
  readonly onDrop: () => void
}

export function InspectedKeyForm({ inspected, keyIntake, services, onKept, onDrop }: InspectedKeyProps) {
  const { kind, family, publicKey, fingerprint } = inspected
  const { intake, keep } = keyIntake
  const choice = usePlaceChoice(family)
  const isKeeping = intake.phase === 'busy' && intake.origin === 'brought'
  const refused = intake.phase === 'refused' && intake.origin === 'brought' ? intake.problem : undefined
  const keepIt = async (): Promise<void> => {
    const chosen = services()
    const place = chosen && choice.take()
    if (chosen === undefined || place === undefined) return
    const outcome = await keep(publicKey, firstRunTexts.key.broughtLabel, place, chosen)
    if (outcome.phase === 'ready') await onKept(outcome.key)
  }
  return (
    <>
      <p>
        <output className="ink-1">{keyFormatTexts.isRead(kind)}</output>
      </p>
      {kind === 'seed' && <p className="text-12 ink-3">{keyFormatTexts.untyped}</p>}
      <CopyLine label={keyFormatTexts.publicKey} text={publicKey} {...copying} />
      <Properties
        items={[property(keyFormatTexts.fingerprint, <span className="mono">{fingerprint}</span>)]}
      />
      {family === 'chain' && <p className="ink-1">{keyFormatTexts.chain}</p>}
      <PlaceChoice choice={choice} />
      <p role="alert" className="ink-1">
        {refused !== undefined && formTexts.key.problems[refused]}
      </p>
      <div className="flow">
        <Button look="primary" busy={isKeeping} onClick={() => void keepIt()}>
          {isKeeping ? keyFormatTexts.keeping : keyFormatTexts.keep}
        </Button>
        <Button look="subtle" onClick={onDrop}>
          {keyFormatTexts.drop}
        </Button>
      </div>
    </>
  )
}
