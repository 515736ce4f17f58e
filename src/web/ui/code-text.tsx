import { visibleBytes } from '#base/visible-text.ts'
import { VisibleText } from './visible-text.tsx'

/**
 * Exact text or bytes, line by line, scrolling sideways. Hidden characters are made visible, except in a table that this app
 * writes.
 */
type CodeTextProps = { readonly label: string; readonly text: string; readonly isTable?: boolean }

export const CodeText = ({ label, text, isTable = false }: CodeTextProps) => (
  // Focusable, so that the keyboard can scroll it.
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="code-text mono text-11" role="region" aria-label={label} tabIndex={0}>
    <bdi>{isTable ? text : visibleBytes(text)}</bdi>
  </pre>
)

/** Longer than any text that is stored, so nothing is cut. */
const CHARS_MAX = 4_000

/** Text that a person wrote, line by line, never interpreted as markup. */
export const WrittenText = ({ text }: { readonly text: string }) => (
  <div className="code-text-written wrap-anywhere">
    {text.split(/\r\n|\r|\n/).map((line, place) => (
      <p key={place}>
        <VisibleText text={line} charsMax={CHARS_MAX} spaces="as-written" />
      </p>
    ))}
  </div>
)
