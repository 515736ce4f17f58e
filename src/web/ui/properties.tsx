import type { ReactNode } from 'react'

export type Property = { readonly id: string; readonly label: ReactNode; readonly value: ReactNode }

/** A property whose label is unique in its list. */
export const property = (label: string, value: ReactNode): Property => ({ id: label, label, value })

/** False and undefined stand for properties that do not apply. */
export type PropertyItems = readonly (Property | false | undefined)[]

export const Properties = ({ items }: { readonly items: PropertyItems }) => (
  <dl className="properties text-12">
    {items.map(
      (item) =>
        item && (
          <div key={item.id}>
            <dt>{item.label}</dt>
            <dd>{item.value}</dd>
          </div>
        ),
    )}
  </dl>
)
