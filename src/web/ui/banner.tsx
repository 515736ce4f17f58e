import { useEffect, useId, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph } from './glyph.tsx'
import type { Level } from './level.ts'
import { useAnnounce } from './live-region.tsx'
import { usePlace } from './message-strip.tsx'

type BannerProps = {
  readonly level: Level
  /** What happened. Also what is read out, so it is plain text. */
  readonly title: string
  /** What it means, in one or two sentences. */
  readonly children?: ReactNode
  /** Code, since when, scope, next try: shown in this order. They may tick; they are not read out. */
  readonly facts?: readonly { readonly id: string; readonly content: ReactNode }[]
  readonly evidence?: EvidenceProps | undefined
  readonly actions?: ReactNode
  /** Those of the actions that a single line has room for; absent: all. */
  readonly quickActions?: ReactNode
  /** Somebody has acknowledged it. */
  readonly isQuiet?: boolean
}

/** One cause, one message. Read out when it appears and when its title changes: at once if critical, else politely. */
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
      <div className="banner-icon">
        <Glyph kind={level} />
      </div>
      <div className="banner-body">
        <h2 id={titleId}>{title}</h2>
        {!isLine && children !== undefined && <p>{children}</p>}
        {facts.length > 0 && (
          <div className="banner-facts">
            {facts.map((fact) => (
              <span key={fact.id}>{fact.content}</span>
            ))}
          </div>
        )}
        {!isLine && evidence !== undefined && evidence.items.length > 0 && <Evidence {...evidence} />}
      </div>
      {offered !== undefined && <div className="banner-acts">{offered}</div>}
    </section>
  )
}

/** Several banners, one below the other. */
export const BannerList = ({ children }: { readonly children: ReactNode }) => (
  <div className="banner-list">{children}</div>
)

type EvidenceProps = {
  readonly label: string
  /** A sentence each. */
  readonly items: readonly string[]
}

/** What was seen and speaks for what is said. Open at first; it may be put away. */
export const Evidence = ({ label, items }: EvidenceProps) => (
  <details className="failure-note banner-evidence" open>
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
