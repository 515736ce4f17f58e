import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph, type GlyphKind } from './glyph.tsx'

export type NavLink = {
  readonly href: string
  readonly label: string
  readonly current: boolean
  /** How many wait there; absent or 0: none. */
  readonly count?: number | undefined
}

export type AnnunciatorTile = {
  readonly kind: GlyphKind
  readonly count: number
  readonly label: string
  readonly href: string
  /** Fills the tile with its colour; for critical and warning. */
  readonly hot?: boolean
  /** Nobody has acknowledged what it counts. */
  readonly unacknowledged?: boolean
  /** More than the count and its label, for the tooltip and for readers. */
  readonly told?: string | undefined
}

type TopBarProps = {
  readonly brand: ReactNode
  readonly navLabel: string
  readonly links: readonly NavLink[]
  readonly annunciator?: ReactNode
  readonly tools?: ReactNode
}

export function TopBar({ brand, navLabel, links, annunciator, tools }: TopBarProps) {
  return (
    <header className="top">
      {brand}
      <nav className="nav" aria-label={navLabel}>
        <ul>
          {links.map((link) => (
            <li key={link.href}>
              <a href={link.href} aria-current={link.current ? 'page' : undefined}>
                {link.label}
                {link.count !== undefined && link.count > 0 && <span className="n">{link.count}</span>}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <span className="grow" />
      {annunciator}
      {tools !== undefined && <div>{tools}</div>}
    </header>
  )
}

type TilesProps = { readonly label: string; readonly tiles: readonly AnnunciatorTile[] }

/** The same counts in the same places on every page. */
export const Tiles = ({ label, tiles }: TilesProps) => (
  <ul className="ann" aria-label={label}>
    {tiles.map((tile) => (
      <li key={tile.label}>
        <Tile {...tile} />
      </li>
    ))}
  </ul>
)

function Tile({ kind, count, label, href, hot = false, unacknowledged = false, told }: AnnunciatorTile) {
  return (
    <a
      href={href}
      title={told ?? `${count} ${label}`}
      className={classNames(count === 0 ? 'zero' : hot && `hot ${kind}`)}
    >
      <Glyph kind={kind} ring={unacknowledged && count > 0 ? 'unack' : undefined} />
      <b>{count}</b> <span>{label}</span>
    </a>
  )
}
