import { type useKeyIntake, useKeyReading, type ReadingProblem } from '#react/use-key-intake.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { keyFileProblem } from '#texts/en-key-formats.ts'
import { Button } from '#ui/button.tsx'
import { SecretField } from '#ui/secret-field.tsx'
import { InspectedKeyForm } from './inspected-key.tsx'
import { KeyPassphrase } from './key-passphrase.tsx'
import { ShownKey } from './shown-key.tsx'

type BringKeyProps = {
  readonly keyIntake: ReturnType<typeof useKeyIntake>
  readonly onReady: () => Promise<void>
}

/** Reads a key in the signer, shows what it is, and keeps it where the operator says. */
export function BringKey({ keyIntake, onReady }: BringKeyProps) {
  const { intake, undo, settle } = keyIntake
  const { reading, read, open, drop } = useKeyReading()
  const dropIt = (): void => {
    settle()
    void drop()
  }
  const kept = async (): Promise<void> => {
    await drop()
    await onReady()
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
    return <InspectedKeyForm inspected={reading.key} keyIntake={keyIntake} onKept={kept} onDrop={dropIt} />
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
