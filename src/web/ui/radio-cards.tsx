import { useId, type ReactNode } from 'react'
import { useGroupName } from './group-name.ts'

export type RadioCard<V extends string> = {
  readonly value: V
  readonly title: string
  readonly aside?: ReactNode
  readonly text?: ReactNode
  /** Fields that belong to this option; shown whether or not it is selected. */
  readonly children?: ReactNode
}

type RadioCardsProps<V extends string> = {
  readonly legend: string
  readonly value: V
  readonly cards: readonly RadioCard<V>[]
  readonly onChange: (value: V) => void
}

/** Native radio buttons with explanations, so that arrow keys and forms work. */
export function RadioCards<V extends string>({ legend, value, cards, onChange }: RadioCardsProps<V>) {
  const prefix = useId()
  const group = useGroupName()
  return (
    <fieldset>
      <legend className="visually-hidden">{legend}</legend>
      {cards.map((card) => {
        const id = `${prefix}-${card.value}`
        return (
          <div key={card.value} className="panel radio-cards-card">
            <input
              className="radio-cards-radio"
              type="radio"
              id={id}
              name={group}
              checked={card.value === value}
              aria-describedby={card.text === undefined ? undefined : `${id}-text`}
              onChange={() => onChange(card.value)}
            />
            <label htmlFor={id}>{card.title}</label>
            <span className="radio-cards-aside text-12 ink-3">{card.aside}</span>
            {card.text !== undefined && (
              <div className="radio-cards-more text-12 ink-3" id={`${id}-text`}>
                {card.text}
              </div>
            )}
            {card.children !== undefined && <div className="radio-cards-inner">{card.children}</div>}
          </div>
        )
      })}
    </fieldset>
  )
}
