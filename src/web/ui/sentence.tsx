import type { ReactNode } from 'react'

/** Words and small fields in one line that reads as a sentence, and wraps as one. */
export const Sentence = ({ children }: { readonly children: ReactNode }) => (
  <div className="sentence">{children}</div>
)

type SentenceRowProps = {
  readonly glyph?: ReactNode
  /** Said in full: it wraps and is never cut. */
  readonly text: ReactNode
  readonly note?: ReactNode
  /** Absent: it can only be read. */
  readonly actions?: ReactNode
}

/** Something that was set up, as a sentence, and what can be done with it. */
export const SentenceRow = ({ glyph, text, note, actions }: SentenceRowProps) => (
  <div className="sentence-row">
    {glyph}
    <div>
      <p className="ink-1">{text}</p>
      {note !== undefined && <p className="text-12 ink-3">{note}</p>}
    </div>
    {actions !== undefined && <span className="flow">{actions}</span>}
  </div>
)
