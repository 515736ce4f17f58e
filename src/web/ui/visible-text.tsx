import { toVisibleRuns, type Spaces } from '#base/visible-text.ts'

type VisibleTextProps = {
  readonly text: string
  readonly charsMax?: number
  readonly spaces?: Spaces
}

/**
 * External text: isolated from its surroundings, hidden characters shown as code points, cut at `charsMax` with the full length
 * noted.
 */
export function VisibleText({ text, charsMax, spaces }: VisibleTextProps) {
  const { runs, mark } = toVisibleRuns(text, charsMax, spaces)
  return (
    <bdi>
      {runs.map((run, place) =>
        run.kind === 'plain' ? (
          run.text
        ) : (
          <span key={place} className="visible-text">
            {run.codePoint}
          </span>
        ),
      )}
      {mark}
    </bdi>
  )
}
