import type { ReactNode } from 'react'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { FailureNote } from '#ui/failure-note.tsx'

const failure = (error: unknown, retry: () => void): ReactNode => (
  <FailureNote
    title={words.title}
    text={words.text}
    detailsLabel={words.details}
    retryLabel={words.retry}
    error={error}
    onRetry={retry}
  />
)

/** Keeps a failure to draw inside this part of the page. */
export const PartBoundary = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary fallback={failure}>{children}</ErrorBoundary>
)
