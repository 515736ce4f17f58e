import { toVisibleRuns } from '#base/visible-text.ts'

/** Text from outside: kept apart from what surrounds it, hidden characters as code points, cut at `charsMax`. */
export function VisibleText({ text, charsMax }: { readonly text: string; readonly charsMax?: number }) {
  const { runs, cut } = toVisibleRuns(text, charsMax)
  return (
    <bdi>
      {runs.map((run, place) =>
        run.kind === 'plain' ? (
          run.text
        ) : (
          <span key={place} className="tok">
            {run.codePoint}
          </span>
        ),
      )}
      {cut && '…'}
    </bdi>
  )
}
