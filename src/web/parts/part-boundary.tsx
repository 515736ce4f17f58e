import { Children, type ReactNode } from 'react'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { Button } from '#ui/button.tsx'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { LatePartError } from '#ui/late.tsx'
import { toVisibleText } from '#base/visible-text.ts'
import { errorText, withoutKeys } from '#protocol/redact.ts'
import { VERSION } from '#texts/version.ts'
import { Banner } from '#ui/banner.tsx'
import { CopyLine } from '#ui/copy-line.tsx'
import { copying } from './copying.ts'

/** Replaces a failed part: retries rendering, or reloads the page if its code is missing. */
export const partFailure =
  (title: string, text: string) =>
  (error: unknown, retry: () => void): ReactNode => {
    const isMissing = error instanceof LatePartError
    const note = {
      title: isMissing ? words.missingTitle : title,
      text: isMissing ? words.missingText : text,
      retryLabel: isMissing ? words.reload : words.retry,
      onRetry: isMissing ? () => location.reload() : retry,
    }
    // Shown if even the error report fails to render.
    const plain = (
      <section>
        <h2>{note.title}</h2>
        <p>{note.text}</p>
        <Button onClick={note.onRetry}>{note.retryLabel}</Button>
      </section>
    )
    return (
      <ErrorBoundary fallback={() => plain}>
        <FailureReport error={error} {...note} />
      </ErrorBoundary>
    )
  }

const failure = partFailure(words.title, words.text)

export const PartBoundary = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary fallback={failure}>{children}</ErrorBoundary>
)

/** Gives each child a boundary of its own. */
export const PartBoundaries = ({ children }: { readonly children: readonly ReactNode[] }) =>
  Children.map(children, (child) => <PartBoundary>{child}</PartBoundary>)

/** Enough of a message to report it. */
const MESSAGE_CHARS_MAX = 300
const STACK_CHARS_MAX = 4_000

/** The message may quote text from the service, so hidden characters are made visible. */
const messageOf = (error: unknown): string => toVisibleText(errorText(error), MESSAGE_CHARS_MAX, 'as-written')

function reportOf(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const lines = [
    `immune-node-dashboard ${VERSION}`,
    // The rest of the URL may name a node or contain a search.
    `page ${(/^#\/[a-z]*/.exec(location.hash) ?? ['#/'])[0]}`,
    navigator.userAgent,
    messageOf(error),
    // Some browsers repeat the message, which may be long, in the stack's first line.
    ...withoutKeys(stack.replaceAll(`${location.origin}/`, ''))
      .slice(0, STACK_CHARS_MAX)
      .split('\n')
      .filter((line) => /:\d+:\d+\)?$/.test(line))
      .map((line) => toVisibleText(line.trim(), MESSAGE_CHARS_MAX, 'as-written')),
  ]
  return lines.join('\n')
}

type FailureReportProps = {
  readonly error: unknown
  readonly title: string
  readonly text: string
  readonly retryLabel: string
  readonly onRetry: () => void
}

/** Shows that rendering failed, with the error message and a retry button. For panels and for the whole page. */
const FailureReport = ({ error, title, text, retryLabel, onRetry }: FailureReportProps) => (
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
    <details className="panel-body text-12 ink-3">
      <summary>{words.details}</summary>
      <p className="mono wrap-anywhere">{messageOf(error)}</p>
      <CopyLine label={words.report} text={reportOf(error)} {...copying} />
    </details>
  </>
)
