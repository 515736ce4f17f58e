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

/** Longer than anything that is kept; the whole of it is shown. */
const CHARS_MAX = 4_000

/** What a person wrote, line by line; as text, whatever is in it. */
export const WrittenText = ({ text }: { readonly text: string }) => (
  <div className="written">
    {text.split(/\r\n|\r|\n/).map((line, place) => (
      <p key={place}>
        <VisibleText text={line} charsMax={CHARS_MAX} />
      </p>
    ))}
  </div>
)

/** Exact text or bytes, line by line, in a frame that scrolls sideways where a line is long. */
export const CodeText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // Focusable, so that the keyboard can scroll it.
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="code-text mono" role="region" aria-label={label} tabIndex={0}>
    {text}
  </pre>
)
