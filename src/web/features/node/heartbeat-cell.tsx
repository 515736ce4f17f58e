import { DEFAULTS } from '#protocol/defaults.ts'
import type { Service } from '#protocol/settings.ts'
import type { HeartbeatAge } from '#protocol/heartbeat-age.ts'
import { isCurrent, type Link } from '#monitor/link.ts'
import type { NodeLive, Reading } from '#monitor/live.ts'
import { useSteps } from '#react/ticking.tsx'
import { useNow } from '#react/use-now.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { ageParts, formatAge, formatSpan } from '#texts/format.ts'
import type { Level } from '#ui/level.ts'
import { BigFigure, HeroCell, HeroNote } from '#ui/hero.tsx'
import { RangeRail } from '#ui/range-rail.tsx'

const words = nodeTexts.hero

type HeartbeatCellProps = { readonly node: NodeLive; readonly link: Link; readonly service: Service }

/** How long ago the node last beat; it goes on counting when nobody answers any more. */
export function HeartbeatCell({ node, link, service }: HeartbeatCellProps) {
  const { reading } = node
  const old = !isCurrent(link)
  const heartbeat = reading?.heartbeat
  return (
    <HeroCell label={old && reading !== undefined ? words.heartbeatOld : words.heartbeat}>
      {reading === undefined || heartbeat === undefined || heartbeat.kind === 'unknown' ? (
        <>
          <BigFigure parts={[{ text: words.noFigure }]} old />
          {reading !== undefined && <HeroNote>{whyNoAge(heartbeat)}</HeroNote>}
        </>
      ) : (
        <>
          <Age reading={reading} ageMs={heartbeat.ageMs} old={old} service={service} />
          {old && <HeroNote>{words.mayBeAlive(formatAge(heartbeat.ageMs))}</HeroNote>}
          {!old && <Remarks reading={reading} />}
        </>
      )}
    </HeroCell>
  )
}

const whyNoAge = (heartbeat: HeartbeatAge | undefined): string =>
  heartbeat?.kind === 'unknown' ? words.heartbeatAhead(formatAge(heartbeat.aheadMs)) : words.heartbeatUnusable

function Remarks({ reading }: { readonly reading: Reading }) {
  const { heartbeat } = reading.record
  return (
    <>
      {reading.heartbeat?.kind === 'unchecked' && <HeroNote>{words.heartbeatUncheckedNote}</HeroNote>}
      {heartbeat.ok && heartbeat.value.unit === 'ms' && <HeroNote>{words.heartbeatMs}</HeroNote>}
    </>
  )
}

type AgeProps = {
  readonly reading: Reading
  /** At the start of the reading's request. */
  readonly ageMs: number
  readonly old: boolean
  readonly service: Service
}

const MINUTE_MS = 60_000

function Age({ reading, ageMs, old, service }: AgeProps) {
  const nowMs = useNow()
  const spokenAtMs = useSteps(MINUTE_MS)
  const age = (atMs: number): number => ageMs + Math.max(0, atMs - reading.startedMs)
  const warningMs = service.heartbeatPeriodMs * DEFAULTS.heartbeatWarningPeriods
  const criticalMs = service.heartbeatPeriodMs * DEFAULTS.heartbeatCriticalPeriods
  const level = old ? undefined : levelOf(age(nowMs), warningMs, criticalMs)
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
        <RangeRail
          from={0}
          to={2 * criticalMs}
          value={age(nowMs)}
          level={level}
          filled
          limits={[
            { value: warningMs, level: 'warning', label: words.railWarning(formatSpan(warningMs)) },
            { value: criticalMs, level: 'critical', label: words.railCritical(formatSpan(criticalMs)) },
          ]}
          label={words.railLabel(
            formatAge(age(Math.max(spokenAtMs, reading.startedMs))),
            formatSpan(warningMs),
            formatSpan(criticalMs),
          )}
          endLabels={['0', formatSpan(2 * criticalMs)]}
        />
      )}
    </>
  )
}

function levelOf(ageMs: number, warningMs: number, criticalMs: number): Level | undefined {
  if (ageMs > criticalMs) return 'critical'
  return ageMs > warningMs ? 'warning' : undefined
}
