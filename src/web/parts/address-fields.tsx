import { useState } from 'react'
import type { Result } from '#base/result.ts'
import type { Address, AddressProblem } from '#protocol/address-check.ts'
import type { Service } from '#settings/schema.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { Segmented } from '#ui/choices.tsx'
import { TextField } from '#ui/text-field.tsx'

type AddressFieldsProps = {
  readonly address: string
  readonly via: Service['via']
  /** Whether the server's proxy accepts services from this page. */
  readonly canProxy: boolean
  readonly checked: Result<Address, AddressProblem>
  /** The form was submitted, so an empty field is now an error. */
  readonly isAsked: boolean
  readonly hideLabel?: boolean
  /** This option is not selected: the field is shown without any messages. */
  readonly isIdle?: boolean
  readonly error?: string | undefined
  readonly onAddress: (address: string) => void
  readonly onVia: (via: Service['via']) => void
  readonly onLeave?: () => void
}

/** Problems that any half-typed URL has; shown only after the field loses focus. */
const SHOWN_LATER: readonly AddressProblem[] = ['empty', 'not-a-url', 'not-http']

const words = formTexts.address

export function AddressFields(props: AddressFieldsProps) {
  const { address, via, canProxy, checked, isAsked, isIdle = false, error, onAddress, onVia, onLeave } = props
  const [isLeft, setLeft] = useState(false)
  const problem = isIdle || checked.ok ? undefined : checked.error
  const isShown =
    problem !== undefined && (isAsked || (isLeft && address !== '') || !SHOWN_LATER.includes(problem))
  return (
    <>
      <TextField
        label={words.label}
        hideLabel={props.hideLabel ?? false}
        mono
        type="url"
        autoComplete="url"
        placeholder={words.placeholder}
        value={address}
        error={error ?? (isShown ? words.problems[problem] : undefined)}
        hint={!isIdle && checked.ok && checked.value.isPlain ? words.plain : undefined}
        onChange={onAddress}
        onFocus={() => setLeft(false)}
        onBlur={() => {
          setLeft(true)
          onLeave?.()
        }}
      />
      {!isIdle && !canProxy && <p className="text-12 ink-3">{words.noProxy}</p>}
      {!isIdle && canProxy && (
        <div className="field">
          <Segmented
            legend={words.via}
            value={via}
            options={[
              { value: 'proxy', label: words.proxy },
              { value: 'direct', label: words.direct },
            ]}
            onChange={onVia}
          />
          <p className="text-12 ink-3">{via === 'proxy' ? words.proxyHint : words.directHint}</p>
        </div>
      )}
    </>
  )
}
