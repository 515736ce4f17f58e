import { Check } from 'lucide-react'
import type { ReactNode, MouseEvent } from 'react'
import { VisibleText } from './visible-text.tsx'

type ChipProps = {
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  readonly children: ReactNode
}

/** One of several things that are each chosen or not; the tick says so without colour. */
export const Chip = ({ on, onChange, children }: ChipProps) => (
  <button type="button" className="chip" aria-pressed={on} onClick={() => onChange(!on)}>
    {on && <Check className="icon small" aria-hidden />}
    {children}
  </button>
)

type TagProps = {
  readonly tag: string
  /** To everything that has the tag. */
  readonly href: string
  /** Inside of something that leads elsewhere itself and is tabbed to: then this is no stop of its own. */
  readonly inRow?: boolean
}

/** A word that several things share, as a link to all of them. */
export const Tag = ({ tag, href, inRow = false }: TagProps) => (
  <a className="chip-tag" href={href} {...(inRow && { tabIndex: -1, onClick: stay })}>
    <VisibleText text={tag} />
  </a>
)

/** The row's own click would lead elsewhere. */
const stay = (event: MouseEvent): void => event.stopPropagation()
