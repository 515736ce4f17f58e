import { useId, type ReactNode, type Ref } from 'react'
import { NavLinks, type NavLink } from './app-shell.tsx'
import { SelectField } from './select-field.tsx'

export type SideGroup = { readonly label: string; readonly links: readonly NavLink[] }

type SettingsLayoutProps = {
  readonly navLabel: string
  readonly groups: readonly SideGroup[]
  readonly onGo: (href: string) => void
  readonly children: ReactNode
}

export function SettingsLayout({ navLabel, groups, onGo, children }: SettingsLayoutProps) {
  const links = groups.flatMap((group) => group.links)
  return (
    <div className="settings-layout">
      <nav className="settings-layout-nav" aria-label={navLabel}>
        {groups.map((group) => (
          <SideLinks key={group.label} {...group} />
        ))}
      </nav>
      <div className="settings-layout-narrow">
        <SelectField
          label={navLabel}
          hideLabel
          value={links.find(({ current }) => current)?.href ?? ''}
          options={links.map(({ href, label }) => ({ value: href, label }))}
          onChange={onGo}
        />
      </div>
      <div className="stack">{children}</div>
    </div>
  )
}

function SideLinks({ label, links }: SideGroup) {
  const id = useId()
  return (
    <>
      <p id={id} className="settings-layout-heading text-11 ink-3">
        {label}
      </p>
      <ul aria-labelledby={id}>
        <NavLinks links={links} />
      </ul>
    </>
  )
}

type SettingsSectionProps = {
  readonly id: string
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** The heading takes the focus when the section is opened. */
export const SettingsSection = ({ id, title, lead, children }: SettingsSectionProps) => (
  <section className="stack settings-layout-section" aria-labelledby={id}>
    <h2 id={id} tabIndex={-1}>
      {title}
    </h2>
    {lead !== undefined && <p className="text-12 ink-3">{lead}</p>}
    {children}
  </section>
)

type FormProps = {
  readonly ref?: Ref<HTMLFormElement>
  readonly onSubmit: () => void
  readonly children: ReactNode
}

export const Form = ({ ref, onSubmit, children }: FormProps) => (
  <form
    ref={ref}
    className="stack"
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
  </form>
)

export const Disclosure = ({
  summary,
  children,
}: {
  readonly summary: string
  readonly children: ReactNode
}) => (
  <details className="settings-layout-more">
    <summary className="link">{summary}</summary>
    {children}
  </details>
)
