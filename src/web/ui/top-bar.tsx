import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph, type GlyphKind } from './glyph.tsx'

export type NavLink = {
  readonly href: string
  readonly label: string
  readonly current: boolean
}

export type AnnunciatorTile = {
  readonly kind: GlyphKind
  readonly count: number
  readonly label: string
  readonly href: string
  /** Fills the tile with its colour; for critical and warning. */
  readonly hot?: boolean
}

type TopBarProps = {
  readonly brand: ReactNode
  readonly navLabel: string
  readonly links: readonly NavLink[]
  readonly tilesLabel?: string
  readonly tiles?: readonly AnnunciatorTile[]
  readonly tools?: ReactNode
}

export function TopBar({ brand, navLabel, links, tilesLabel, tiles = [], tools }: TopBarProps) {
  return (
    <header className="top">
      {brand}
      <nav className="nav" aria-label={navLabel}>
        <ul>
          {links.map((link) => (
            <li key={link.href}>
              <a href={link.href} aria-current={link.current ? 'page' : undefined}>
                {link.label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <span className="grow" />
      {tiles.length > 0 && (
        <ul className="ann" aria-label={tilesLabel}>
          {tiles.map((tile) => (
            <li key={tile.label}>
              <Tile {...tile} />
            </li>
          ))}
        </ul>
      )}
      {tools !== undefined && <div>{tools}</div>}
    </header>
  )
}

function Tile({ kind, count, label, href, hot = false }: AnnunciatorTile) {
  return (
    <a
      href={href}
      title={`${count} ${label}`}
      className={classNames(count === 0 ? 'zero' : hot && `hot ${kind}`)}
    >
      <Glyph kind={kind} />
      <b>{count}</b> <span>{label}</span>
    </a>
  )
}
