import { MINUTE_MS } from '#base/time.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import type { MetricOf } from '#metrics/metric.ts'
import { fieldOf } from '#metrics/answer.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { checkOf, isCurrent, type Stage } from '#fleet/assessment.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import { useSteps } from '#react/ticking.tsx'
import { useNow } from '#react/use-fleet.ts'
import { AgeRail } from '#parts/age-rail.tsx'
import { valueLevel } from '#parts/severity.ts'
import { doubtOf, formatDoubt } from '#texts/age-doubt.ts'
import { nameOf } from '#texts/format-metric.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { ageParts, formatAge, formatSpan } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { BigFigure, HeroCell } from '#ui/hero.tsx'

const words = nodeTexts.hero

type AgeCellProps = {
  readonly metric: MetricOf<'timestamp'>
  readonly node: NodeLive
  readonly stage: Stage
  readonly settings: EffectiveSettings
}

/** Age of a timestamp metric such as the last heartbeat. It keeps counting when the node no longer answers. */
export function AgeCell({ metric, node, stage, settings }: AgeCellProps) {
  const { reading } = node
  const old = !isCurrent(stage.link)
  const known = reading?.ages[metric.id]
  const name = nameOf(metric)
  return (
    <HeroCell label={old && reading !== undefined ? words.ageOld(name) : words.age(name)}>
      {reading === undefined || known === undefined || !('ageMs' in known) ? (
        <>
          <BigFigure parts={[{ text: words.noFigure }]} old />
          {reading !== undefined && <div className="figure-note">{whyNoAge(known, name)}</div>}
        </>
      ) : (
        <>
          <Age
            metric={metric}
            reading={reading}
            ageMs={known.ageMs}
            old={old}
            level={valueLevel(checkOf(stage.checks, metric.id), old)}
            settings={settings}
          />
          {old && <div className="figure-note">{words.ageAtLastAnswer(name, formatAge(known.ageMs))}</div>}
          <Doubt age={known} />
          {!old && settings.heartbeat.value === 'detect' && <Unit metric={metric} reading={reading} />}
        </>
      )}
    </HeroCell>
  )
}

/** No age is shown if it would be wrong or less precise than one heartbeat period. */
const whyNoAge = (age: HeartbeatAge | undefined, name: string): string => {
  if (age?.kind === 'uncertain' && age.disagree) return words.heartbeatDisagree
  if (age?.kind === 'uncertain') return words.heartbeatDoubt(formatDoubt(age.uncertaintyMs))
  return age?.kind === 'unknown' ? words.ahead(name, formatAge(age.aheadMs)) : words.ageUnusable(name)
}

/** An outdated age keeps its uncertainty. */
function Doubt({ age }: { readonly age: HeartbeatAge }) {
  const doubt = doubtOf(age)
  if (doubt === undefined) return null
  return (
    <div className="figure-note">
      {doubt === 'unchecked'
        ? words.heartbeatUncheckedNote
        : doubt === 'at-least'
          ? words.heartbeatAtLeast
          : words.heartbeatDoubt(doubt)}
    </div>
  )
}

function Unit({ metric, reading }: Pick<AgeProps, 'metric' | 'reading'>) {
  const field = fieldOf(metric, reading)
  if (!field.ok || field.value.unit === 's') return null
  return <div className="figure-note">{words.heartbeatUnit(field.value.unit)}</div>
}

type AgeProps = {
  readonly metric: MetricOf<'timestamp'>
  readonly reading: Reading
  /** Age at the start of the request. */
  readonly ageMs: number
  readonly old: boolean
  readonly level: Level | undefined
  readonly settings: EffectiveSettings
}

function Age({ metric, reading, ageMs, old, level, settings }: AgeProps) {
  const nowMs = useNow()
  const spokenAtMs = useSteps(MINUTE_MS)
  const age = (atMs: number): number => ageMs + Math.max(0, atMs - reading.startedMs)
  return (
    <>
      <BigFigure
        parts={[
          ...ageParts(age(nowMs)).flatMap((part) => [
            { text: part.figure },
            { text: part.unit, as: 'unit' as const },
          ]),
          { text: words.agoWord, as: 'word' },
        ]}
        old={old}
        {...(level && { level })}
        spoken={words.spokenAge(formatAge(age(Math.max(spokenAtMs, reading.startedMs))))}
      />
      {!old && (
        <AgeRail
          metric={metric}
          ageMs={age(nowMs)}
          level={level}
          settings={settings}
          say={{ warning: words.railWarning, critical: words.railCritical }}
          end={formatSpan}
          label={(warning, critical) =>
            words.railLabel(
              metric.heading,
              formatAge(age(Math.max(spokenAtMs, reading.startedMs))),
              warning,
              critical,
            )
          }
        />
      )}
    </>
  )
}
