import { parseJsonRecord } from '#record/json-record.ts'
import { FIELD_NAMES, type StatusRecord } from '#record/status-record.ts'
import type { RecordField } from '#ui/record.tsx'

/** Fields of a body that are shown; a record has seven, and the copy has them all. */
const FIELDS_MAX = 48

type RecordFields = readonly RecordField[]

/** A body's fields, each value exactly as the service wrote it where that can be told. Undefined where the body is no object. */
export function fieldsOfBody(body: string): RecordFields | undefined {
  const json = parseJsonRecord(body)
  if (!json.ok) return undefined
  const { names, value, numberText } = json.value
  return names
    .slice(0, FIELDS_MAX)
    .map((name) => ({ name, valueText: numberText(name) ?? JSON.stringify(value(name)) }))
}

/** The fields of a record whose body is gone: those that could be read, as they are kept. */
export function fieldsOfRecord(record: StatusRecord): RecordFields {
  const { nodeId, status, stake, participation, threatResponses, heartbeat, proof } = record
  const fields: RecordField[] = []
  const add = (name: string, valueText: string): void => {
    fields.push({ name, valueText })
  }
  if (nodeId.ok) add(FIELD_NAMES.nodeId, JSON.stringify(nodeId.value))
  if (status.ok) add(FIELD_NAMES.status, JSON.stringify(status.value))
  if (stake.ok) add(FIELD_NAMES.stake, stake.value.text)
  if (participation.ok) add(FIELD_NAMES.participation, participation.value.text)
  if (threatResponses.ok) add(FIELD_NAMES.threatResponses, threatResponses.value.text)
  if (heartbeat.ok) {
    const { atMs, unit } = heartbeat.value
    add(FIELD_NAMES.heartbeat, String(unit === 's' ? atMs / 1_000 : atMs))
  }
  if (proof.ok) add(FIELD_NAMES.proof, JSON.stringify(proof.value))
  return fields
}
