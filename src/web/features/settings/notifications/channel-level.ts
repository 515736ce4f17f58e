import { ALARM_SEVERITIES, type AlarmSeverity } from '#alarms/alarm.ts'
import { CHANNEL_LEVELS, type Channels } from '#alarms/channels.ts'
import type { Notifier } from '#react/notifier.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { choiceRow } from '#ui/choices.tsx'
import type { Property } from '#ui/properties.tsx'

type Channel = Extract<keyof Channels, 'sound' | 'notifications' | 'vibration'>

/** The row with the minimum severity of a channel. */
export const levelRow = (
  channel: Channel,
  legend: string,
  { channels, save }: Pick<Notifier, 'channels' | 'save'>,
): Property =>
  choiceRow(channel, {
    legend,
    value: channels[channel],
    options: CHANNEL_LEVELS.map((level) => ({ value: level, label: channelTexts.levels[level] })),
    onChange: (level) => save({ ...channels, [channel]: level }),
  })

/** The same of a receiver. */
export const fromRow = (from: AlarmSeverity, onChange: (from: AlarmSeverity) => void): Property =>
  choiceRow('from', {
    legend: channelTexts.receivers.from,
    value: from,
    options: ALARM_SEVERITIES.map((value) => ({ value, label: channelTexts.levels[value] })),
    onChange,
  })
