import type { AlarmView } from '#alarms/alarm.ts'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { usePageCommands } from '#react/page-commands.ts'
import { useWallNow } from '#react/ticking.tsx'
import { hrefOf } from '#react/routes.ts'
import { alarmLimit, alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { formatAge } from '#texts/format.ts'
import { classNames } from '#ui/class-names.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { alarmHref } from './alarm-subject.ts'
import { lastingMs, markOf, needsAcknowledgement, titleOf } from './alarm-words.ts'
import { useAlarmsApart, useSharedAlarm } from './node-alarms.ts'
import { useShortcuts } from './key-map.ts'
import { AlarmButtons, useAlarmActs, useShelvingActs } from './alarm-acts.tsx'

const words = alarmTexts.bar

export function SharedAlarm({ cause }: { readonly cause: Cause }) {
  const alarm = useSharedAlarm(cause)
  return alarm === undefined || !needsAcknowledgement(alarm) ? null : <Acknowledge alarm={alarm} />
}

function Acknowledge({ alarm }: { readonly alarm: AlarmView }) {
  const { acknowledge } = useAlarmActs()
  return (
    <Button size="small" onClick={() => acknowledge([alarm])}>
      {alarmTexts.act.acknowledge}
    </Button>
  )
}

/**
 * The node's alarm of highest severity, with its actions, above the figures. Leaves out alarms that a message above already
 * explains.
 */
export function NodeAlarm({ node }: { readonly node: NodeKey }) {
  const { explained, others } = useAlarmsApart(node)
  const [alarm] = others
  if (alarm === undefined) return null
  const { ring, label } = markOf(alarm)
  return (
    <section
      className={classNames(
        'alarm-bar flow',
        alarm.severity,
        alarm.acknowledged === undefined ? 'filled' : 'quiet',
      )}
      aria-label={words.label}
    >
      <Glyph kind={alarm.severity} ring={ring} label={label} />
      <p>
        <Sentence alarm={alarm} node={node} />
        {others.length > 1 && (
          <>
            {' '}
            <a href={hrefOf('/alarms')}>{words.more(others.length - 1)}</a>
          </>
        )}
      </p>
      <Acts alarm={alarm} look="bar" takesKeys={explained.length === 0} />
    </section>
  )
}

/** Actions for the alarm behind a message above a node's page, so that each fault appears once. */
export function MessageAlarm({ node }: { readonly node: NodeKey }) {
  const [alarm] = useAlarmsApart(node).explained
  return alarm === undefined ? null : <Acts alarm={alarm} look="message" takesKeys />
}

type ActsProps = {
  readonly alarm: AlarmView
  readonly look: 'bar' | 'message'
  /** Only one alarm of the page reacts to single-key shortcuts. */
  readonly takesKeys: boolean
}

function Acts({ alarm, look, takesKeys }: ActsProps) {
  const { acts, dialog } = useShelvingActs()
  const acknowledge = (): void => {
    if (needsAcknowledgement(alarm)) acts.acknowledge([alarm])
  }
  useShortcuts('alarms', takesKeys ? { acknowledge, shelve: () => acts.askToShelve(alarm) } : {})
  const { metrics } = useDashboard()
  usePageCommands(
    takesKeys && alarm.shelved === undefined
      ? [
          {
            id: `alarm:shelve`,
            label: alarmTexts.act.shelve,
            detail: titleOf(alarm, metrics),
            run: () => acts.askToShelve(alarm),
          },
        ]
      : [],
  )
  return (
    <>
      <AlarmButtons alarm={alarm} acts={acts} look={look} hasKeys={takesKeys}>
        <LinkButton size="small" href={alarmHref(alarm)}>
          {alarmTexts.act.whatToDo}
        </LinkButton>
      </AlarmButtons>
      {dialog}
    </>
  )
}

function Sentence({ alarm, node }: { readonly alarm: AlarmView; readonly node: NodeKey }) {
  const { metrics } = useDashboard()
  const nowMs = useWallNow() ?? alarm.sinceWallMs
  // A grouped alarm has the value and limit of its worst node, which may be another one.
  const own = alarm.memberCount <= 1 ? alarm : alarm.members.find((member) => member.node === node)
  const value = alarmValue(alarm.kind, own?.value, metrics)
  const limit = alarmLimit(alarm.kind, own?.limit, metrics)
  return (
    <>
      <b>
        {titleOf(alarm, metrics)}
        {value !== undefined && (
          <>
            {': '}
            <bdi>{value}</bdi>
          </>
        )}
        {limit !== undefined && words.limit(limit)}
      </b>{' '}
      {words.for(formatAge(lastingMs(alarm, nowMs)))}
    </>
  )
}
