import type { MouseEvent } from 'react'
import { VisibleText } from './visible-text.tsx'

type TagProps = {
  readonly tag: string
  /** To everything that has the tag. */
  readonly href: string
  /** Inside of something that leads elsewhere itself and is tabbed to: then this is no stop of its own. */
  readonly inRow?: boolean
}

/** A word that several things share, as a link to all of them. */
export const Tag = ({ tag, href, inRow = false }: TagProps) => (
  <a className="tag" href={href} {...(inRow && { tabIndex: -1, onClick: stay })}>
    <VisibleText text={tag} />
  </a>
)

/** The row's own click would lead elsewhere. */
const stay = (event: MouseEvent): void => event.stopPropagation()
