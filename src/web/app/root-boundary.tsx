import type { ReactNode } from 'react'
import { partFailure } from '#parts/part-boundary.tsx'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'

/** Id of the element that replaces a page that is not rendered. */
export const FAILED_ID = 'failed'

const note = partFailure(words.rootTitle, words.rootText)

const failure = (error: unknown, retry: () => void): ReactNode => (
  <main id={FAILED_ID}>
    <div className="page">{note(error, retry)}</div>
  </main>
)

/** Replaces the page if a foreign service worker could answer for the server. */
export const NotStarted = () => (
  <main id={FAILED_ID}>
    <div className="page">
      <h1>{words.notStartedTitle}</h1>
      <p>{words.notStartedText}</p>
    </div>
  </main>
)

type RootBoundaryProps = {
  /** Schedules a reload if that loses nothing. */
  readonly onError?: (error: unknown) => void
  readonly children: ReactNode
}

/** The last resort against a blank page. The engine runs in its Worker, so polling continues. */
export const RootBoundary = ({ onError, children }: RootBoundaryProps) => (
  <ErrorBoundary fallback={failure} {...(onError !== undefined && { onError })}>
    {children}
  </ErrorBoundary>
)
