import type { ReactNode } from 'react'
import { hrefOf, PATHS } from '#react/routes.ts'
import { Banner } from '#ui/banner.tsx'
import { Button, LinkButton } from '#ui/button.tsx'

/** A button: `does` is a section of the settings to open, or a function to call. */
type Act = readonly [label: string, does: string | (() => void), look?: 'plain' | 'primary']

type MessageProps = {
  readonly level?: 'info' | 'warning'
  readonly title: string
  readonly acts: readonly (Act | false)[]
  readonly children: ReactNode
}

export const Message = ({ level = 'warning', title, acts, children }: MessageProps) => (
  <Banner
    level={level}
    title={title}
    actions={acts.map((act) => act && <ActButton key={act[0]} act={act} />)}
  >
    {children}
  </Banner>
)

const ActButton = ({ act: [label, does, look = 'plain'] }: { readonly act: Act }) =>
  typeof does === 'string' ? (
    <LinkButton size="small" href={hrefOf(`${PATHS.settings}/${does}`)}>
      {label}
    </LinkButton>
  ) : (
    <Button size="small" look={look} onClick={does}>
      {label}
    </Button>
  )
