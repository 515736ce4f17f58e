import { useState } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import type { NodeKey } from '#monitor/live.ts'
import { Reads } from '#react/reads.tsx'
import { useWallNow } from '#react/ticking.tsx'
import { useNodeAlarms } from '#react/use-node-alarms.ts'
import { hrefOf } from '#react/routes.ts'
import { useSingleKeys } from '#react/single-keys.ts'
import { alarmLimit, alarmTexts, alarmValue } from '#texts/en-alarms.ts'
import { formatAge } from '#texts/format.ts'
import { AlarmBar } from '#ui/alarm-bar.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import { Glyph } from '#ui/glyph.tsx'
import { KeyHint } from '#ui/key-hint.tsx'
import { alarmHref } from './alarm-subject.ts'
import { isActive } from './active-alarm.ts'
import { lastingMs, markOf, needsAcknowledgement, titleOf } from './alarm-words.ts'
import { ShelfDialog } from './shelf-form.tsx'
import { useAlarmActs } from './use-alarm-acts.ts'

const words = alarmTexts.bar

/** The worst alarm of a node over its figures, with what can be done about it. */
export const NodeAlarm = ({ node }: { readonly node: NodeKey }) => (
  <Reads>
    <Bar node={node} />
  </Reads>
)

function Bar({ node }: { readonly node: NodeKey }) {
  const alarms = useNodeAlarms(node).filter(isActive)
  const acts = useAlarmActs()
  const [shelving, setShelving] = useState<AlarmView>()
  // The engine's order: what nobody has acknowledged first, then the worst.
  const [alarm] = alarms
  useSingleKeys({
    a: () => {
      if (alarm !== undefined && needsAcknowledgement(alarm)) acts.acknowledge([alarm])
    },
    s: () => setShelving(alarm),
  })
  if (alarm === undefined) return null
  const { ring, label } = markOf(alarm)
  return (
    <>
      <AlarmBar
        label={words.label}
        level={alarm.severity}
        quiet={alarm.acknowledged !== undefined}
        glyph={<Glyph kind={alarm.severity} ring={ring} label={label} />}
        actions={
          <>
            {needsAcknowledgement(alarm) && (
              <Button look="primary" size="small" onClick={() => acts.acknowledge([alarm])}>
                {alarmTexts.act.acknowledge} <KeyHint>A</KeyHint>
              </Button>
            )}
            <Button size="small" onClick={() => setShelving(alarm)}>
              {alarmTexts.act.shelve}
            </Button>
            <LinkButton size="small" href={alarmHref(alarm)}>
              {alarmTexts.act.whatToDo}
            </LinkButton>
          </>
        }
      >
        <Sentence alarm={alarm} />
        {alarms.length > 1 && (
          <>
            {' '}
            <a href={hrefOf('/alarms')}>{words.more(alarms.length - 1)}</a>
          </>
        )}
      </AlarmBar>
      <ShelfDialog alarm={shelving} onShelve={acts.shelve} onClose={() => setShelving(undefined)} />
    </>
  )
}

function Sentence({ alarm }: { readonly alarm: AlarmView }) {
  const nowMs = useWallNow() ?? alarm.sinceWallMs
  // What a group shows is not this node's own value.
  const isOwn = alarm.memberCount <= 1
  const value = isOwn ? alarmValue(alarm.kind, alarm.value) : undefined
  const limit = alarmLimit(alarm.kind, alarm.limit)
  return (
    <>
      <b>
        {titleOf(alarm)}
        {value !== undefined && (
          <>
            {': '}
            <bdi>{value}</bdi>
          </>
        )}
        {'. '}
        {limit !== undefined && words.limit(limit)}
      </b>{' '}
      {words.for(formatAge(lastingMs(alarm, nowMs)))}
    </>
  )
}
