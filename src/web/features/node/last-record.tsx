import type { Exchange } from '#engine/bridge.ts'
import type { NodeLive } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { copying } from '#parts/copying.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { RecordView } from '#ui/record.tsx'
import { AnswerHead } from './answer-head.tsx'
import { fieldsOfBody, fieldsOfRecord } from './record-fields.ts'

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
