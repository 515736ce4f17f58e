/** A piece of a figure: the digits, a quieter unit or fraction, or a word that follows, such as "ago". */
export type FigurePart = { readonly text: string; readonly as?: 'unit' | 'word' }

/** Digits and units in two tones, e.g. `6 min 16 s ago`. The size comes from around it. */
export function Figure({ parts }: { readonly parts: readonly FigurePart[] }) {
  // Parts have no identity of their own: the place in the figure is it.
  return parts.map((part, place) =>
    part.as === undefined ? (
      <span key={place}>{part.text}</span>
    ) : (
      <span key={place} className={part.as === 'word' ? 'u word' : 'u'}>
        {part.text}
      </span>
    ),
  )
}
