import type { ReactNode } from 'react'
import { useGroupName } from './group-name.ts'
import { property, type Property } from './properties.tsx'

/** One option for each name, in the same order. */
export function optionsOf<V extends string>(names: Readonly<Record<V, string>>) {
  const options: { readonly value: V; readonly label: string }[] = []
  for (const value in names) options.push({ value, label: names[value] })
  return options
}

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

export const choiceRow = <V extends string>(
  label: string,
  value: V,
  names: Readonly<Record<V, string>>,
  onChange: (value: V) => void,
): Property =>
  property(label, <Segmented legend={label} value={value} options={optionsOf(names)} onChange={onChange} />)
