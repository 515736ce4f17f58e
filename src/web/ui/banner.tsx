import { useEffect, useId, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph } from './glyph.tsx'
import type { Level } from './level.ts'
import { useAnnounce } from './live-region.tsx'
import { usePlace } from './message-strip.tsx'

type BannerProps = {
  readonly level: Level
  /** Announced to screen readers, so it is plain text. */
  readonly title: string
  readonly children?: ReactNode
  /** Code, start time, scope, next attempt, in this order. They may tick, so they are not announced. */
  readonly facts?: readonly { readonly id: string; readonly content: ReactNode }[]
  readonly evidence?: EvidenceProps | undefined
  readonly actions?: ReactNode
  /** The actions that fit into a single line; absent: all. */
  readonly quickActions?: ReactNode
  readonly isQuiet?: boolean
}

/** One message for each cause. Announced when it appears and when its title changes: assertively if critical, else politely. */
export function Banner({
  level,
  title,
  children,
  facts = [],
  evidence,
  actions,
  quickActions = actions,
  isQuiet = false,
}: BannerProps) {
  const { form, rank } = usePlace(level, isQuiet)
  const titleId = useId()
  const announce = useAnnounce()
  useEffect(() => {
    announce(title, level === 'critical' ? 'assertive' : 'polite')
  }, [announce, title, level])
  if (form === 'hidden') return null
  const isLine = form === 'line'
  const offered = isLine ? quickActions : actions
  return (
    <section
      className={classNames('banner', level, isQuiet && 'quiet', isLine && 'line')}
      style={{ order: rank }}
      aria-labelledby={titleId}
    >
      <div className={classNames('banner-icon', level !== 'none' && 'filled')}>
        <Glyph kind={level} />
      </div>
      <div className="banner-content">
        <div className="banner-body">
          <h2 id={titleId}>{title}</h2>
          {!isLine && children !== undefined && <p>{children}</p>}
          {facts.length > 0 && (
            <div className="banner-facts text-11 ink-3">
              {facts.map((fact) => (
                <span key={fact.id}>{fact.content}</span>
              ))}
            </div>
          )}
          {!isLine && evidence !== undefined && evidence.items.length > 0 && <Evidence {...evidence} />}
        </div>
        {offered !== undefined && <div className="banner-acts flow">{offered}</div>}
      </div>
    </section>
  )
}

type EvidenceProps = {
  readonly label: string
  readonly items: readonly string[]
}

export const Evidence = ({ label, items }: EvidenceProps) => (
  <details className="banner-evidence text-12 ink-3" open>
    <summary>{label}</summary>
    <ul>
      {items.map((item) => (
        <li key={item} className="wrap-anywhere">
          {item}
        </li>
      ))}
    </ul>
  </details>
)
