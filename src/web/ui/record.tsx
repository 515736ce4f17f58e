import { VisibleText } from './visible-text.tsx'

/** One field of a record: its name and the text of its value as JSON would show it. */
export type RecordField = { readonly name: string; readonly valueText: string }

/** A raw record, one field a line. Names and values are the service's, so both are made visible. */
export const RecordView = ({ fields }: { readonly fields: readonly RecordField[] }) => (
  <div className="rec">
    {'{\n'}
    {fields.map((field, place) => (
      <span key={field.name}>
        {' '}
        <span className="k">
          &quot;
          <VisibleText text={field.name} />
          &quot;:
        </span>{' '}
        <VisibleText text={field.valueText} charsMax={RECORD_VALUE_CHARS_MAX} />
        {place < fields.length - 1 ? ',\n' : '\n'}
      </span>
    ))}
    {'}'}
  </div>
)

/** A proof may be long; beyond this the copy button has the whole. */
const RECORD_VALUE_CHARS_MAX = 160
