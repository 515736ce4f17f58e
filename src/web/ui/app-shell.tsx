import type { ReactNode } from 'react'

type AppShellProps = {
  readonly skipLabel: string
  readonly top?: ReactNode
  readonly status?: ReactNode
  readonly children: ReactNode
}

/** Bar, page, status line. The skip link moves focus without touching the address, which holds the route. */
export function AppShell({ skipLabel, top, status, children }: AppShellProps) {
  return (
    <div className="app">
      <a
        className="skip"
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
