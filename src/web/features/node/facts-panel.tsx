import type { ReactNode } from 'react'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { isExactAsDouble, type ExactNumber } from '#record/exact-number.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import { badFields, fieldOf, type BadField } from '#metrics/answer.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import type { AssessedNode, NodeLive, Reading } from '#fleet/live.ts'
import { copying } from '#parts/copying.ts'
import { useDashboard } from '#react/dashboard.ts'
import { Ticking } from '#react/ticking.tsx'
import { DEFAULTS } from '#base/defaults.ts'
import { originText } from '#texts/en-origin.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatValue } from '#texts/format-metric.ts'
import { formatAge, formatCount, formatExact } from '#texts/format.ts'
import { serviceLabel } from '#texts/names.ts'
import { CopyButton } from '#ui/copy-line.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property, type Property, type PropertyItems } from '#ui/properties.tsx'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Moment } from '#parts/moment.tsx'
import { ProofFact } from './proof-fact.tsx'

const words = nodeHistoryTexts.facts

export type FactsPanelProps = {
  readonly node: AssessedNode
  readonly service: Service
  readonly settings: EffectiveSettings
  readonly old: boolean
}

/** The last good answer with exact values, which charts and large figures round or omit. */
export function FactsPanel({ node, service, settings, old }: FactsPanelProps) {
  const { metrics } = useDashboard()
  const { reading } = node
  return (
    <Panel title={words.title}>
      <Properties
        items={[
          ...(reading === undefined ? [] : readingItems(metrics, { node, service, settings, old }, reading)),
          property(words.polls, words.pollCounts(formatCount(node.answered), formatCount(node.failed))),
          property(words.next, <Next node={node} />),
          property(
            words.service,
            <>
              <VisibleText text={serviceLabel(service)} />, {words.via[service.via]}
            </>,
          ),
        ]}
      />
    </Panel>
  )
}

function readingItems(metrics: MetricRegistry, props: FactsPanelProps, reading: Reading): PropertyItems {
  const { record, cachedForS } = reading
  const item = (metric: Metric): Property => ({
    id: metric.id,
    label: metric.heading,
    value: <MetricFact {...props} metric={metric} reading={reading} />,
  })
  return [
    property(words.age, <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>),
    ...metrics.filter(({ field }) => field === undefined).map(item),
    cachedForS !== undefined && property(words.cached, words.cachedFor(formatAge(cachedForS * 1_000))),
    // The state and the timestamps are shown above in large type.
    ...metrics
      .filter(({ field, kind }) => field !== undefined && kind !== 'state' && kind !== 'timestamp')
      .map(item),
    ...record.extraFields.map(({ name, valueText }) => ({
      id: `extra ${name}`,
      label: <VisibleText text={name} />,
      value: (
        <Value old={props.old}>
          <VisibleText text={valueText} charsMax={DEFAULTS.answerCharsMax} />
        </Value>
      ),
    })),
    ...oddItems(record, metrics),
  ]
}

function oddItems(record: StatusRecord, metrics: MetricRegistry): PropertyItems {
  const bad = badFields(record, metrics)
  return [
    bad.length > 0 &&
      property(
        words.badFields,
        bad.map((each) => <BadFieldLine key={each.field} {...each} />),
      ),
    record.unknownFields.length > 0 &&
      property(
        words.newFields,
        record.unknownFields.map((name) => (
          <div key={name} className="mono">
            <VisibleText text={name} />
          </div>
        )),
      ),
  ]
}

const BadFieldLine = ({ field, problem }: BadField) => (
  <div>
    <span className="mono">{field}</span> {words.problem[problem]}
  </div>
)

type FactProps = FactsPanelProps & { readonly metric: Metric; readonly reading: Reading }

function MetricFact(props: FactProps): ReactNode {
  const { metric, node, settings, old } = props
  if (metric.kind === 'fingerprint') return <ProofFact {...props} metric={metric} />
  const value = node.assessment.values[metric.id]
  if (value === undefined) return <NoValue {...props} />
  const text = formatValue(metric, value, settings)
  return (
    <>
      <Value old={old}>{metric.unit === 'amount' ? <Amount {...props} text={text} /> : text}</Value>
      {metric.unit === 'amount' && <AmountRemarks {...props} />}
      {metric.settled === true && <SinceRemark {...props} />}
      {metric.settings.includes('participation') && <RatioRemark {...props} />}
      {metric.kind === 'counter' && <CounterRemarks {...props} />}
    </>
  )
}

const Remark = ({ children }: { readonly children: ReactNode }) => (
  <div className="text-11 ink-3">{children}</div>
)

function writtenAs({ metric, reading }: FactProps): ExactNumber | undefined {
  if (metric.kind !== 'gauge') return undefined
  const field = fieldOf(metric, reading)
  return field.ok ? field.value : undefined
}

function NoValue(props: FactProps) {
  const written = writtenAs(props)
  return written === undefined ? (
    <span className="ink-3">{words.notUsable}</span>
  ) : (
    <Remark>{words.beyondUnit(formatExact(written.text))}</Remark>
  )
}

const Amount = (props: FactProps & { readonly text: string }) => (
  <div className="flow">
    <span className="wrap-anywhere">
      <VisibleText text={props.text} />
    </span>
    <CopyButton text={writtenAs(props)?.text ?? ''} label={words.copyStake} {...copying} />
  </div>
)

function AmountRemarks(props: FactProps) {
  const { settings } = props
  const { stakeDecimals } = settings
  const written = writtenAs(props)
  return (
    <>
      {stakeDecimals.value > 0 && written !== undefined && (
        <Remark>
          {words.stakeShifted(written.text, stakeDecimals.value, originText(stakeDecimals.from))}
        </Remark>
      )}
      {written !== undefined && !isExactAsDouble(written) && <Remark>{words.rounded}</Remark>}
    </>
  )
}

function SinceRemark({ metric, node }: FactProps) {
  const since = node.since[metric.id]
  if (since === undefined) return null
  return (
    <Remark>
      {words.unchangedSince} <Moment wallMs={since.sinceWallMs} />
      {since.unseenMs > 0 && nodeTexts.hero.unseen(formatAge(since.unseenMs))}
    </Remark>
  )
}

function RatioRemark(props: FactProps) {
  const { participation: unit } = props.settings
  const written = writtenAs(props)
  if (written === undefined) return null
  const say = unit.value === 'ratio' ? words.asRatio : words.asPercent
  return <Remark>{say(written.text, originText(unit.from))}</Remark>
}

function CounterRemarks({ metric, node }: FactProps) {
  const track = node.counters[metric.id]
  if (track === undefined) return null
  const { increase, unwatched, restarts, lastRestartWallMs } = track
  return (
    <>
      <Remark>{words.seen(formatCount(increase))}</Remark>
      {unwatched > 0 && <Remark>{words.unwatched(formatCount(unwatched))}</Remark>}
      {restarts > 0 && lastRestartWallMs !== undefined && (
        <Remark>
          {words.restarts(restarts)}
          <Moment wallMs={lastRestartWallMs} />
        </Remark>
      )}
    </>
  )
}

function Next({ node: { nextPollMs, inFlight } }: { readonly node: NodeLive }) {
  if (nextPollMs === undefined) return inFlight ? words.asking : words.notPlanned
  return (
    <Ticking>
      {(nowMs) =>
        nextPollMs <= nowMs
          ? words.asking
          : words.nextIn(formatAge(Math.ceil((nextPollMs - nowMs) / 1_000) * 1_000))
      }
    </Ticking>
  )
}
