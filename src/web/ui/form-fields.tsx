import type { ComponentProps } from 'react'
import { optionsOf } from './choices.tsx'
import { SelectField } from './select-field.tsx'
import { TextField } from './text-field.tsx'

type Given = 'label' | 'value' | 'onChange'
type TextMore = Partial<Omit<ComponentProps<typeof TextField>, Given>>
type SelectMore = Partial<Omit<ComponentProps<typeof SelectField>, Given | 'options'>>

/** The fields of a form whose values are all texts, each by the name of its value. */
export const formFields = <V extends Readonly<Record<string, string>>>(
  values: V,
  set: (name: keyof V & string, value: string) => void,
) => ({
  text: (name: keyof V & string, label: string, more: TextMore = {}) => (
    <TextField
      key={name}
      label={label}
      value={values[name] ?? ''}
      onChange={(value) => set(name, value)}
      {...more}
    />
  ),
  /** One option for each name, in the same order. */
  select: <K extends keyof V & string>(
    name: K,
    label: string,
    names: Readonly<Record<V[K], string>>,
    more: SelectMore = {},
  ) => (
    <SelectField<string>
      key={name}
      label={label}
      value={values[name] ?? ''}
      options={optionsOf<string>(names)}
      onChange={(value) => set(name, value)}
      {...more}
    />
  ),
})
