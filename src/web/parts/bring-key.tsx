import { type useKeyIntake, useKeyReading, type ReadingProblem } from '#react/use-key-intake.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { keyFileProblem, keyFormatTexts } from '#texts/en-key-formats.ts'
import { Button } from '#ui/button.tsx'
import { SecretField, PassphraseField, takeSecret } from '#ui/secret-field.tsx'
import { InspectedKeyForm } from './inspected-key.tsx'
import { ShownKey } from './shown-key.tsx'
import { useRef } from 'react'
import type { KeyInfo } from '#signer/api.ts'
import type { Service } from '#settings/schema.ts'
import type { LockedKind } from '#protocol/key-kinds.ts'

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
        autoComplete="current-password"
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
