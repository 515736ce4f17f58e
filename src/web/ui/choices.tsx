import { useId, type ReactNode } from 'react'
import type { Property } from './properties.tsx'

type SegmentedProps<V extends string> = {
  readonly legend: string
  /** Undefined: none of them. */
  readonly value: V | undefined
  readonly options: readonly { readonly value: V; readonly label: ReactNode }[]
  readonly onChange: (value: V) => void
}

/** One of a few short words, side by side. */
export function Segmented<V extends string>({ legend, value, options, onChange }: SegmentedProps<V>) {
  const group = useId()
  return (
    <fieldset className="segs">
      <legend className="sr">{legend}</legend>
      <div className="seg">
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

export type RadioCard<V extends string> = {
  readonly value: V
  readonly title: string
  /** At the right of the title, e.g. "works now". */
  readonly aside?: ReactNode
  readonly text?: ReactNode
  /** Fields that belong to this choice; shown whether or not it is chosen. */
  readonly children?: ReactNode
}

type RadioCardsProps<V extends string> = {
  readonly legend: string
  readonly value: V
  readonly cards: readonly RadioCard<V>[]
  readonly onChange: (value: V) => void
}

/** One of a few, each with its explanation. Native radio buttons: arrows and forms work. */
export function RadioCards<V extends string>({ legend, value, cards, onChange }: RadioCardsProps<V>) {
  const group = useId()
  return (
    <fieldset>
      <legend className="sr">{legend}</legend>
      {cards.map((card) => {
        const id = `${group}-${card.value}`
        return (
          <div key={card.value} className="opt">
            <input
              className="radio"
              type="radio"
              id={id}
              name={group}
              checked={card.value === value}
              aria-describedby={card.text === undefined ? undefined : `${id}-text`}
              onChange={() => onChange(card.value)}
            />
            <label htmlFor={id}>{card.title}</label>
            <span className="aside">{card.aside}</span>
            {card.text !== undefined && (
              <div className="more" id={`${id}-text`}>
                {card.text}
              </div>
            )}
            {card.children !== undefined && <div className="inner">{card.children}</div>}
          </div>
        )
      })}
    </fieldset>
  )
}

/** A row of properties that is one of a few short words, under the name that its label gives it. */
export const choiceRow = <V extends string>(id: string, choice: SegmentedProps<V>): Property => ({
  id,
  label: choice.legend,
  value: <Segmented {...choice} />,
})
