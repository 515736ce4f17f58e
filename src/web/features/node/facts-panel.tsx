import type { ReactNode } from 'react'
import { isExactAsDouble } from '#protocol/exact-number.ts'
import { readParticipation, type ParticipationUnit } from '#protocol/participation.ts'
import { serviceName } from '#protocol/service.ts'
import type { Service } from '#protocol/settings.ts'
import {
  badFields,
  FIELD_NAMES,
  type FieldName,
  type FieldProblem,
  type StatusRecord,
} from '#protocol/status-record.ts'
import type { NodeLive, Reading } from '#monitor/live.ts'
import { copyText } from '#react/copy-text.ts'
import { Ticking } from '#react/ticking.tsx'
import { nodeTexts } from '#texts/en-node.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatAge, formatCount, formatExact, formatLatency, formatPercent } from '#texts/format.ts'
import { CopyButton } from '#ui/copy-button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, type Property } from '#ui/properties.tsx'
import { Value } from '#ui/value.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { Moment } from './moment.tsx'
import { shortProof } from './short-proof.ts'

const words = nodeHistoryTexts.facts

type FactsPanelProps = { readonly node: NodeLive; readonly service: Service; readonly old: boolean }

/** The last good answer, exactly: what charts and large figures round or leave out. */
export function FactsPanel({ node, service, old }: FactsPanelProps) {
  const { reading } = node
  return (
    <Panel title={words.title}>
      <Properties
        items={[
          ...(reading === undefined ? [] : readingItems(node, reading, service, old)),
          {
            id: 'polls',
            label: words.polls,
            value: words.pollCounts(formatCount(node.answered), formatCount(node.failed)),
          },
          { id: 'next', label: words.next, value: <Next node={node} /> },
          {
            id: 'service',
            label: words.service,
            value: (
              <>
                <VisibleText text={service.label ?? serviceName(service.baseUrl)} />, {words.via[service.via]}
              </>
            ),
          },
        ]}
      />
    </Panel>
  )
}

function readingItems(node: NodeLive, reading: Reading, service: Service, old: boolean): readonly Property[] {
  const { record, cachedForS } = reading
  return [
    {
      id: 'age',
      label: words.age,
      value: <Ticking>{(nowMs) => formatAge(nowMs - reading.startedMs)}</Ticking>,
    },
    { id: 'took', label: words.took, value: formatLatency(reading.latencyMs) },
    ...(cachedForS === undefined
      ? []
      : [{ id: 'cached', label: words.cached, value: words.cachedFor(formatAge(cachedForS * 1_000)) }]),
    { id: 'stake', label: words.stake, value: <Stake node={node} service={service} old={old} /> },
    {
      id: 'participation',
      label: words.participation,
      value: <ParticipationFact field={record.participation} unit={service.participationUnit} old={old} />,
    },
    { id: 'threats', label: words.threats, value: <Threats node={node} old={old} /> },
    { id: 'proof', label: words.proof, value: <Proof node={node} old={old} /> },
    ...oddItems(record),
  ]
}

/** What the record has too much of or too little. */
function oddItems(record: StatusRecord): readonly Property[] {
  const bad = badFields(record)
  return [
    ...(bad.length === 0
      ? []
      : [
          {
            id: 'bad',
            label: words.badFields,
            value: bad.map((each) => <BadField key={each.field} {...each} />),
          },
        ]),
    ...(record.unknownFields.length === 0
      ? []
      : [
          {
            id: 'new',
            label: words.newFields,
            value: record.unknownFields.map((name) => (
              <div key={name} className="mono">
                <VisibleText text={name} />
              </div>
            )),
          },
        ]),
  ]
}

const BadField = ({ field, problem }: { readonly field: FieldName; readonly problem: FieldProblem }) => (
  <div>
    <span className="mono">{FIELD_NAMES[field]}</span> {words.problem[problem]}
  </div>
)

type FactProps = { readonly node: NodeLive; readonly old: boolean }

const NotUsable = () => <span className="ink3">{words.notUsable}</span>

/** A value with remarks under it. */
const Fact = ({
  value,
  old,
  children,
}: {
  readonly value: ReactNode
  readonly old: boolean
  readonly children?: ReactNode
}) => (
  <>
    <Value old={old}>{value}</Value>
    {children}
  </>
)

const Remark = ({ children }: { readonly children: ReactNode }) => <div className="t11 ink3">{children}</div>

function Stake({ node, service, old }: FactProps & { readonly service: Service }) {
  const field = node.reading?.record.stake
  if (field?.ok !== true) return <NotUsable />
  const { text } = field.value
  return (
    <Fact
      old={old}
      value={
        <Flow>
          <span className="wrap-anywhere">
            {formatExact(text)} {service.stakeUnit}
          </span>
          <CopyButton
            text={text}
            label={words.copyStake}
            copiedText={nodeTexts.copied}
            failedText={nodeTexts.copyFailed}
            copy={copyText}
          />
        </Flow>
      }
    >
      {!isExactAsDouble(field.value) && <Remark>{words.rounded}</Remark>}
      {node.stakeSinceWallMs !== undefined && (
        <Remark>
          {words.stakeSince} <Moment wallMs={node.stakeSinceWallMs} />
        </Remark>
      )}
    </Fact>
  )
}

type ParticipationFactProps = {
  readonly field: Reading['record']['participation']
  readonly unit: ParticipationUnit
  readonly old: boolean
}

function ParticipationFact({ field, unit, old }: ParticipationFactProps) {
  if (!field.ok) return <NotUsable />
  const { text } = field.value
  const read = readParticipation(field.value, unit)
  if (read === undefined) return <Remark>{words.beyondUnit(formatExact(text))}</Remark>
  return (
    <Fact old={old} value={formatPercent(read.ratio)}>
      {read.guessed && (
        <Remark>{read.unit === 'ratio' ? words.ratioGuessed(text) : words.percentGuessed(text)}</Remark>
      )}
    </Fact>
  )
}

function Threats({ node, old }: FactProps) {
  const field = node.reading?.record.threatResponses
  const { increase, restarts, lastRestartWallMs } = node.counter
  if (field?.ok !== true) return <NotUsable />
  return (
    <Fact old={old} value={formatExact(field.value.text)}>
      <Remark>{words.seen(formatCount(increase))}</Remark>
      {restarts > 0 && lastRestartWallMs !== undefined && (
        <Remark>
          {words.restarts(restarts)}
          <Moment wallMs={lastRestartWallMs} />
        </Remark>
      )}
    </Fact>
  )
}

function Proof({ node, old }: FactProps) {
  const field = node.reading?.record.proof
  const { proofSinceMs } = node
  if (field?.ok !== true) return <NotUsable />
  return (
    <Fact
      old={old}
      value={
        <Flow>
          <span className="mono">{shortProof(field.value)}</span>
          <CopyButton
            text={field.value}
            label={words.copyProof}
            copiedText={nodeTexts.copied}
            failedText={nodeTexts.copyFailed}
            copy={copyText}
          />
        </Flow>
      }
    >
      {proofSinceMs !== undefined && (
        <Remark>
          <Ticking>{(nowMs) => words.proofChanged(formatAge(nowMs - proofSinceMs))}</Ticking>
        </Remark>
      )}
    </Fact>
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
