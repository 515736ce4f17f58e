import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { useAlarmActs, useMutedUntil } from '#parts/alarm-acts.tsx'
import type { Notifier } from '#react/notifier.ts'
import { canVibrate } from '#react/platform.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { Button } from '#ui/button.tsx'
import { choiceRow } from '#ui/choices.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { levelRow } from './channel-level.ts'

const { sound: words, vibration } = channelTexts

const VOLUMES = { low: 0.3, middle: 0.7, high: 1 } as const
const VOLUME_NAMES = ['low', 'middle', 'high'] as const

export function SoundPanel({ notifier }: { readonly notifier: Notifier }) {
  const { channels, save, sound } = notifier
  const volume = VOLUME_NAMES.find((name) => VOLUMES[name] >= channels.volume) ?? 'high'
  return (
    <Panel title={words.title}>
      <Properties
        items={[
          levelRow('sound', words.level, notifier),
          choiceRow(words.volume, volume, words.volumes, (name) =>
            save({ ...channels, volume: VOLUMES[name] }),
          ),
          property(words.try, <TrySounds notifier={notifier} />),
          property(words.state, <output>{words.states[sound]}</output>),
          canVibrate()
            ? levelRow('vibration', vibration.level, notifier)
            : property(vibration.title, vibration.none),
        ]}
      />
      <p className="text-12 ink-3">
        {words.repeats} {words.kiosk}
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
        aria-label={words.tryOf(words.tries[severity])}
        onClick={() => void notifier.trySound(severity)}
      >
        {words.tries[severity]}
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
        {until === undefined ? words.mute : words.unmute}
      </Button>
      <output className="text-12">{until !== undefined && words.muted(until)}</output>
    </div>
  )
}
