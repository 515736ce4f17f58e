import { useState } from 'react'
import { AddressFields } from '#parts/address-fields.tsx'
import { AllowNote } from '#parts/allow-note.tsx'
import { checkAddress } from '#protocol/address-check.ts'
import { serviceAt, type Service } from '#settings/settings.ts'
import { createDrafts } from '#react/drafts.ts'
import { useAllowed } from '#react/use-allowed.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Panel } from '#ui/panel.tsx'
import { Form } from '#ui/settings-layout.tsx'
import { withService } from './service-fields.ts'
import { SaveRow, useSave } from '#features/settings/save.tsx'

const words = settingsTexts.services

type AddDraft = { readonly address: string; readonly via: Service['via'] }

/** The address that is being typed. */
export const useAddDraft = createDrafts<AddDraft>()

/** A service by its address; everything else begins with its default and can be edited after. */
export function AddService({ onDone }: { readonly onDone: () => void }) {
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
    if (isAllowed && save((now) => withService(now, service))) close()
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
        <SaveRow
          label={busy ? words.adding : words.add}
          busy={busy}
          onDiscard={close}
          discardLabel={settingsTexts.cancel}
          saved={saved}
        />
      </Form>
    </Panel>
  )
}
