import { VisibleText } from './visible-text.tsx'

/** A field's name and its value as JSON text. */
export type RecordField = { readonly name: string; readonly valueText: string }

type RecordViewProps = {
  readonly fields: readonly RecordField[]
  readonly note?: string | undefined
}

/** A raw record, one field a line. Names and values come from the service, so hidden characters are made visible. */
export const RecordView = ({ fields, note }: RecordViewProps) => (
  <div className="record wrap-anywhere">
    {'{\n'}
    {fields.map((field, place) => (
      <span key={field.name}>
        {' '}
        <span className="ink-3">
          &quot;
          <VisibleText text={field.name} />
          &quot;:
        </span>{' '}
        <VisibleText text={field.valueText} charsMax={RECORD_VALUE_CHARS_MAX} />
        {place < fields.length - 1 ? ',\n' : '\n'}
      </span>
    ))}
    {'}'}
    {note !== undefined && <p className="text-11 ink-3">{note}</p>}
  </div>
)

/** Longer than any field that the interface needs. A cut value is marked, and the copy button copies all of it. */
const RECORD_VALUE_CHARS_MAX = 4_000
