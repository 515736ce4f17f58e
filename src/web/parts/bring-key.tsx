import type { Intake, useKeyIntake } from '#react/use-key-intake.ts'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { Button } from '#ui/button.tsx'
import { SecretField } from '#ui/secret-field.tsx'
import { ShownKey } from './shown-key.tsx'

type BringKeyProps = {
  readonly keyIntake: ReturnType<typeof useKeyIntake>
  readonly onReady: () => Promise<void>
}

/** Reads a key into the signer and shows what a service has to know about it. */
export function BringKey({ keyIntake, onReady }: BringKeyProps) {
  const { intake, bring, undo } = keyIntake
  const take = async (source: Blob | Uint8Array<ArrayBuffer>): Promise<void> => {
    const outcome = await bring(source, firstRunTexts.key.broughtLabel)
    if (outcome.phase === 'ready') await onReady()
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
  const isReading = intake.phase === 'busy' && intake.origin === 'brought'
  return (
    <SecretField
      fileLabel={formTexts.key.file}
      filePrompt={formTexts.key.filePrompt}
      pasteLabel={formTexts.key.paste}
      placeholder={formTexts.key.pastePlaceholder}
      pasteHint={formTexts.key.pasteHint}
      readLabel={isReading ? formTexts.key.reading : formTexts.key.read}
      busy={isReading}
      error={problemOf(intake)}
      onFile={(file) => void take(file)}
      onText={(bytes) => void take(bytes)}
    />
  )
}

const problemOf = (intake: Intake): string | undefined =>
  intake.phase === 'refused' && intake.origin === 'brought'
    ? formTexts.key.problems[intake.problem]
    : undefined
