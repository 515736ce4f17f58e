import type { ReactNode } from 'react'
import { isExactAsDouble } from '#record/exact-number.ts'
import { shifted } from '#record/amount.ts'
import type { EffectiveSettings } from '#settings/effective-settings.ts'
import { readParticipation } from '#record/participation.ts'
import { serviceName } from '#record/service.ts'
import type { Service } from '#settings/settings.ts'
import { badFields, type BadField, type StatusRecord } from '#metrics/status-record.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import { copyText } from '#react/copy-text.ts'
import { Ticking } from '#react/ticking.tsx'
import { DEFAULTS } from '#base/defaults.ts'
import { originText } from '#texts/en-origin.ts'
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
import { ProofFact } from './proof-fact.tsx'

const words = nodeHistoryTexts.facts

type FactsPanelProps = {
  readonly node: NodeLive
  readonly service: Service
  readonly settings: EffectiveSettings
  readonly old: boolean
}

/** The last good answer, exactly: what charts and large figures round or leave out. */
export function FactsPanel({ node, service, settings, old }: FactsPanelProps) {
  const { reading } = node
  return (
    <Panel title={words.title}>
      <Properties
        items={[
          ...(reading === undefined ? [] : readingItems({ node, service, settings, old }, reading)),
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

function readingItems(
  { node, service, settings, old }: FactsPanelProps,
  reading: Reading,
): readonly Property[] {
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
    { id: 'stake', label: words.stake, value: <Stake node={node} settings={settings} old={old} /> },
    {
      id: 'participation',
      label: words.participation,
      value: <ParticipationFact field={record.participation} unit={settings.participation} old={old} />,
    },
    { id: 'threats', label: words.threats, value: <Threats node={node} old={old} /> },
    { id: 'proof', label: words.proof, value: <ProofFact node={node} service={service} old={old} /> },
    ...record.extraFields.map(({ name, valueText }) => ({
      id: `extra ${name}`,
      label: <VisibleText text={name} />,
      value: (
        <Value old={old}>
          <VisibleText text={valueText} charsMax={DEFAULTS.answerCharsMax} />
        </Value>
      ),
    })),
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
            value: bad.map((each) => <BadFieldLine key={each.field} {...each} />),
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

const BadFieldLine = ({ field, problem }: BadField) => (
  <div>
    <span className="mono">{field}</span> {words.problem[problem]}
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

function Stake({ node, settings, old }: FactProps & { readonly settings: EffectiveSettings }) {
  const field = node.reading?.record.stake
  if (field?.ok !== true) return <NotUsable />
  const { text } = field.value
  const { stakeDecimals, stakeSymbol } = settings
  return (
    <Fact
      old={old}
      value={
        <Flow>
          <span className="wrap-anywhere">
            {formatExact(shifted(field.value, stakeDecimals.value).text)}{' '}
            <VisibleText text={stakeSymbol.value} />
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
      {stakeDecimals.value > 0 && (
        <Remark>{words.stakeShifted(text, stakeDecimals.value, originText(stakeDecimals.from))}</Remark>
      )}
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
  readonly unit: EffectiveSettings['participation']
  readonly old: boolean
}

function ParticipationFact({ field, unit, old }: ParticipationFactProps) {
  if (!field.ok) return <NotUsable />
  const { text } = field.value
  const read = readParticipation(field.value, unit.value)
  if (read === undefined) return <Remark>{words.beyondUnit(formatExact(text))}</Remark>
  return (
    <Fact old={old} value={formatPercent(read.ratio)}>
      <Remark>
        {unit.value === 'ratio'
          ? words.asRatio(text, originText(unit.from))
          : words.asPercent(text, originText(unit.from))}
      </Remark>
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
