import { CHANNEL_LEVELS, type ChannelLevel } from '#alarms/channels.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { Segmented } from '#ui/segmented.tsx'

type ChannelLevelProps = {
  readonly legend: string
  readonly value: ChannelLevel
  readonly onChange: (level: ChannelLevel) => void
}

/** From which severity on a channel tells. */
export const ChannelLevelChoice = ({ legend, value, onChange }: ChannelLevelProps) => (
  <Segmented
    legend={legend}
    value={value}
    options={CHANNEL_LEVELS.map((level) => ({ value: level, label: channelTexts.levels[level] }))}
    onChange={onChange}
  />
)
