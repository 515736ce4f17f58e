import { VisibleText } from './visible-text.tsx'

/** One field of a record: its name and the text of its value as JSON would show it. */
export type RecordField = { readonly name: string; readonly valueText: string }

type RecordViewProps = {
  readonly fields: readonly RecordField[]
  /** What is not shown of it. */
  readonly note?: string | undefined
}

/** A raw record, one field a line. Names and values are the service's, so both are made visible. */
export const RecordView = ({ fields, note }: RecordViewProps) => (
  <div className="record">
    {'{\n'}
    {fields.map((field, place) => (
      <span key={field.name}>
        {' '}
        <span className="record-key">
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

/** More than any field of the interface needs; a cut is marked, and the copy button has the whole. */
const RECORD_VALUE_CHARS_MAX = 4_000
