import { VisibleText } from './visible-text.tsx'

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
