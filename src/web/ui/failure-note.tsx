import type { ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'

type FailureNoteProps = {
  readonly title: string
  readonly text: string
  readonly detailsLabel: string
  readonly retryLabel: string
  readonly message: string
  readonly report: ReactNode
  readonly onRetry: () => void
}

/** Enough of a message to report it. The message may quote text from the service, so hidden characters are made visible. */
const MESSAGE_CHARS_MAX = 300

/** Shows that rendering failed, with the error message and a retry button. For panels and for the whole page. */
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
      <details className="failure-note text-12 ink-3">
        <summary>{detailsLabel}</summary>
        <p className="mono wrap-anywhere">{toVisibleText(message, MESSAGE_CHARS_MAX, 'as-written')}</p>
        {report}
      </details>
    </>
  )
}
