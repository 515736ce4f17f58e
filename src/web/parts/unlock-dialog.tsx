import { useRef, useState } from 'react'
import { canUsePasskeys } from '#react/platform.ts'
import { hrefOf, KEY_PATH } from '#react/routes.ts'
import { useKeys } from '#react/use-fleet.ts'
import { useUnlock } from '#react/use-locks.ts'
import type { KeyInfo } from '#signer/api.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PassphraseField, takePassphrase } from '#ui/secret-field.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { shortKey } from './shown-key.tsx'

const words = keyTexts.unlock

type UnlockDialogProps = {
  readonly open: boolean
  readonly onClose: () => void
  readonly publicKey?: string | undefined
}

export function UnlockDialog({ open, onClose, publicKey }: UnlockDialogProps) {
  const { keys } = useKeys()
  const locked = keys.filter((key) => key.locked === true).toReversed()
  const [chosen, setChosen] = useState<string>()
  const wanted = chosen ?? publicKey
  const key = locked.find((each) => each.publicKey === wanted) ?? locked[0]
  return (
    <Dialog
      open={open && key !== undefined}
      title={words.title}
      closeLabel={settingsTexts.close}
      onClose={onClose}
    >
      {key !== undefined && (
        <UnlockForm key={key.publicKey} info={key} onClose={onClose}>
          {locked.length > 1 && (
            <SelectField
              label={words.key}
              value={key.publicKey}
              options={locked.map((each) => ({ value: each.publicKey, label: nameOf(each) }))}
              onChange={setChosen}
            />
          )}
        </UnlockForm>
      )}
    </Dialog>
  )
}

const nameOf = (key: KeyInfo): string => `${key.label} ${shortKey(key)}`

type UnlockFormProps = {
  readonly info: KeyInfo
  readonly onClose: () => void
  readonly children: React.ReactNode
}

function UnlockForm({ info, onClose, children }: UnlockFormProps) {
  const input = useRef<HTMLInputElement>(null)
  const { isOpening, problem, byPassphrase, byPasskey } = useUnlock(onClose)
  const submit = (): void => {
    if (!isOpening) void byPassphrase(info, takePassphrase(input))
  }
  const hasPasskey = canUsePasskeys() && (info.passkeys ?? []).length > 0
  return (
    <div className="stack">
      <p>{words.lead}</p>
      {children}
      <PassphraseField
        label={words.label}
        hint={isOpening ? words.opening : nameOf(info)}
        error={problem === undefined ? undefined : words.problems[problem]}
        input={input}
        onEnter={submit}
      />
      <div className="flow">
        <Button look="primary" busy={isOpening} onClick={submit}>
          {words.open}
        </Button>
        {hasPasskey && (
          <Button busy={isOpening} onClick={() => void byPasskey(info)}>
            {words.withPasskey}
          </Button>
        )}
      </div>
      <Disclosure summary={words.lost.title}>
        <p>{words.lost.text}</p>
        <ol>
          {words.lost.steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <a className="link" href={hrefOf(KEY_PATH)} onClick={onClose}>
          {words.lost.open}
        </a>
      </Disclosure>
    </div>
  )
}
