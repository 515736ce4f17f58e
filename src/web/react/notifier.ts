import type { AlarmSeverity } from '#alarms/alarm.ts'
import type { Channels } from '#alarms/channels.ts'
import type { DeliveryState } from '#delivery/delivery-queue.ts'

/** How this tab tells people, and what keeps it from doing so. */
export type Notifier = {
  readonly channels: Channels
  /** False: the browser would not keep them, so that a reload forgets them. */
  readonly isKept: boolean
  /** `trying`: the browser has not said yet. `elsewhere`: another tab of this browser makes the sounds. */
  readonly sound: 'trying' | 'ready' | 'elsewhere' | 'blocked' | 'unsupported'
  /** Sound is blocked, and somebody counts on it or an alarm asks for it now. */
  readonly isSoundMissed: boolean
  readonly deliveries: readonly DeliveryState[]
  readonly save: (channels: Channels) => void
  /** Sounds as an alarm of this severity does. */
  readonly trySound: (severity: AlarmSeverity) => Promise<void>
  /** Asks the browser to let this page be heard; works after a click. */
  readonly unblockSound: () => Promise<void>
}
