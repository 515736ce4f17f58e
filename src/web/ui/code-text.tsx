/** Exact text or bytes, line by line, in a frame that scrolls sideways where a line is long. */
export const CodeText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  // Focusable, so that the keyboard can scroll it.
  // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <pre className="code-text mono" role="region" aria-label={label} tabIndex={0}>
    {text}
  </pre>
)
