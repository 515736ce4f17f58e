import { useState, useEffect } from 'react'
import { useLocation, useSearchParams } from '#react/location.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { ServiceCard } from './service-card.tsx'
import { useAdded } from '#react/use-receivers.ts'
import { useAnnounce } from '#ui/live-region.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { AddressFields } from '#parts/address-fields.tsx'
import { AllowNote } from '#parts/allow-note.tsx'
import { checkAddress } from '#protocol/address-check.ts'
import { serviceAt, type Service } from '#settings/schema.ts'
import { PATHS } from '#react/routes.ts'
import { createDrafts } from '#react/drafts.ts'
import { useAllowed } from '#react/use-allowed.ts'
import { withService } from './service-fields.ts'
import { SaveRow, useSave } from '#parts/save.tsx'

const words = settingsTexts.services

export function ServicesSection() {
  const { effective, settings } = useConfiguration()
  const [draft] = useAddDraft('')
  const [, navigate] = useLocation()
  const isAskedFor = useSearchParams()[0].has('add')
  const [isOpened, setAdding] = useState(draft !== undefined)
  const isAdding = isOpened || isAskedFor
  const [added, setAdded] = useState<string>()
  const isFull = settings.services.length >= DEFAULTS.servicesMax
  const done = (): void => {
    setAdding(false)
    if (isAskedFor) navigate(`${PATHS.settings}/services`, { replace: true })
  }
  return (
    <>
      {effective.services.length === 0 && <Empty title={words.none}>{words.noneText}</Empty>}
      {effective.services.map((service) => (
        <ServiceCard key={service.baseUrl} service={service} isNew={service.baseUrl === added} />
      ))}
      {isFull ? (
        <p className="text-12 ink-3">{words.tooMany(DEFAULTS.servicesMax)}</p>
      ) : isAdding ? (
        <AddService onAdding={setAdded} onDone={done} />
      ) : (
        <div>
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
        </div>
      )}
      <AddedServices />
    </>
  )
}

const addedServicesWords = settingsTexts.services.added
/** Longest valid base URL. */
const ADDRESS_CHARS_MAX = 300

/** Services that this dashboard's server may request although no settings use them; empty if there are none. */
function AddedServices() {
  const { unused, remove, isRemoved } = useAdded()
  const announce = useAnnounce()
  useEffect(() => {
    if (isRemoved !== undefined) announce(isRemoved ? addedServicesWords.removed : addedServicesWords.failed)
  }, [isRemoved, announce])
  if (unused.length === 0) return null
  return (
    <Panel title={addedServicesWords.title}>
      <p className="text-12">{addedServicesWords.text}</p>
      <Properties
        items={unused.map(({ baseUrl, via }) => ({
          id: baseUrl,
          label: settingsTexts.services.fields.viaNames[via],
          value: (
            <>
              <VisibleText text={baseUrl} charsMax={ADDRESS_CHARS_MAX} />{' '}
              <Button
                size="small"
                look="subtle"
                aria-label={addedServicesWords.removeOne(baseUrl)}
                onClick={() => remove(baseUrl)}
              >
                {settingsTexts.remove}
              </Button>
            </>
          ),
        }))}
      />
      {isRemoved === false && <p className="text-12 ink-1">{addedServicesWords.failed}</p>}
    </Panel>
  )
}

type AddDraft = { readonly address: string; readonly via: Service['via'] }

const useAddDraft = createDrafts<AddDraft>()

type AddServiceProps = {
  /** Called before the settings contain the service, so that its card opens with the next steps. */
  readonly onAdding: (baseUrl: string) => void
  readonly onDone: () => void
}

function AddService({ onAdding, onDone }: AddServiceProps) {
  const { server, effective } = useConfiguration()
  const [draft, setDraft] = useAddDraft('')
  const { address, via } = draft ?? { address: '', via: server.canAddServices ? 'proxy' : 'direct' }
  const [isSubmitted, setSubmitted] = useState(false)
  const [busy, setBusy] = useState(false)
  const { allow, allowProblem, forget } = useAllowed()
  const { save, saved } = useSave()
  const checked = checkAddress(address, via, location.origin)
  const service = checked.ok ? serviceAt(checked.value.baseUrl, via) : undefined
  const exists = checked.ok && effective.services.some(({ baseUrl }) => baseUrl === checked.value.baseUrl)

  const add = async (): Promise<void> => {
    setSubmitted(true)
    if (service === undefined || exists) return
    setBusy(true)
    const isAllowed = await allow(service)
    setBusy(false)
    if (!isAllowed) return
    onAdding(service.baseUrl)
    if (save((now) => withService(now, service))) close()
  }
  const close = (): void => {
    setDraft(undefined)
    onDone()
  }
  return (
    <Panel title={words.add}>
      <Form onSubmit={() => busy || void add()}>
        <AddressFields
          address={address}
          via={via}
          canProxy={server.canAddServices}
          checked={checked}
          isAsked={isSubmitted}
          error={exists ? words.exists : undefined}
          onAddress={(next) => {
            setDraft({ address: next, via })
            forget()
          }}
          onVia={(next) => {
            setDraft({ address, via: next })
            forget()
          }}
        />
        {allowProblem?.isBlocking === true && service !== undefined && (
          <AllowNote problem={allowProblem} service={service} />
        )}
        <SaveRow label={busy ? words.adding : words.add} busy={busy} onCancel={close} saved={saved} />
      </Form>
    </Panel>
  )
}
