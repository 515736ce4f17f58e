import type { ReactNode } from 'react'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import type { SeriesData } from '#charts/charts.ts'
import { effectiveSettings, type EffectiveSettings } from '#settings/effective.ts'
import type { Metric, MetricOf } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import { checkOf, isCurrent, stageAt, type Check, type Stage } from '#fleet/assessment.ts'
import { valueNow, type AssessedNode, type NodeLive, type ServiceLive, type ValueSince } from '#fleet/live.ts'
import { AgeRail } from '#parts/age-rail.tsx'
import { spansOf } from '#parts/chart-spans.ts'
import { glyphOf, valueLevel } from '#parts/severity.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useNow } from '#react/use-fleet.ts'
import { useSteps, useWallNow } from '#react/ticking.tsx'
import { useAlarmEntries, useSeriesData } from '#react/use-history.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { nameOf } from '#texts/format-metric.ts'
import { ageParts, formatAge } from '#texts/format.ts'
import { classNames } from '#ui/class-names.ts'
import { Figure } from '#ui/figure.tsx'
import { Glyph, type GlyphKind } from '#ui/glyph.tsx'
import { WallStrip } from '#ui/strips.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { figuresOf } from './node-figures.ts'

type WallNodeProps = { readonly node: AssessedNode; readonly service: ServiceLive; readonly alarmed: boolean }

export function WallNode({ node, service, alarmed }: WallNodeProps) {
  const nowMs = useNow()
  const stage = stageAt(node.assessment, nowMs)
  const settings = effectiveSettings(service.rules, node)
  const { metrics } = useDashboard()
  return (
    <>
      <section className="wall-duo">
        {metrics
          .filter(({ lead }) => lead === true)
          .map((metric) => (
            <Lead key={metric.id} {...{ metric, node, stage, settings, alarmed, nowMs }} />
          ))}
      </section>
      <Numbers node={node} settings={settings} stage={stage} />
      <Strip node={node} />
    </>
  )
}

type LeadProps = {
  readonly metric: Metric
  readonly node: AssessedNode
  readonly stage: Stage
  readonly settings: EffectiveSettings
  readonly alarmed: boolean
  readonly nowMs: number
}

function Lead({ metric, node, stage, settings, alarmed, nowMs }: LeadProps) {
  const check = checkOf(stage.checks, metric.id)
  const shared = { node, check, old: !isCurrent(stage.link), nowMs }
  if (metric.kind === 'state') return <StateWord metric={metric} {...shared} alarmed={alarmed} />
  return metric.kind === 'timestamp' ? <Age metric={metric} {...shared} settings={settings} /> : null
}

/** Longer words do not fit at full size. */
const FULL_SIZE_CHARS = 10

type FigureProps = Pick<LeadProps, 'node' | 'nowMs'> & {
  readonly check: Check | undefined
  readonly old: boolean
}
type StateProps = FigureProps & {
  readonly metric: MetricOf<'state'>
  /** The node is in alarm, but the service's state word does not show it. */
  readonly alarmed: boolean
}

function StateWord({ metric, node, check, old, alarmed, nowMs }: StateProps) {
  const wallMs = useWallNow()
  const { reading } = node
  const since = node.since[metric.id]
  const name = nameOf(metric)
  if (reading === undefined)
    return (
      <div>
        <p>{name}</p>
        <Word kind="none" long old>
          {words.stateNever}
        </Word>
      </div>
    )
  const word = fieldOf(metric, reading)
  const kind = old ? 'none' : glyphOf(check?.state)
  return (
    <div>
      <p>{old ? words.stateOld(name) : alarmed ? words.reported(name) : name}</p>
      <Word
        // No tick next to a word that an alarm contradicts, because readers would trust the tick.
        kind={alarmed && kind === 'ok' ? undefined : kind}
        long={!word.ok || Array.from(word.value).length > FULL_SIZE_CHARS}
        old={old}
      >
        {word.ok ? <VisibleText text={word.value} /> : words.noWord}
      </Word>
      <p>
        {old
          ? words.asOf(formatAge(nowMs - reading.startedMs))
          : since !== undefined &&
            wallMs !== undefined &&
            words.forAge(formatAge(wallMs - since.sinceWallMs), unseenMs(since))}
      </p>
    </div>
  )
}

const unseenMs = ({ unseenMs: ms }: ValueSince): string | undefined => (ms > 0 ? formatAge(ms) : undefined)

type WordProps = {
  readonly kind: GlyphKind | undefined
  readonly long: boolean
  readonly old: boolean
  readonly children: ReactNode
}

const Word = ({ kind, long, old, children }: WordProps) => (
  <div className={classNames('wall-word row', long && 'long', old && 'old')}>
    {kind !== undefined && <Glyph kind={kind} />}
    <span>{children}</span>
  </div>
)

type AgeProps = FigureProps & {
  readonly metric: MetricOf<'timestamp'>
  readonly settings: EffectiveSettings
}

function Age({ metric, node, settings, check, old, nowMs }: AgeProps) {
  const { reading } = node
  const ageMs = valueNow(node, metric, nowMs)?.value
  const unchecked = reading?.ages[metric.id]?.kind === 'unchecked'
  const name = nameOf(metric)
  const level = valueLevel(check, old)
  const parts = ageMs === undefined ? [] : ageParts(ageMs)
  return (
    <div>
      <p>{old && reading !== undefined ? words.ageOld(name) : words.age(name)}</p>
      <div className={classNames('wall-age', parts.length > 1 && 'two', old && 'old', level)}>
        {ageMs === undefined ? (
          words.none
        ) : (
          <Figure
            parts={[
              ...parts.flatMap((part) => [{ text: part.figure }, { text: part.unit, as: 'unit' as const }]),
              ...(parts.length > 1 ? [] : [{ text: words.ago, as: 'unit' as const }]),
            ]}
          />
        )}
      </div>
      {ageMs !== undefined && !old && (
        <AgeRail
          metric={metric}
          ageMs={ageMs}
          level={level}
          settings={settings}
          say={{ warning: identity, critical: identity }}
          end={() => ''}
          label={() => words.age(name)}
        />
      )}
      {unchecked && <p>{words.unchecked}</p>}
    </div>
  )
}

const identity = (text: string): string => text

function Numbers({ node, settings, stage }: Pick<LeadProps, 'node' | 'settings' | 'stage'>) {
  const { metrics } = useDashboard()
  const old = !isCurrent(stage.link)
  const lastHour = useEndingNow(node, HOUR_MS)
  return (
    <dl className="wall-numbers">
      {figuresOf(metrics, node, settings, stage, lastHour).map(({ id, title, parts, level, note }) => (
        <div key={id}>
          <dt className="row">
            {level !== undefined && <Glyph kind={level} />}
            {title}
          </dt>
          <dd>
            <b className={classNames(old ? 'old' : level)}>
              <Figure parts={parts} />
            </b>
          </dd>
          {note !== undefined && <dd className="unwatched">{note}</dd>}
        </div>
      ))}
    </dl>
  )
}

function Strip({ node }: { readonly node: NodeLive }) {
  const day = useEndingNow(node, DAY_MS)
  return day === undefined ? null : <Day node={node} series={day} />
}

const MARKS = [words.ago24h, words.hours(18), words.hours(12), words.hours(6), words.now]

const Day = ({ node, series }: { readonly node: NodeLive; readonly series: SeriesData }) => (
  <WallStrip
    spans={spansOf(series, useAlarmEntries(node.key, series))}
    fromMs={series.fromMs}
    toMs={series.toMs}
    label={words.strip}
    marks={MARKS}
  />
)

const COLUMNS = 720

/** A range that ends now, read again once a minute; undefined until loaded. */
function useEndingNow({ key }: NodeLive, lengthMs: number): SeriesData | undefined {
  const minute = useSteps(MINUTE_MS)
  const wallMs = useWallNow() ?? 0
  const toMs = Math.ceil(wallMs / MINUTE_MS) * MINUTE_MS
  const { data } = useSeriesData(
    { node: key, fromMs: toMs - lengthMs, toMs, columns: COLUMNS, barMs: lengthMs / 24 },
    minute,
  )
  return data
}
