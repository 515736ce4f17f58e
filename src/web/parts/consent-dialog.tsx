import { useRef } from 'react'
import { canUsePasskeys } from '#react/platform.ts'
import { hrefOf, signingPath } from '#react/routes.ts'
import { useRefusedText } from '#react/use-refused-text.ts'
import { askPasskeyOf } from '#react/use-locks.ts'
import type { UseConsent } from '#react/use-consent.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { consentTexts as words } from '#texts/en-consent.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { serviceLabel } from '#texts/names.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { PassphraseField, takePassphrase } from '#ui/secret-field.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { shortKey } from './shown-key.tsx'
import { SigningSummary } from './signing-summary.tsx'

export function ConsentDialog({ asking }: { readonly asking: UseConsent }) {
  const { asked, close } = asking
  const name = asked === undefined ? '' : serviceLabel(asked.service)
  return (
    <Dialog
      open={asked !== undefined}
      title={words.title(name)}
      closeLabel={settingsTexts.close}
      onClose={close}
    >
      {asked !== undefined && <Ask asking={asking} asked={asked} name={name} />}
    </Dialog>
  )
}

type AskProps = {
  readonly asking: UseConsent
  readonly asked: NonNullable<UseConsent['asked']>
  readonly name: string
}

function Ask({ asking, asked: { info, service }, name }: AskProps) {
  const { grant, close, problem, isBusy } = asking
  const { effective } = useConfiguration()
  const isRefused = useRefusedText(service) !== undefined
  const isConfigured = effective.services.some(({ baseUrl }) => baseUrl === service.baseUrl)
  const input = useRef<HTMLInputElement>(null)
  const isVault = info.custody === 'vault'
  const passkeys = info.passkeys ?? []
  const short = `${shortKey(info)} (${info.label})`
  const said = problem === undefined || problem === 'needs-secret' ? undefined : words.problems[problem]
  const allow = (): void =>
    void grant(isVault ? { kind: 'passphrase', passphrase: takePassphrase(input) } : undefined)
  const byPasskey = async (): Promise<void> => {
    const secret = await askPasskeyOf(info)
    if (secret !== undefined) await grant(secret)
  }
  return (
    <div className="stack">
      <p className="wrap-anywhere">
        <VisibleText text={words.lead(short, name)} charsMax={400} />
      </p>
      <SigningSummary service={service} />
      {isVault && !isRefused && (
        <PassphraseField
          label={keyTexts.unlock.label}
          hint={isBusy ? words.checking : words.whySecret}
          error={said}
          input={input}
          onEnter={allow}
        />
      )}
      {!isVault && (
        <p role="alert" className="text-12 ink-1">
          {said}
        </p>
      )}
      <div className="flow">
        <Button onClick={close}>{settingsTexts.cancel}</Button>
        {isRefused && isConfigured && (
          <LinkButton look="primary" href={hrefOf(signingPath(service.baseUrl))} onClick={close}>
            {words.refused.change}
          </LinkButton>
        )}
        {!isRefused && (
          <Button look="primary" busy={isBusy} onClick={allow}>
            {words.allow(name)}
          </Button>
        )}
        {isVault && !isRefused && canUsePasskeys() && passkeys.length > 0 && (
          <Button busy={isBusy} onClick={() => void byPasskey()}>
            {keyTexts.unlock.withPasskey}
          </Button>
        )}
      </div>
    </div>
  )
}
