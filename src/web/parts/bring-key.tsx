import { type ReadingProblem, type useKeyIntake, useKeyReading } from '#react/use-key-intake.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyFileProblem, keyFormatTexts } from '#texts/en-key-formats.ts'
import { Button } from '#ui/button.tsx'
import { PassphraseField, SecretField, takeSecret } from '#ui/secret-field.tsx'
import { ShownKey } from './shown-key.tsx'
import { useRef } from 'react'
import type { InspectedKey, KeyInfo } from '#signer/api.ts'
import type { Service } from '#settings/schema.ts'
import type { LockedKind } from '#protocol/key-kinds.ts'
import { CopyLine } from '#ui/copy-line.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { copying } from './copying.ts'
import { PlaceChoice, usePlaceChoice } from './place-choice.tsx'

type BringKeyProps = {
  readonly keyIntake: ReturnType<typeof useKeyIntake>
  readonly onReady: (key: KeyInfo) => Promise<void>
  /** The services that the key is for; undefined until the operator chooses, and the form then asks. */
  readonly services: () => readonly Service[] | undefined
}

export function BringKey({ keyIntake, onReady, services }: BringKeyProps) {
  const { intake, undo, settle } = keyIntake
  const { reading, read, open, drop } = useKeyReading()
  const dropIt = (): void => {
    settle()
    void drop()
  }
  const kept = async (key: KeyInfo): Promise<void> => {
    await drop()
    await onReady(key)
  }
  if (intake.phase === 'ready' && intake.origin === 'brought')
    return (
      <>
        <ShownKey publicKey={intake.key.publicKey} title={formTexts.key.brought} />
        <div>
          <Button size="small" look="subtle" onClick={() => void undo()}>
            {formTexts.key.undo}
          </Button>
        </div>
      </>
    )
  if (reading.phase === 'shown')
    return (
      <InspectedKeyForm
        inspected={reading.key}
        keyIntake={keyIntake}
        services={services}
        onKept={kept}
        onDrop={dropIt}
      />
    )
  if (reading.phase === 'locked')
    return <KeyPassphrase {...reading} onOpen={(passphrase) => void open(passphrase)} onDrop={dropIt} />
  const isReading = reading.phase === 'reading'
  return (
    <SecretField
      fileLabel={formTexts.key.file}
      filePrompt={formTexts.key.filePrompt}
      pasteLabel={formTexts.key.paste}
      placeholder={formTexts.key.pastePlaceholder}
      pasteHint={formTexts.key.pasteHint}
      readLabel={isReading ? formTexts.key.reading : formTexts.key.read}
      busy={isReading}
      error={reading.phase === 'refused' ? wordsOf(reading.problem) : undefined}
      onFile={(file) => void read(file)}
      onText={(bytes) => void read(bytes)}
    />
  )
}

const wordsOf = (problem: ReadingProblem): string =>
  typeof problem === 'string' ? formTexts.key.problems[problem] : keyFileProblem(problem)

type KeyPassphraseProps = {
  readonly kind: LockedKind
  readonly opening: boolean
  readonly wrong: boolean
  readonly onOpen: (passphrase: Uint8Array<ArrayBuffer>) => void
  readonly onDrop: () => void
}

function KeyPassphrase({ kind, opening, wrong, onOpen, onDrop }: KeyPassphraseProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = (): void => {
    // Not normalized, because the tool that made the file used the bytes as typed.
    if (!opening) onOpen(takeSecret(input))
  }
  return (
    <>
      <p>
        <output className="ink-1">{keyFormatTexts.needsPassphrase(kind)}</output>
      </p>
      <PassphraseField
        label={keyFormatTexts.passphrase}
        hint={keyFormatTexts.passphraseHint}
        error={wrong ? keyFileProblem({ reason: 'wrong-passphrase', kind }) : undefined}
        input={input}
        onEnter={take}
      />
      <div className="flow">
        <Button busy={opening} onClick={take}>
          {opening ? keyFormatTexts.opening : keyFormatTexts.open}
        </Button>
        <Button look="subtle" onClick={onDrop}>
          {keyFormatTexts.drop}
        </Button>
      </div>
    </>
  )
}

type InspectedKeyProps = {
  readonly inspected: InspectedKey
  readonly keyIntake: ReturnType<typeof useKeyIntake>
  readonly services: () => readonly Service[] | undefined
  readonly onKept: (key: KeyInfo) => Promise<void>
  readonly onDrop: () => void
}

function InspectedKeyForm({ inspected, keyIntake, services, onKept, onDrop }: InspectedKeyProps) {
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
