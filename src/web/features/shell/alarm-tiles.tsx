import { VolumeX } from 'lucide-react'
import type { AlarmSeverity, AlarmsView } from '#alarms/alarm.ts'
import { subjectOf } from '#parts/alarm-subject.ts'
import { COUNTED, glyphOf } from '#parts/severity.ts'
import { needsAcknowledgement, titleOf } from '#parts/alarm-words.ts'
import { useAlarmActs, useMutedUntil } from '#parts/alarm-acts.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useEvaluation } from '#react/evaluation.tsx'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useAlarms, useFleet } from '#react/use-fleet.ts'
import { levelWords } from '#texts/en-checks.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { IconButton } from '#ui/button.tsx'
import { Tiles, type AnnunciatorTile } from '#ui/app-shell.tsx'
import { NodeTiles } from './node-tiles.tsx'

const words = alarmTexts.annunciator

/** Nodes by class, always in the same five positions, with a mark on classes that have unacknowledged alarms. */
export function Annunciator() {
  const nodes = useEvaluation((now) => now.counts)
  const view = useAlarms((now) => now)
  const worst = useWorst(view)
  if (view === undefined) return <NodeTiles />
  const { counts } = view
  const waiting = waitingIn(view)
  // Nodes without any answer count as `no-data`, although their alarm is critical.
  const critical = nodes.critical === 0 && nodes['no-data'] > 0 ? 'no-data' : 'critical'
  const tiles = COUNTED.map((shown): AnnunciatorTile => {
    const severity =
      shown === critical ? 'critical' : shown === 'warning' || shown === 'info' ? shown : undefined
    const isWaiting = severity !== undefined && waiting.has(severity)
    return {
      kind: glyphOf(shown),
      count: nodes[shown],
      label: levelWords[shown],
      href: hrefOf(`${PATHS.nodes}?condition=${shown}`),
      hot:
        isWaiting &&
        (severity === 'critical' || (severity === 'warning' && counts.unacknowledgedCritical === 0)),
      unacknowledged: isWaiting,
      title:
        severity !== undefined && worst?.severity === severity
          ? words.unacknowledged(nodes[shown], levelWords[shown], worst.text)
          : undefined,
    }
  })
  return <Tiles label={words.label} tiles={tiles} />
}

const waitingIn = ({ alarms }: AlarmsView): ReadonlySet<AlarmSeverity> =>
  new Set(alarms.filter(needsAcknowledgement).map(({ severity }) => severity))

/** The first unacknowledged alarm, which has the highest severity because the list is sorted. */
function useWorst(
  view: AlarmsView | undefined,
): { readonly severity: AlarmSeverity; readonly text: string } | undefined {
  const fleet = useFleet((snapshot) => snapshot)
  const { metrics } = useDashboard()
  const alarm = view?.alarms.find(needsAcknowledgement)
  return (
    alarm && {
      severity: alarm.severity,
      text: words.alarm(titleOf(alarm, metrics), subjectOf(alarm, fleet)),
    }
  )
}

export function MutedNote() {
  const until = useMutedUntil()
  return until === undefined ? null : <Unmute until={until} />
}

function Unmute({ until }: { readonly until: string }) {
  const { unmute } = useAlarmActs()
  return <IconButton label={words.muted(until)} icon={VolumeX} onClick={unmute} />
}
