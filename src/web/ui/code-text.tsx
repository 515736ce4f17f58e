import { visibleBytes } from '#base/visible-text.ts'
import { VisibleText } from './visible-text.tsx'

/** Exact text or bytes, line by line, in a frame that scrolls sideways where a line is long; what hides is shown, but in a table of our own. */
type CodeTextProps = { readonly label: string; readonly text: string; readonly isTable?: boolean }

export const CodeText = ({ label, text, isTable = false }: CodeTextProps) => (
  // Focusable, so that the keyboard can scroll it.
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="code-text mono" role="region" aria-label={label} tabIndex={0}>
    <bdi>{isTable ? text : visibleBytes(text)}</bdi>
  </pre>
)

/** Longer than anything that is kept; the whole of it is shown. */
const CHARS_MAX = 4_000

/** What a person wrote, line by line; as text, whatever is in it. */
export const WrittenText = ({ text }: { readonly text: string }) => (
  <div className="code-text-written">
    {text.split(/\r\n|\r|\n/).map((line, place) => (
      <p key={place}>
        <VisibleText text={line} charsMax={CHARS_MAX} spaces="as-written" />
      </p>
    ))}
  </div>
)
