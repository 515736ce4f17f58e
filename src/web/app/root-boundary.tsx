import type { ReactNode } from 'react'
import { partFailure } from '#parts/part-boundary.tsx'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { Page } from '#ui/page.tsx'

/** The page in whose place this stands is not drawn. */
export const FAILED_ID = 'failed'

const note = partFailure(words.rootTitle, words.rootText)

const failure = (error: unknown, retry: () => void): ReactNode => (
  <main id={FAILED_ID}>
    <Page>{note(error, retry)}</Page>
  </main>
)

/** In the place of the whole page, where another program's code could answer for the server. */
export const NotStarted = () => (
  <main id={FAILED_ID}>
    <Page>
      <h1>{words.notStartedTitle}</h1>
      <p>{words.notStartedText}</p>
    </Page>
  </main>
)

type RootBoundaryProps = {
  /** Has the page loaded anew by itself, after a while, where that loses nothing. */
  readonly onError?: (error: unknown) => void
  readonly children: ReactNode
}

/** The last resort: never a blank page. The engine runs in its Worker, so watching goes on meanwhile. */
export const RootBoundary = ({ onError, children }: RootBoundaryProps) => (
  <ErrorBoundary fallback={failure} {...(onError !== undefined && { onError })}>
    {children}
  </ErrorBoundary>
)
