import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Channels } from '#alarms/channels.ts'
import type { Notifier } from '#react/notifier.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { choiceRow } from '#ui/choices.tsx'
import type { Property } from '#ui/properties.tsx'

type Channel = Extract<keyof Channels, 'sound' | 'notifications' | 'vibration'>

export const levelRow = (
  channel: Channel,
  legend: string,
  { channels, save }: Pick<Notifier, 'channels' | 'save'>,
): Property =>
  choiceRow(legend, channels[channel], channelTexts.levels, (level) =>
    save({ ...channels, [channel]: level }),
  )

type SwitchWords = { readonly legend: string; readonly names: Readonly<Record<'off' | 'on', string>> }

export const switchRow = (
  { legend, names }: SwitchWords,
  isOn: boolean,
  onChange: (isOn: boolean) => void,
): Property => choiceRow(legend, isOn ? 'on' : 'off', names, (chosen) => onChange(chosen === 'on'))

export const fromRow = (from: AlarmSeverity, onChange: (from: AlarmSeverity) => void): Property =>
  choiceRow(channelTexts.receivers.from, from, channelTexts.severities, onChange)
