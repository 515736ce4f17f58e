import { useState } from 'react'
import { PlaceChoice, usePlaceChoice } from '#parts/place-choice.tsx'
import { shortKey, ShownKey } from '#parts/shown-key.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { useKeyIntake } from '#react/use-key-intake.ts'
import type { KeyInfo } from '#signer/api.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { useKeyOfService, nameOfService } from '#features/settings/use-key-of-service.ts'
import { ConnectionTest, contextOf } from '#parts/connection-test.tsx'
import { ConsentDialog } from '#parts/consent-dialog.tsx'
import { useConsent } from '#react/use-consent.ts'
import type { Service } from '#settings/schema.ts'
import { useConnectionTest } from '#react/use-connection-test.ts'
import { SavedNote } from '#parts/save.tsx'

type KeyReplacementProps = {
  readonly old: KeyInfo
  readonly onRemove: () => void
  readonly onClose: () => void
}

const words = keyTexts.replace

/**
 * Replaces a key step by step; the new key exists beside the old one until each service accepts it. Progress is derived from
 * keys and settings, so that it survives a reload.
 */
export function KeyReplacement({ old, onRemove, onClose }: KeyReplacementProps) {
  const { keys } = useKeys()
  const { servicesOf } = useKeyOfService()
  const { effective } = useConfiguration()
  const others = keys.filter(({ publicKey }) => publicKey !== old.publicKey).toReversed()
  const younger = others.find(({ createdMs }) => createdMs >= old.createdMs)
  const [chosen, setChosen] = useState<string>()
  const wanted = chosen ?? younger?.publicKey
  const next = others.find(({ publicKey }) => publicKey === wanted)
  const left = servicesOf(old.publicKey)
  const [switched, setSwitched] = useState<readonly string[]>([])
  // Switched services stay listed, because a button that disappears loses the keyboard focus.
  const shown = effective.services.filter(
    (service) => left.includes(service) || switched.includes(service.baseUrl),
  )
  return (
    <Panel
      title={words.title(shortKey(old))}
      actions={
        <Button size="small" look="subtle" onClick={onClose}>
          {settingsTexts.close}
        </Button>
      }
    >
      <div className="stack">
        <p>{words.lead}</p>
        {others.length > 0 && (
          <SelectField
            label={words.by}
            value={next?.publicKey ?? ''}
            options={[
              ...others.map((key) => ({ value: key.publicKey, label: `${key.label} ${shortKey(key)}` })),
              { value: '', label: words.another },
            ]}
            onChange={setChosen}
          />
        )}
        {next === undefined ? (
          <NewKey old={old} onMade={setChosen} />
        ) : (
          <ShownKey publicKey={next.publicKey} title={words.register} />
        )}
        {next !== undefined &&
          shown.map((service) => (
            <KeySwitch
              key={service.baseUrl}
              service={service}
              publicKey={next.publicKey}
              onSwitched={() => setSwitched((now) => [...now, service.baseUrl])}
            />
          ))}
        {next !== undefined && left.length === 0 && (
          <>
            <p>
              <output className="ink-1">{words.done}</output>
            </p>
            <p>{words.revoke(shortKey(old))}</p>
            <div className="flow">
              <Button onClick={onRemove}>{words.removeOld}</Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}

type NewKeyProps = { readonly old: KeyInfo; readonly onMade: (publicKey: string) => void }

/**
 * Makes the new key. Services without a configured key use the newest one, so each is first set to the old key until it is
 * switched.
 */
function NewKey({ old, onMade }: NewKeyProps) {
  const { refreshKeys } = useDashboard()
  const { servicesOf, nameKey } = useKeyOfService()
  const { intake, make, settle } = useKeyIntake()
  const choice = usePlaceChoice('plain')
  const [isPinned, setPinned] = useState(true)
  const makeOne = async (): Promise<void> => {
    const place = choice.take()
    if (place === undefined) return
    const pinned = nameKey(old.publicKey, servicesOf(old.publicKey))
    setPinned(pinned)
    if (!pinned) return
    const made = await make(words.label(old.label), place, servicesOf(old.publicKey))
    if (made.phase !== 'ready') return
    settle()
    await refreshKeys()
    onMade(made.key.publicKey)
  }
  const problem = intake.phase === 'refused' ? formTexts.key.problems[intake.problem] : undefined
  return (
    <>
      <PlaceChoice choice={choice} />
      <div className="flow">
        <Button look="primary" busy={intake.phase === 'busy'} onClick={() => void makeOne()}>
          {words.make}
        </Button>
        <span role="alert" className="text-12 ink-1">
          {isPinned ? problem : words.notPinned}
        </span>
      </div>
    </>
  )
}

type KeySwitchProps = {
  readonly service: Service
  readonly publicKey: string
  readonly onSwitched: () => void
}

/** Tests whether a service accepts the new key while polling continues with the old one, then switches. */
function KeySwitch({ service, publicKey, onSwitched }: KeySwitchProps) {
  const { effective } = useConfiguration()
  const { connectionTest, start } = useConnectionTest()
  const { saved, nameKey } = useKeyOfService()
  const draft = { ...service, key: publicKey }
  const isDone = service.key === publicKey
  const isTaken = connectionTest.steps.some(({ name, state }) => name === 'signature' && state === 'ok')
  const { keys } = useKeys()
  const asking = useConsent()
  const test = (): void => {
    const next = keys.find((key) => key.publicKey === publicKey)
    void start(
      {
        service: draft,
        nodes: effective.nodes.filter((node) => node.service === service.baseUrl),
        sign: true,
      },
      async () => asking.consent(next, draft, true),
    )
  }
  const name = nameOfService(service)
  return (
    <>
      <p>{words.test(name)}</p>
      <ConsentDialog asking={asking} />
      <ConnectionTest connectionTest={connectionTest} context={contextOf(draft)} onTest={test} />
      <div className="flow">
        <Button
          look="primary"
          disabled={!isTaken || isDone}
          onClick={() => {
            if (nameKey(publicKey, [service])) onSwitched()
          }}
        >
          {words.switch(name)}
        </Button>
        <span className="text-12 ink-3">
          {isDone ? words.switched : isTaken ? words.taken : words.notYet}
        </span>
      </div>
      <SavedNote saved={saved} />
    </>
  )
}
