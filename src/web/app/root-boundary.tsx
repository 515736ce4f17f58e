import type { ReactNode } from 'react'
import { partFailure } from '#parts/part-boundary.tsx'
import { boundaryTexts as words } from '#texts/en-boundary.ts'
import { ErrorBoundary } from '#ui/error-boundary.tsx'
import { Page } from '#ui/page.tsx'

const note = partFailure(words.rootTitle, words.rootText)

const failure = (error: unknown, retry: () => void): ReactNode => (
  <main>
    <Page>{note(error, retry)}</Page>
  </main>
)

/** The last resort: never a blank page. The engine runs in its Worker, so watching goes on meanwhile. */
export const RootBoundary = ({ children }: { readonly children: ReactNode }) => (
  <ErrorBoundary fallback={failure}>{children}</ErrorBoundary>
)
