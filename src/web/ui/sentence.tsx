import type { ReactNode } from 'react'

export const Sentence = ({ children }: { readonly children: ReactNode }) => (
  <div className="sentence flow">{children}</div>
)

type SentenceRowProps = {
  readonly glyph?: ReactNode
  readonly text: ReactNode
  readonly note?: ReactNode
  readonly actions?: ReactNode
}

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
