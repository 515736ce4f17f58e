import type { ClockOffset } from '#record/clock-offset.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { heartbeatAge } from '#record/heartbeat-age.ts'
import { readParticipation } from '#record/participation.ts'
import { shortNodeId } from '#record/node-id.ts'
import type { StatusRecord } from '#metrics/status-record.ts'
import { useWallNow } from '#react/ticking.tsx'
import { doubtOf, formatDoubt } from '#texts/age-doubt.ts'
import { firstRunTexts } from '#texts/en-first-run.ts'
import { formatAge, formatExact, formatPercent } from '#texts/format.ts'
import { HeroCell, StateWord } from '#ui/hero.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'
import { VisibleText } from '#ui/visible-text.tsx'

type FirstAnswerProps = {
  readonly record: StatusRecord
  readonly offset: ClockOffset | undefined
  /** As the operator calls the node that was asked first. */
  readonly nodeName: string | undefined
}

const words = firstRunTexts.firstAnswer

/** The record that the connection test brought: proof that watching will work. */
export function FirstAnswer({ record, offset, nodeName }: FirstAnswerProps) {
  const name = nodeName ?? (record.nodeId.ok ? shortNodeId(record.nodeId.value) : words.ownNode)
  const title = words.title(name)
  const participation = record.participation.ok && readParticipation(record.participation.value, 'auto')
  return (
    <PlainPanel label={title}>
      <HeroCell label={<VisibleText text={title} charsMax={120} />}>
        {record.status.ok ? (
          <StateWord kind={record.status.value === 'ACTIVE' ? 'ok' : 'info'} size="small">
            <VisibleText text={record.status.value} />
          </StateWord>
        ) : (
          <StateWord kind="warning" size="small">
            {words.unreadable}
          </StateWord>
        )}
      </HeroCell>
      <Properties
        items={[
          {
            id: 'heartbeat',
            label: words.heartbeat,
            value: record.heartbeat.ok ? (
              <HeartbeatAge atMs={record.heartbeat.value.atMs} offset={offset} />
            ) : (
              words.unreadable
            ),
          },
          {
            id: 'participation',
            label: words.participation,
            value: participation ? formatPercent(participation.ratio) : words.unreadable,
          },
          {
            id: 'stake',
            label: words.stake,
            value: record.stake.ok ? formatExact(record.stake.value.text) : words.unreadable,
          },
          {
            id: 'threats',
            label: words.threatResponses,
            value: record.threatResponses.ok
              ? formatExact(record.threatResponses.value.text)
              : words.unreadable,
          },
        ]}
      />
    </PlainPanel>
  )
}

/** By the service's clock where it is known; otherwise it is said that nothing speaks for it but this computer's. */
function HeartbeatAge({ atMs, offset }: { readonly atMs: number; readonly offset: ClockOffset | undefined }) {
  const wallMs = useWallNow()
  // Before the engine's first word.
  if (wallMs === undefined) return words.noAge
  const seen = { heartbeatMs: atMs, startedWallMs: wallMs, latencyMs: 0 }
  const age = heartbeatAge(seen, offset, DEFAULTS.heartbeatPeriodMs)
  if (age.kind === 'unknown') return words.ahead(formatAge(age.aheadMs))
  if (age.kind === 'uncertain') return words.uncertain(formatDoubt(age.uncertaintyMs))
  const doubt = doubtOf(age)
  return doubt === undefined ? words.ago(formatAge(age.ageMs)) : words.doubtful(formatAge(age.ageMs), doubt)
}
