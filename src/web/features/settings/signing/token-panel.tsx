import { useRef, useState } from 'react'
import { serviceIdOf, baseUrlOf } from '#record/service.ts'
import { serviceName } from '#record/service-name.ts'
import type { Service } from '#settings/schema.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useKeys } from '#react/use-fleet.ts'
import { useSignerCall } from '#react/use-signer-call.ts'
import { useTokens } from '#react/use-tokens.ts'
import type { KeepTokenProblem, TokenPlace } from '#signer/api.ts'
import { tokenTexts as words } from '#texts/en-tokens.ts'
import { Button } from '#ui/button.tsx'
import { Finding } from '#ui/finding.tsx'
import { Panel } from '#ui/panel.tsx'
import { PassphraseField, takeSecret } from '#ui/secret-field.tsx'
import { RadioCards } from '#ui/radio-cards.tsx'
import { needsToken } from '#signing/profile-needs.ts'
import { VisibleText } from '#ui/visible-text.tsx'

/** The signer stores the token, never the page. */
export function TokenPanel({ service }: { readonly service: Service }) {
  const { input, place, choose, canKeep, problem, said, busy, use, forget } = useTokenActs(service)
  const tokens = useTokens()
  const held = tokens?.find(({ serviceId }) => serviceId === serviceIdOf(service.baseUrl))
  return (
    <Panel title={words.title}>
      <div className="stack">
        <p className="text-12 ink-3">{words.lead}</p>
        {tokens !== undefined && (
          <Finding kind={held === undefined ? 'warning' : 'ok'} kindLabel="">
            {held === undefined ? words.needed : words.held[held.place]}
          </Finding>
        )}
        <PassphraseField
          label={held === undefined ? words.field : words.fieldNew}
          hint={words.hint}
          error={problem && (problem === 'failed' ? words.signerFailed : words.problems[problem])}
          input={input}
          isNew
          onEnter={() => void use()}
        />
        {!canKeep && <p className="text-12 ink-3">{words.onlySession}</p>}
        <RadioCards
          legend={words.legend}
          value={place}
          onChange={choose}
          cards={(canKeep ? (['session', 'device'] as const) : (['session'] as const)).map((value) => ({
            value,
            title: words[value],
            text: words[`${value}Text`],
          }))}
        />
        <div className="flow">
          <Button look="primary" busy={busy} onClick={() => void use()}>
            {words.use}
          </Button>
          {held !== undefined && (
            <Button look="quiet" onClick={() => void forget()}>
              {words.forget}
            </Button>
          )}
        </div>
        <output className="text-12 ink-1">{said}</output>
      </div>
    </Panel>
  )
}

function useTokenActs({ baseUrl }: Service) {
  const { signer } = useDashboard()
  const { report } = useKeys()
  const [place, choose] = useState<TokenPlace>('session')
  const [said, setSaid] = useState('')
  const { isBusy: busy, problem, call, clearProblem } = useSignerCall<KeepTokenProblem | 'not-configured'>()
  const forgetting = useSignerCall()
  const input = useRef<HTMLInputElement>(null)
  const canKeep = report?.cryptography === 'webcrypto' && report.storage
  const serviceId = serviceIdOf(baseUrl)

  const use = async (): Promise<void> => {
    const token = takeSecret(input)
    setSaid('')
    const kept = await call(() => signer.keepToken(serviceId, token, canKeep ? place : 'session'))
    if (kept.ok) setSaid(words.used)
  }

  const forget = async (): Promise<void> => {
    clearProblem()
    const forgotten = await forgetting.call(() => signer.forgetToken(serviceId))
    setSaid(forgotten.ok ? words.forgotten : words.forgetFailed)
  }

  return { input, place, choose, canKeep, problem, said, busy, use, forget }
}

/** Shows stored tokens without a service, so that no secret stays hidden after its service was removed. */
export function SpareTokens({ services }: { readonly services: readonly Service[] }) {
  const { signer } = useDashboard()
  const { call } = useSignerCall()
  const used = new Set(services.filter(needsToken).map(({ baseUrl }) => serviceIdOf(baseUrl)))
  const spare = (useTokens() ?? []).filter(({ serviceId }) => !used.has(serviceId))
  if (spare.length === 0) return null
  return (
    <Panel title={words.spare}>
      <div className="stack">
        <p className="text-12 ink-3">{words.spareText}</p>
        {spare.map(({ serviceId }) => (
          <div key={serviceId} className="flow">
            <VisibleText text={serviceName(baseUrlOf(serviceId) ?? serviceId)} />
            {/* A token that was not removed is still listed. */}
            <Button size="small" look="subtle" onClick={() => void call(() => signer.forgetToken(serviceId))}>
              {words.forget}
            </Button>
          </div>
        ))}
      </div>
    </Panel>
  )
}
