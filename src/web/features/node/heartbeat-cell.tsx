import type { EffectiveSettings } from '#settings/effective-settings.ts'
import type { HeartbeatAge } from '#record/heartbeat-age.ts'
import { checkOf, isCurrent, type Stage } from '#fleet/assessment.ts'
import type { NodeLive, Reading } from '#fleet/live.ts'
import { useSteps } from '#react/ticking.tsx'
import { useNow } from '#react/use-fleet.ts'
import { AgeRail } from '#parts/age-rail.tsx'
import { valueLevel } from '#parts/severity.ts'
import { doubtOf, formatDoubt } from '#texts/age-doubt.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { ageParts, formatAge, formatSpan } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { BigFigure, HeroCell, HeroNote } from '#ui/hero.tsx'

const words = nodeTexts.hero

type HeartbeatCellProps = {
  readonly node: NodeLive
  readonly stage: Stage
  readonly settings: EffectiveSettings
}

/** How long ago the node last beat; it goes on counting when nobody answers any more. */
export function HeartbeatCell({ node, stage, settings }: HeartbeatCellProps) {
  const { reading } = node
  const old = !isCurrent(stage.link)
  const heartbeat = reading?.heartbeat
  return (
    <HeroCell label={old && reading !== undefined ? words.heartbeatOld : words.heartbeat}>
      {reading === undefined || heartbeat === undefined || !('ageMs' in heartbeat) ? (
        <>
          <BigFigure parts={[{ text: words.noFigure }]} old />
          {reading !== undefined && <HeroNote>{whyNoAge(heartbeat)}</HeroNote>}
        </>
      ) : (
        <>
          <Age
            reading={reading}
            ageMs={heartbeat.ageMs}
            old={old}
            level={valueLevel(checkOf(stage.checks, 'heartbeat'), old)}
            settings={settings}
          />
          {old && <HeroNote>{words.mayBeAlive(formatAge(heartbeat.ageMs))}</HeroNote>}
          <Doubt reading={reading} />
          {!old && <Unit reading={reading} />}
        </>
      )}
    </HeroCell>
  )
}

/** None is claimed where it would be wrong, or not closer than one period. */
const whyNoAge = (heartbeat: HeartbeatAge | undefined): string => {
  if (heartbeat?.kind === 'uncertain' && heartbeat.disagree) return words.heartbeatDisagree
  if (heartbeat?.kind === 'uncertain') return words.heartbeatDoubt(formatDoubt(heartbeat.uncertaintyMs))
  return heartbeat?.kind === 'unknown'
    ? words.heartbeatAhead(formatAge(heartbeat.aheadMs))
    : words.heartbeatUnusable
}

/** An age is as doubtful when it is old. */
function Doubt({ reading }: { readonly reading: Reading }) {
  const doubt = doubtOf(reading.heartbeat)
  if (doubt === undefined) return null
  return (
    <HeroNote>
      {doubt === 'unchecked'
        ? words.heartbeatUncheckedNote
        : doubt === 'at-least'
          ? words.heartbeatAtLeast
          : words.heartbeatDoubt(doubt)}
    </HeroNote>
  )
}

const Unit = ({ reading: { record } }: { readonly reading: Reading }) =>
  record.heartbeat.ok &&
  record.heartbeat.value.unit !== 's' && (
    <HeroNote>{words.heartbeatUnit(record.heartbeat.value.unit)}</HeroNote>
  )

type AgeProps = {
  readonly reading: Reading
  /** At the start of the reading's request. */
  readonly ageMs: number
  readonly old: boolean
  readonly level: Level | undefined
  readonly settings: EffectiveSettings
}

const MINUTE_MS = 60_000

function Age({ reading, ageMs, old, level, settings }: AgeProps) {
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
          ageMs={age(nowMs)}
          level={level}
          settings={settings}
          say={{ warning: words.railWarning, critical: words.railCritical }}
          end={formatSpan}
          label={(warning, critical) =>
            words.railLabel(formatAge(age(Math.max(spokenAtMs, reading.startedMs))), warning, critical)
          }
        />
      )}
    </>
  )
}
