import { Suspense, type ReactNode } from 'react'
import { errorText } from '#protocol/redact.ts'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { FailureNote } from '#ui/failure-note.tsx'
import { LatePartError, late } from '#ui/late.tsx'

const FailureReport = late(async () => (await import('./failure-report.tsx')).FailureReport)

/** Where even that can't be had, the message stands alone. */
const report = (error: unknown): ReactNode => (
  <ErrorBoundary fallback={() => null}>
    <Suspense>
      <FailureReport error={error} />
    </Suspense>
  </ErrorBoundary>
)

/** What stands in the place of a part that failed: drawn again, or where its code is missing, loaded again. */
export const partFailure =
  (title: string, text: string) =>
  (error: unknown, retry: () => void): ReactNode => {
    const isMissing = error instanceof LatePartError
    return (
      <FailureNote
        title={isMissing ? words.missingTitle : title}
        text={isMissing ? words.missingText : text}
        detailsLabel={words.details}
        retryLabel={isMissing ? words.reload : words.retry}
        message={errorText(error)}
        report={report(error)}
        onRetry={isMissing ? () => location.reload() : retry}
      />
    )
  }

const failure = partFailure(words.title, words.text)

/** Keeps a failure to draw inside this part of the page. */
export const PartBoundary = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary fallback={failure}>{children}</ErrorBoundary>
)
