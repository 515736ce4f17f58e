import { RECEIVER_KINDS, RECEIVER_TRAITS, RECEIVER_WAYS, type Receiver } from '#settings/receiver.ts'
import { ALARM_SEVERITIES, type AlarmSeverity } from './alarm.ts'
import { PING_EVERY_MAX_MS, PING_EVERY_MIN_MS } from './ping-queue.ts'

/** From which severity on people are notified; `off`: never. */
export const CHANNEL_LEVELS = ['critical', 'warning', 'info', 'off'] as const
export type ChannelLevel = (typeof CHANNEL_LEVELS)[number]

/** A receiver that this browser sends to. */
export type ChannelReceiver = {
  readonly id: string
  readonly kind: Receiver['kind']
  readonly via: Receiver['via']
  /** How it is called, and where it is, for the screen. */
  readonly name: string
  /** The whole address, where this browser itself sends. */
  readonly url?: string
  readonly from: AlarmSeverity
  /** How often a ping is sent. */
  readonly everyMs: number
  /** Whether acknowledgements become silences of an Alertmanager. */
  readonly silences: boolean
}

/** How this browser notifies people. It is this browser's own, and no part of the settings that are passed on. */
export type Channels = {
  readonly version: 1
  readonly sound: ChannelLevel
  /** 0 to 1. */
  readonly volume: number
  readonly notifications: ChannelLevel
  readonly vibration: ChannelLevel
  readonly sendTo: readonly ChannelReceiver[]
}

/** Nobody has to set anything for a critical alarm to be heard; notifications need a person's permission first. */
export const CHANNEL_DEFAULTS: Channels = {
  version: 1,
  sound: 'critical',
  volume: 0.7,
  notifications: 'warning',
  vibration: 'critical',
  sendTo: [],
}

export const SENDING_MAX = 16
export const PING_EVERY_DEFAULT_MS = 300_000

/** Whether a severity reaches a level. */
export const reachesLevel = (severity: AlarmSeverity, level: ChannelLevel): boolean =>
  level !== 'off' && ALARM_SEVERITIES.indexOf(severity) <= ALARM_SEVERITIES.indexOf(level)

/** A kept document; what can't be used of it is what it is by default. Undefined where it is no such document. */
export function readChannels(input: unknown): Channels | undefined {
  if (typeof input !== 'object' || input === null || Reflect.get(input, 'version') !== 1) return undefined
  const member = (name: string): unknown => Reflect.get(input, name)
  const volume = member('volume')
  const sendTo = member('sendTo')
  return {
    version: 1,
    sound: oneOf(CHANNEL_LEVELS, member('sound'), CHANNEL_DEFAULTS.sound),
    volume: typeof volume === 'number' && volume >= 0 && volume <= 1 ? volume : CHANNEL_DEFAULTS.volume,
    notifications: oneOf(CHANNEL_LEVELS, member('notifications'), CHANNEL_DEFAULTS.notifications),
    vibration: oneOf(CHANNEL_LEVELS, member('vibration'), CHANNEL_DEFAULTS.vibration),
    sendTo: Array.isArray(sendTo) ? sendTo.flatMap(readSendingTo).slice(0, SENDING_MAX) : [],
  }
}

function readSendingTo(input: unknown): readonly ChannelReceiver[] {
  if (typeof input !== 'object' || input === null) return []
  const member = (name: string): unknown => Reflect.get(input, name)
  const [id, name, url, everyMs] = [member('id'), member('name'), member('url'), member('everyMs')]
  const kind = oneOf(RECEIVER_KINDS, member('kind'), undefined)
  const via = oneOf(RECEIVER_WAYS, member('via'), undefined)
  if (typeof id !== 'string' || typeof name !== 'string' || kind === undefined || via === undefined) return []
  if (via === 'direct' && typeof url !== 'string') return []
  const every = typeof everyMs === 'number' && Number.isFinite(everyMs) ? everyMs : PING_EVERY_DEFAULT_MS
  return [
    {
      id,
      kind,
      via,
      name,
      ...(typeof url === 'string' && { url }),
      from: oneOf(ALARM_SEVERITIES, member('from'), 'warning'),
      everyMs: Math.min(Math.max(every, PING_EVERY_MIN_MS), PING_EVERY_MAX_MS),
      silences: RECEIVER_TRAITS[kind].hasSilences && member('silences') === true,
    },
  ]
}

const oneOf = <const T, const D>(all: readonly T[], value: unknown, otherwise: D): T | D =>
  all.find((each) => each === value) ?? otherwise
