import { Children, type ReactNode } from 'react'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { Button } from '#ui/button.tsx'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { LatePartError } from '#ui/late.tsx'
import { FailureReport } from './failure-report.tsx'

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
