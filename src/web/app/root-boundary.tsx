import type { ReactNode } from 'react'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { FailureNote } from '#ui/failure-note.tsx'
import { Page } from '#ui/page.tsx'

const failure = (error: unknown, retry: () => void): ReactNode => (
  <main>
    <Page>
      <FailureNote
        title={words.rootTitle}
        text={words.rootText}
        detailsLabel={words.details}
        retryLabel={words.retry}
        error={error}
        onRetry={retry}
      />
    </Page>
  </main>
)

/** The last resort: never a blank page. The engine runs in its Worker, so watching goes on meanwhile. */
export const RootBoundary = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary fallback={failure}>{children}</ErrorBoundary>
)
