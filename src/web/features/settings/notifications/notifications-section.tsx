import { useConfiguration, useNotifier } from '#react/use-fleet.ts'
import { channelTexts as words } from '#texts/en-channels.ts'
import { Panel } from '#ui/panel.tsx'
import { ReceiversPanel } from './receivers-panel.tsx'
import { useState } from 'react'
import { askForNotifications, canVibrate, permissionToNotify, showNotification } from '#react/platform.ts'
import type { Notifier } from '#react/notifier.ts'
import { Button } from '#ui/button.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { levelRow } from './channel-level.ts'
import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { useAlarmActs, useMutedUntil } from '#parts/alarm-acts.tsx'
import { choiceRow } from '#ui/choices.tsx'

export function NotificationsSection() {
  const notifier = useNotifier()
  const isWatched = useConfiguration().server.watch !== undefined
  return (
    <>
      {notifier !== undefined && (
        <>
          <SoundPanel notifier={notifier} />
          <NotificationPanel notifier={notifier} />
          <ReceiversPanel notifier={notifier} />
          <output className="text-12 ink-3">{notifier.isKept ? '' : words.notKept}</output>
        </>
      )}
      <Panel title={words.limits.title}>
        <ul className="bullets text-12">
          {(isWatched ? words.limits.withWatch : words.limits.lines).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Panel>
    </>
  )
}

const browserWords = words.notifications

/** The browser's notifications. Permission is requested only on a click, and its state is shown. */
function NotificationPanel({ notifier }: { readonly notifier: Notifier }) {
  const [leave, setLeave] = useState(permissionToNotify)
  const [isShown, setShown] = useState(true)
  const ask = async (): Promise<void> => setLeave(await askForNotifications())
  const test = (): void =>
    setShown(
      showNotification({
        title: browserWords.testTitle,
        body: browserWords.testBody,
        tag: 'immune-test',
        stays: false,
        hash: location.hash,
      }),
    )
  return (
    <Panel title={browserWords.title}>
      <Properties
        items={[
          levelRow('notifications', browserWords.level, notifier),
          property(browserWords.state, <output>{browserWords.states[leave]}</output>),
        ]}
      />
      <div className="flow">
        {leave === 'default' && (
          <Button size="small" look="primary" onClick={() => void ask()}>
            {browserWords.ask}
          </Button>
        )}
        {leave === 'granted' && (
          <Button size="small" onClick={test}>
            {browserWords.test}
          </Button>
        )}
        <output className="text-12 ink-3">{isShown ? browserWords.closed : browserWords.failed}</output>
      </div>
    </Panel>
  )
}

const { sound: soundWords, vibration } = words

const VOLUMES = { low: 0.3, middle: 0.7, high: 1 } as const
const VOLUME_NAMES = ['low', 'middle', 'high'] as const

function SoundPanel({ notifier }: { readonly notifier: Notifier }) {
  const { channels, save, sound } = notifier
  const volume = VOLUME_NAMES.find((name) => VOLUMES[name] >= channels.volume) ?? 'high'
  return (
    <Panel title={soundWords.title}>
      <Properties
        items={[
          levelRow('sound', soundWords.level, notifier),
          choiceRow(soundWords.volume, volume, soundWords.volumes, (name) =>
            save({ ...channels, volume: VOLUMES[name] }),
          ),
          property(soundWords.try, <TrySounds notifier={notifier} />),
          property(soundWords.state, <output>{soundWords.states[sound]}</output>),
          canVibrate()
            ? levelRow('vibration', vibration.level, notifier)
            : property(vibration.title, vibration.none),
        ]}
      />
      <p className="text-12 ink-3">
        {soundWords.repeats} {soundWords.kiosk}
      </p>
      <Mute />
    </Panel>
  )
}

const TrySounds = ({ notifier }: { readonly notifier: Notifier }) => (
  <div className="flow">
    {ALARM_SEVERITIES.map((severity) => (
      <Button
        key={severity}
        size="small"
        aria-label={soundWords.tryOf(soundWords.tries[severity])}
        onClick={() => void notifier.trySound(severity)}
      >
        {soundWords.tries[severity]}
      </Button>
    ))}
  </div>
)

function Mute() {
  const until = useMutedUntil()
  const { mute, unmute } = useAlarmActs()
  return (
    <div className="flow">
      <Button size="small" onClick={until === undefined ? mute : unmute}>
        {until === undefined ? soundWords.mute : soundWords.unmute}
      </Button>
      <output className="text-12">{until !== undefined && soundWords.muted(until)}</output>
    </div>
  )
}
