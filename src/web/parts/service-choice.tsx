import { useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { serviceLabel } from '#texts/names.ts'
import { SelectField } from '#ui/select-field.tsx'

const words = consentTexts.forService
const NONE = 'none'
const UNASKED = ''

/** Which service a new key is for. A single service is preselected; with several, the operator must choose. */
export function useServiceChoice() {
  const { services } = useConfiguration().effective
  const [chosen, setChosen] = useState<string>()
  const [isAsked, setAsked] = useState(false)
  const [first] = services
  const usual = first === undefined ? NONE : services.length === 1 ? first.baseUrl : UNASKED
  const value = chosen ?? usual
  return {
    value,
    isAsked: isAsked && value === UNASKED,
    choose: setChosen,
    /** The services for the key; an empty list is a deliberate "none yet". Undefined until chosen, and the form then asks. */
    take: (): readonly Service[] | undefined => {
      setAsked(true)
      const service = services.find(({ baseUrl }) => baseUrl === value)
      if (service !== undefined) return [service]
      return value === NONE ? [] : undefined
    },
  }
}

export function ServiceChoice({ choice }: { readonly choice: ReturnType<typeof useServiceChoice> }) {
  const { services } = useConfiguration().effective
  if (services.length === 0) return null
  return (
    <SelectField
      label={words.legend}
      value={choice.value}
      hint={choice.value === NONE ? words.noneText : undefined}
      error={choice.isAsked ? words.asked : undefined}
      options={[
        ...(choice.value === UNASKED ? [{ value: UNASKED, label: words.asked }] : []),
        ...services.map((service) => ({
          value: service.baseUrl,
          label: toVisibleText(serviceLabel(service)),
        })),
        { value: NONE, label: words.none },
      ]}
      onChange={choice.choose}
    />
  )
}
