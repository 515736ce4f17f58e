import { toVisibleRuns } from '#base/visible-text.ts'

/** Text from outside: kept apart from what surrounds it, hidden characters as code points, cut at `charsMax` with the length of the whole. */
export function VisibleText({ text, charsMax }: { readonly text: string; readonly charsMax?: number }) {
  const { runs, mark } = toVisibleRuns(text, charsMax)
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
      {mark}
    </bdi>
  )
}
