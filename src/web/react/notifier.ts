import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Channels } from '#alarms/channels.ts'
import type { DeliveryState } from '#delivery/delivery-queue.ts'

export type Notifier = {
  readonly channels: Channels
  /** False: the browser could not store the channels, so a reload loses them. */
  readonly isKept: boolean
  /** `trying`: the browser has not answered yet. `elsewhere`: another tab plays the sounds. */
  readonly sound: 'trying' | 'ready' | 'elsewhere' | 'blocked' | 'unsupported'
  /** Sound is blocked, although it is enabled or an alarm needs it now. */
  readonly isSoundMissed: boolean
  readonly deliveries: readonly DeliveryState[]
  readonly save: (channels: Channels) => void
  readonly trySound: (severity: AlarmSeverity) => Promise<void>
  /** Unlocks sound; browsers allow that only after a click. */
  readonly unblockSound: () => Promise<void>
}
