import { Check } from 'lucide-react'
import type { ReactNode, MouseEvent } from 'react'
import { VisibleText } from './visible-text.tsx'

type ChipProps = {
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  readonly children: ReactNode
}

/** A toggle; the tick shows its state without relying on colour. */
export const Chip = ({ on, onChange, children }: ChipProps) => (
  <button type="button" className="chip text-12" aria-pressed={on} onClick={() => onChange(!on)}>
    {on && <Check className="icon small" aria-hidden />}
    {children}
  </button>
)

type TagProps = {
  readonly tag: string
  readonly href: string
  /** Inside a row that is itself a tab stop and a link: not a tab stop. */
  readonly inRow?: boolean
}

export const Tag = ({ tag, href, inRow = false }: TagProps) => (
  <a className="chip-tag text-11 truncate" href={href} {...(inRow && { tabIndex: -1, onClick: stay })}>
    <VisibleText text={tag} />
  </a>
)

/** Prevents the click from also opening the row. */
const stay = (event: MouseEvent): void => event.stopPropagation()
