import type { Exchange } from '#engine/bridge.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { copying } from '#parts/copying.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { RecordView, type RecordField } from '#ui/record.tsx'
import { AnswerHead } from './answer-head.tsx'
import { splitCut } from '#base/visible-text.ts'
import { parseJsonRecord } from '#record/json-record.ts'
import type { MetricRegistry, MetricValues } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { writtenTimestamp } from '#record/field.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'

const words = nodeHistoryTexts.record

type LastRecordProps = {
  readonly node: NodeLive
  readonly exchange: Exchange | undefined
  readonly old: boolean
}

/** The last record: as received, or as stored if a later answer replaced it. */
export function LastRecord({ node, exchange, old }: LastRecordProps) {
  const { metrics } = useDashboard()
  const { reading } = node
  if (reading === undefined) return <div className="panel-body">{words.none}</div>
  const body = exchange?.startedWallMs === reading.startedWallMs ? exchange.body : undefined
  const received = body === undefined ? undefined : fieldsOfBody(body)
  const fields = received?.fields ?? fieldsOfRecord(reading.record, metrics)
  const more = received?.more ?? 0
  return (
    <>
      <AnswerHead wallMs={reading.startedWallMs} note={old && words.kept}>
        {body !== undefined && <CopyButton text={body} label={words.copy} {...copying} />}
      </AnswerHead>
      <RecordView fields={fields} {...(more > 0 && { note: words.moreFields(more) })} />
    </>
  )
}

/** Maximum number of displayed fields. A record has seven, and the copy contains all. */
const FIELDS_MAX = 48

type RecordFields = readonly RecordField[]

/** A body's fields with each value exactly as the service wrote it, where possible. Undefined if the body is not an object. */
export function fieldsOfBody(
  body: string,
): { readonly fields: RecordFields; readonly more: number } | undefined {
  const json = parseJsonRecord(body)
  if (!json.ok) return undefined
  const { names, value, numberText } = json.value
  const fields = names
    .slice(0, FIELDS_MAX)
    .map((name) => ({ name, valueText: numberText(name) ?? JSON.stringify(value(name)) }))
  return { fields, more: names.length - fields.length }
}

function fieldsOfRecord(record: StatusRecord, registry: MetricRegistry): RecordFields {
  const { nodeId } = record
  return [
    ...(nodeId.ok ? [{ name: NODE_ID_MEMBER, valueText: JSON.stringify(nodeId.value) }] : []),
    ...registry.flatMap((metric) => {
      const field = metric.field === undefined ? undefined : fieldOf(metric, { record, latencyMs: 0 })
      return field?.ok === true ? [{ name: metric.field ?? '', valueText: writtenText(field.value) }] : []
    }),
  ]
}

function writtenText(value: MetricValues[keyof MetricValues]): string {
  if (typeof value === 'string') {
    const { shown, mark } = splitCut(value)
    return JSON.stringify(shown) + mark
  }
  return 'atMs' in value ? writtenTimestamp(value) : value.text
}
