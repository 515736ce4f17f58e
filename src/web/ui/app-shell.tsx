import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph, type GlyphKind } from './glyph.tsx'
import { LiveDot, type LiveDotProps } from './live-dot.tsx'

type AppShellProps = {
  readonly skipLabel: string
  readonly top?: ReactNode
  readonly status?: ReactNode
  readonly children: ReactNode
}

/** The skip link moves the focus without changing the URL, whose hash holds the route. */
export function AppShell({ skipLabel, top, status, children }: AppShellProps) {
  return (
    <div className="app-shell">
      <a
        className="app-shell-skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        {skipLabel}
      </a>
      {top ?? <div />}
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {status}
    </div>
  )
}

type StatusLineProps = { readonly label: string; readonly children: ReactNode }

/** Status of the dashboard itself. Not a live region, because its values tick. Its children are `StatusItem`s. */
export const StatusLine = ({ label, children }: StatusLineProps) => (
  <footer className="app-shell-status text-11 ink-3" aria-label={label}>
    {children}
  </footer>
)

/** Items of the status line; those at the end that do not fit are hidden. */
export const StatusFactList = ({ children }: { readonly children: ReactNode }) => (
  <div className="app-shell-facts">{children}</div>
)

type StatusItemProps = {
  /** The dot that blinks while polling runs; `off` is a broken ring. */
  readonly dot?: LiveDotProps
  /** Aligned right. */
  readonly end?: boolean
  readonly children: ReactNode
}

export const StatusItem = ({ dot, end, children }: StatusItemProps) => (
  <span className={classNames(end && 'end')}>
    {dot !== undefined && <LiveDot {...dot} />}
    {children}
  </span>
)

export function Brand({ name, href }: { readonly name: string; readonly href?: string }) {
  const content = (
    <>
      <svg className="icon" viewBox="0 0 24 24" aria-hidden>
        <path d="M12 21v-8.2M12 12.8 7.2 8V3.6M12 12.8 16.8 8V3.6M9.9 9.1V5M14.1 9.1V5" />
      </svg>
      <span>{name}</span>
    </>
  )
  return href === undefined ? (
    <div className="app-shell-brand row">{content}</div>
  ) : (
    <a className="app-shell-brand row" href={href} aria-label={name}>
      {content}
    </a>
  )
}

export type NavLink = {
  readonly href: string
  readonly label: string
  /** In the top bar of a phone, shown above the label. */
  readonly icon?: ReactNode
  readonly current: boolean
  /** Items waiting there; no badge if absent. */
  readonly count?: number | undefined
}

export type AnnunciatorTile = {
  readonly kind: GlyphKind
  readonly count: number
  readonly label: string
  readonly href: string
  readonly hot?: boolean
  readonly unacknowledged?: boolean
  /** Longer text for the tooltip and for screen readers. */
  readonly title?: string | undefined
}

type TopBarProps = {
  readonly brand: ReactNode
  readonly navLabel: string
  readonly links: readonly NavLink[]
  readonly jump?: ReactNode
  readonly annunciator?: ReactNode
  readonly tools?: ReactNode
}

export function TopBar({ brand, navLabel, links, jump, annunciator, tools }: TopBarProps) {
  return (
    <header className="app-shell-top">
      {brand}
      <nav className="app-shell-nav" aria-label={navLabel}>
        <ul className="tab-links">
          <NavLinks links={links} />
        </ul>
      </nav>
      {jump}
      <span className="grow" />
      {annunciator}
      {tools !== undefined && <div>{tools}</div>}
    </header>
  )
}

export const NavLinks = ({ links }: { readonly links: readonly NavLink[] }) =>
  links.map(({ href, label, icon, current, count }) => (
    <li key={href}>
      <a className="row ink-3" href={href} aria-current={current ? 'page' : undefined}>
        {icon}
        {label}
        {count !== undefined && <span className="count">{count}</span>}
      </a>
    </li>
  ))

type TilesProps = { readonly label: string; readonly tiles: readonly AnnunciatorTile[] }

export const Tiles = ({ label, tiles }: TilesProps) => (
  <ul className="app-shell-tiles" aria-label={label}>
    {tiles.map((tile) => (
      <li key={tile.label}>
        <Tile {...tile} />
      </li>
    ))}
  </ul>
)

function Tile({ kind, count, label, href, hot = false, unacknowledged = false, title }: AnnunciatorTile) {
  const name = `${count} ${label}`
  const isHot = hot && count > 0
  return (
    <a
      href={href}
      title={title ?? name}
      aria-label={name}
      className={classNames(
        'row text-12',
        count === 0 && 'zero',
        isHot ? `filled ${kind === 'none' ? 'critical' : kind}` : 'ink-3',
      )}
    >
      <Glyph kind={kind} ring={unacknowledged && count > 0 ? 'unack' : undefined} />
      <b>{count}</b> <span>{label}</span>
    </a>
  )
}
