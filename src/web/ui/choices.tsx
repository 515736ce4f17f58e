import type { ReactNode } from 'react'
import { useGroupName } from './group-name.ts'
import type { Property } from './properties.tsx'

type SegmentedProps<V extends string> = {
  readonly legend: string
  /** Undefined: nothing selected. */
  readonly value: V | undefined
  readonly options: readonly { readonly value: V; readonly label: ReactNode }[]
  readonly onChange: (value: V) => void
}

export function Segmented<V extends string>({ legend, value, options, onChange }: SegmentedProps<V>) {
  const group = useGroupName()
  return (
    <fieldset className="choices-field">
      <legend className="visually-hidden">{legend}</legend>
      <div className="choices">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={group}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

export const choiceRow = <V extends string>(id: string, choice: SegmentedProps<V>): Property => ({
  id,
  label: choice.legend,
  value: <Segmented {...choice} />,
})
