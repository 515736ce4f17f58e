import type { ReactNode } from 'react'

export type Property = { readonly id: string; readonly label: ReactNode; readonly value: ReactNode }

export const Properties = ({ items }: { readonly items: readonly Property[] }) => (
  <dl className="properties">
    {items.map((item) => (
      <div key={item.id}>
        <dt>{item.label}</dt>
        <dd>{item.value}</dd>
      </div>
    ))}
  </dl>
)
