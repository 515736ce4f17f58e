import { useState, useRef } from 'react'
import { err } from '#base/result.ts'
import { shortKey } from '#parts/shown-key.tsx'
import { UnlockDialog } from '#parts/unlock-dialog.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useKeys } from '#react/use-fleet.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { Button } from '#ui/button.tsx'
import { NewPassphrase, useNewPassphrase } from '#parts/new-passphrase.tsx'
import { PassphraseField, takePassphrase } from '#ui/secret-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { canUsePasskeys, createPasskey, saveFile } from '#react/platform.ts'
import { useLockMinutes } from '#react/use-locks.ts'
import { useLockNow, useSignerCall } from '#react/use-signer-call.ts'
import { SelectField } from '#ui/select-field.tsx'

export function KeyVaultPart({ info }: { readonly info: KeyInfo }) {
  const [isAsking, setAsking] = useState(false)
  const { isFailed, save } = useVaultCopy()
  const lock = useLockNow()
  return (
    <>
      <div className="flow">
        {info.locked === true ? (
          <Button size="small" look="primary" onClick={() => setAsking(true)}>
            {keyTexts.unlock.open}
          </Button>
        ) : (
          lock && (
            <Button size="small" onClick={lock}>
              {shellTexts.lockNow}
            </Button>
          )
        )}
        <Button size="small" onClick={() => void save(info.publicKey)}>
          {keyTexts.move.export}
        </Button>
        <span className="text-12 ink-3">{keyTexts.move.exportText}</span>
      </div>
      <p role="alert" className="text-12 ink-1">
        {isFailed && keyTexts.move.exportFailed}
      </p>
      <KeyChangePassphrase info={info} />
      <KeyPasskey info={info} />
      <UnlockDialog open={isAsking} onClose={() => setAsking(false)} publicKey={info.publicKey} />
    </>
  )
}

const words = keyTexts.change

/** Changes the vault's passphrase. Requires the current one, whether the vault is locked or open. */
function KeyChangePassphrase({ info }: { readonly info: KeyInfo }) {
  const { signer } = useDashboard()
  const { isBusy, problem, call, clearProblem } = useSignerCall<keyof typeof words.problems>()
  const current = useRef<HTMLInputElement>(null)
  const next = useNewPassphrase()
  const [isChanged, setChanged] = useState(false)
  const change = async (): Promise<void> => {
    if (isBusy) return
    setChanged(false)
    clearProblem()
    // An invalid new passphrase is reported before the old one is taken from its field.
    const passphrase = next.take()
    if (passphrase === undefined) return
    const secret = { kind: 'passphrase', passphrase: takePassphrase(current) } as const
    const changed = await call(() => signer.changePassphrase(info.publicKey, secret, passphrase))
    setChanged(changed.ok)
  }
  return (
    <Disclosure summary={words.title}>
      <p className="text-12 ink-3">{words.text}</p>
      <PassphraseField label={words.current} error={problem && words.problems[problem]} input={current} />
      <NewPassphrase passphrase={next} label={words.next} onEnter={() => void change()} />
      <div className="flow">
        <Button size="small" busy={isBusy} onClick={() => void change()}>
          {words.change}
        </Button>
        <output className="text-12 ink-1">{isBusy ? words.changing : isChanged && words.changed}</output>
      </div>
    </Disclosure>
  )
}

const passkeyWords = keyTexts.passkey
const passkeyProblems = { ...passkeyWords.problems, unsupported: passkeyWords.unsupported }

function KeyPasskey({ info }: { readonly info: KeyInfo }) {
  const { signer } = useDashboard()
  const { isBusy, problem, call } = useSignerCall<keyof typeof passkeyProblems>()
  const input = useRef<HTMLInputElement>(null)
  const [isAdded, setAdded] = useState(false)
  const add = async (): Promise<void> => {
    const passphrase = takePassphrase(input)
    setAdded(false)
    const added = await call(async () => {
      const made = await createPasskey(info.label)
      if (!made.ok) return err('unsupported')
      return signer.addPasskey(info.publicKey, { kind: 'passphrase', passphrase }, made.value)
    })
    setAdded(added.ok)
  }
  const remove = (credentialId: string): void => {
    setAdded(false)
    void call(() => signer.removePasskey(info.publicKey, credentialId))
  }
  return (
    <Disclosure summary={passkeyWords.title}>
      <p className="text-12 ink-3">{passkeyWords.text}</p>
      {canUsePasskeys() ? (
        <>
          <PassphraseField label={passkeyWords.passphrase} input={input} />
          <div className="flow">
            <Button size="small" busy={isBusy} onClick={() => void add()}>
              {passkeyWords.add}
            </Button>
            {(info.passkeys ?? []).map(({ credentialId }) => (
              <Button key={credentialId} size="small" onClick={() => remove(credentialId)}>
                {passkeyWords.remove}
              </Button>
            ))}
          </div>
        </>
      ) : (
        <p className="text-12 ink-1">{passkeyWords.needsName(location.port === '' ? '80' : location.port)}</p>
      )}
      <output className="text-12 ink-1">
        {problem === undefined ? isAdded && passkeyWords.added : passkeyProblems[problem]}
      </output>
    </Disclosure>
  )
}

/** Saves an encrypted copy of a vault as a file. `isFailed` refers to the last attempt. */
export function useVaultCopy() {
  const { signer } = useDashboard()
  const [isFailed, setFailed] = useState(false)
  return {
    isFailed,
    save: async (publicKey: string): Promise<void> => {
      const text = await signer.exportVault(publicKey).catch(() => undefined)
      setFailed(text?.ok !== true)
      if (text?.ok === true) saveFile(`immune-vault-${publicKey.slice(0, 8)}.json`, text.value)
    },
  }
}

const lockAfterWords = keyTexts.lockAfter
const CHOICES = [5, 15, 30, 60, 240, 0] as const

export function KeyLockAfter() {
  const { minutes, choose, outcome, isBusy } = useLockMinutes()
  const { keys } = useKeys()
  const [isNever, setNever] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const vault = keys.findLast(({ custody }) => custody === 'vault')
  if (minutes === undefined) return null
  const never = (): void => {
    if (vault !== undefined && !isBusy)
      choose({
        minutes: 0,
        publicKey: vault.publicKey,
        secret: { kind: 'passphrase', passphrase: takePassphrase(input) },
      })
  }
  const offered = CHOICES.some((choice) => choice === minutes) ? CHOICES : [minutes, ...CHOICES]
  return (
    <>
      <SelectField
        label={lockAfterWords.label}
        hint={outcome === 'not-kept' ? lockAfterWords.notKept : lockAfterWords.hint}
        value={String(isNever ? 0 : minutes)}
        options={offered.map((count) => ({
          value: String(count),
          label: count === 0 ? lockAfterWords.never : lockAfterWords.options(count),
        }))}
        onChange={(text) => {
          setNever(text === '0')
          if (text !== '0') choose({ minutes: Number(text) })
        }}
      />
      {isNever && minutes !== 0 && vault !== undefined && (
        <>
          <PassphraseField
            label={lockAfterWords.neverSecret(shortKey(vault))}
            error={outcome === 'wrong-secret' ? lockAfterWords.wrong : undefined}
            input={input}
            onEnter={never}
          />
          <div className="flow">
            <Button size="small" busy={isBusy} onClick={never}>
              {lockAfterWords.neverConfirm}
            </Button>
          </div>
        </>
      )}
    </>
  )
}
