import { VolumeX } from 'lucide-react'
import type { AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import { subjectOf } from '#parts/alarm-subject.ts'
import { severityCounts } from '#parts/severity-counts.ts'
import { needsAcknowledgement, titleOf } from '#parts/alarm-words.ts'
import { useAlarmActs } from '#parts/use-alarm-acts.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { ALARMS_PATH, hrefOf, NODES_PATH } from '#react/routes.ts'
import { useWallNow } from '#react/ticking.tsx'
import { useAlarms, useConfiguration, useFleet } from '#react/use-fleet.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { formatMoment } from '#texts/format-time.ts'
import { IconButton } from '#ui/button.tsx'
import { Tiles, type AnnunciatorTile } from '#ui/app-shell.tsx'
import { NodeTiles } from './node-tiles.tsx'

const words = alarmTexts.annunciator

const SEVERITIES: readonly AlarmSeverity[] = ['critical', 'warning', 'info']

/** Alarms by priority, nodes without a value that holds, and what is shelved: always in the same five places. */
export function Annunciator() {
  const evaluation = useEvaluation((now) => now)
  const view = useAlarms((now) => now)
  const worst = useWorst(view)
  if (view === undefined) return <NodeTiles />
  const { counts } = view
  const shown = severityCounts(counts, evaluation)
  const waiting = waitingIn(view)
  const tiles: readonly AnnunciatorTile[] = [
    ...SEVERITIES.map((severity) => ({
      kind: severity,
      count: shown[severity],
      label: levelWords[severity],
      href: hrefOf(`${ALARMS_PATH}?severity=${severity}`),
      hot:
        waiting.has(severity) &&
        (severity === 'critical' || (severity === 'warning' && counts.unacknowledgedCritical === 0)),
      unacknowledged: waiting.has(severity),
      told: worst?.severity === severity ? words.told(counts[severity], severity, worst.text) : undefined,
    })),
    {
      kind: 'none',
      count: shown['no-data'],
      label: levelWords['no-data'],
      href: hrefOf(`${NODES_PATH}?condition=no-data`),
    },
    {
      kind: 'paused',
      count: counts.shelved,
      label: words.shelved,
      href: hrefOf(`${ALARMS_PATH}?list=shelved`),
    },
  ]
  return <Tiles label={words.label} tiles={tiles} />
}

/** Priorities with something that nobody has acknowledged. */
const waitingIn = ({ alarms }: AlarmsView): ReadonlySet<AlarmSeverity> =>
  new Set(alarms.filter(needsAcknowledgement).map(({ severity }) => severity))

/** The worst that nobody has acknowledged; the list begins with it. */
function useWorst(
  view: AlarmsView | undefined,
): { readonly severity: AlarmSeverity; readonly text: string } | undefined {
  const fleet = useFleet((snapshot) => snapshot)
  const { metrics } = useDashboard()
  const alarm = view?.alarms.find(needsAcknowledgement)
  return (
    alarm && {
      severity: alarm.severity,
      text: words.loudest(titleOf(alarm, metrics), subjectOf(alarm, fleet)),
    }
  )
}

/** That the sound is off, until when, and the way to have it back. */
export function MutedNote() {
  const untilMs = useAlarms((view) => view?.mutedUntilWallMs)
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow()
  const { unmute } = useAlarmActs()
  if (untilMs === undefined || nowMs === undefined) return null
  return (
    <IconButton
      label={words.muted(formatMoment(untilMs, nowMs, zone))}
      icon={<VolumeX className="i" aria-hidden />}
      onClick={unmute}
    />
  )
}
