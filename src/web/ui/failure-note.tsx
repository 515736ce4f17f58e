import type { ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'

type FailureNoteProps = {
  readonly title: string
  readonly text: string
  readonly detailsLabel: string
  readonly retryLabel: string
  /** What the error said. */
  readonly message: string
  /** What can be copied, below it. */
  readonly report: ReactNode
  readonly onRetry: () => void
}

/** Enough of a message to report it; a message may quote a service's text, so it is made visible too. */
const MESSAGE_CHARS_MAX = 300

/** "Could not draw", with what the error said and a button to try again. For panels and for the whole page. */
export function FailureNote(props: FailureNoteProps) {
  const { title, text, detailsLabel, retryLabel, message, report, onRetry } = props
  return (
    <>
      <Banner
        level="warning"
        title={title}
        actions={
          <Button size="small" look="primary" onClick={onRetry}>
            {retryLabel}
          </Button>
        }
      >
        {text}
      </Banner>
      <details className="failure-note">
        <summary>{detailsLabel}</summary>
        <p className="mono wrap-anywhere">{toVisibleText(message, MESSAGE_CHARS_MAX, 'as-written')}</p>
        {report}
      </details>
    </>
  )
}
