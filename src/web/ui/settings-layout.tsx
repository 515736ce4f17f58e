import type { ReactNode } from 'react'

export type SideLink = {
  readonly href: string
  readonly label: string
  readonly icon: ReactNode
  readonly current: boolean
}

type SettingsLayoutProps = {
  readonly navLabel: string
  readonly links: readonly SideLink[]
  readonly children: ReactNode
}

/** Sections below each other, and the way to each of them at the left; above them where there is no room. */
export const SettingsLayout = ({ navLabel, links, children }: SettingsLayoutProps) => (
  <div className="setgrid">
    <nav className="snav" aria-label={navLabel}>
      <ul>
        {links.map(({ href, label, icon, current }) => (
          <li key={href}>
            <a href={href} aria-current={current ? 'true' : undefined}>
              {icon}
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
    <div className="stack">{children}</div>
  </div>
)

type SettingsSectionProps = {
  readonly id: string
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** The heading takes focus when its section is gone to. */
export const SettingsSection = ({ id, title, lead, children }: SettingsSectionProps) => (
  <section className="setsec" aria-labelledby={id}>
    <h2 id={id} tabIndex={-1}>
      {title}
    </h2>
    {lead !== undefined && <p className="t12 ink3">{lead}</p>}
    {children}
  </section>
)

/** Fields side by side as long as they fit. */
export const FieldGrid = ({ children }: { readonly children: ReactNode }) => (
  <div className="fields">{children}</div>
)

/** A few things below each other, closer than sections. */
export const Stack = ({ children }: { readonly children: ReactNode }) => (
  <div className="stack">{children}</div>
)

/** A part of a flush panel that wants the usual padding. */
export const PanelPart = ({ children }: { readonly children: ReactNode }) => (
  <div className="pb">{children}</div>
)

/** A choice and the words under it, as close as a field and its hint. */
export const FieldGroup = ({ children }: { readonly children: ReactNode }) => (
  <div className="field">{children}</div>
)

/** Something long that few want to see. */
export const Disclosure = ({
  summary,
  children,
}: {
  readonly summary: string
  readonly children: ReactNode
}) => (
  <details className="more">
    <summary className="link">{summary}</summary>
    {children}
  </details>
)

/** Messages above the questions of the first screen; takes no room while there are none. */
export const FirstRunNotes = ({ children }: { readonly children: ReactNode }) => (
  <div className="first-notes">{children}</div>
)
