import { CHANNEL_LEVELS, type Channels } from '#alarms/channels.ts'
import type { Telling } from '#react/telling.ts'
import { channelTexts } from '#texts/en-channels.ts'
import type { Property } from '#ui/properties.tsx'
import { Segmented } from '#ui/segmented.tsx'

type Channel = Extract<keyof Channels, 'sound' | 'notifications' | 'vibration'>

/** The row that says from which severity on a channel tells. */
export const levelRow = (
  channel: Channel,
  legend: string,
  { channels, save }: Pick<Telling, 'channels' | 'save'>,
): Property => ({
  id: channel,
  label: legend,
  value: (
    <Segmented
      legend={legend}
      value={channels[channel]}
      options={CHANNEL_LEVELS.map((level) => ({ value: level, label: channelTexts.levels[level] }))}
      onChange={(level) => save({ ...channels, [channel]: level })}
    />
  ),
})
