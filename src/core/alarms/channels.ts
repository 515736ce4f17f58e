import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { readStored, storedList } from '#base/stored.ts'
import { RoutingSchema } from '#receivers/routing.ts'
import { isAddressKind, RECEIVER_WAYS, receiverTraits } from '#settings/receiver-traits.ts'
import { ALARM_SEVERITIES, SCREEN_ONLY_KINDS, type AlarmKind, type AlarmSeverity } from './alarm.ts'

const CHANNEL_LEVELS = ['critical', 'warning', 'info', 'off'] as const
export type ChannelLevel = (typeof CHANNEL_LEVELS)[number]

export const SENDING_MAX = 16
export const PING_EVERY_DEFAULT_MS = 5 * MINUTE_MS

export const reachesLevel = (severity: AlarmSeverity, level: ChannelLevel): boolean =>
  level !== 'off' && ALARM_SEVERITIES.indexOf(severity) <= ALARM_SEVERITIES.indexOf(level)

/** Whether an alarm is sent to a receiver. A receiver gets alarms of the screen itself only if `screenAlarms` is set. */
export const reachesReceiver = (
  severity: AlarmSeverity,
  kind: AlarmKind | undefined,
  receiver: { readonly from: AlarmSeverity; readonly screenAlarms: boolean },
): boolean =>
  reachesLevel(severity, receiver.from) &&
  (receiver.screenAlarms || kind === undefined || !SCREEN_ONLY_KINDS.has(kind))

const storedOneOf = <const T extends readonly [string, ...string[]], const D extends T[number]>(
  all: T,
  otherwise: D,
) => v.fallback(v.picklist(all), otherwise)

const StoredReceiver = v.pipe(
  v.object({
    id: v.string(),
    /** A receiver of a kind from a newer version stays listed, and the server refuses its messages. */
    kind: v.string(),
    via: v.picklist(RECEIVER_WAYS),
    name: v.string(),
    /** Set if this browser sends directly. */
    url: v.fallback(v.optional(v.string()), undefined),
    /** The lowest severity that is sent; a ping ignores it. */
    from: storedOneOf(ALARM_SEVERITIES, 'warning'),
    everyMs: v.pipe(
      v.fallback(finite, PING_EVERY_DEFAULT_MS),
      v.transform((everyMs) => Math.min(Math.max(everyMs, MINUTE_MS), DAY_MS)),
    ),
    /** Whether acknowledgements become silences, for receivers that have silences. */
    silences: v.fallback(v.boolean(), false),
    /** Whether it also gets problems of this browser, such as blocked sound. */
    screenAlarms: v.fallback(v.boolean(), false),
    routing: v.fallback(v.optional(RoutingSchema), undefined),
  }),
  v.check(({ via, url, kind }) => via !== 'direct' || (url !== undefined && isAddressKind(kind))),
  v.transform(({ url, silences, ...rest }) => ({
    ...rest,
    ...(url !== undefined && { url }),
    silences: silences && receiverTraits(rest.kind).hasSilences,
  })),
)

export type ChannelReceiver = v.InferOutput<typeof StoredReceiver>

const StoredChannels = v.object({
  version: v.literal(1),
  /** A critical alarm sounds without any setup; notifications need a permission first. */
  sound: storedOneOf(CHANNEL_LEVELS, 'critical'),
  volume: v.fallback(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.7),
  notifications: storedOneOf(CHANNEL_LEVELS, 'warning'),
  vibration: storedOneOf(CHANNEL_LEVELS, 'critical'),
  sendTo: v.pipe(
    storedList(StoredReceiver),
    v.transform((all): readonly ChannelReceiver[] => all.slice(0, SENDING_MAX)),
  ),
})

export type Channels = Readonly<v.InferOutput<typeof StoredChannels>>

export const CHANNEL_DEFAULTS: Channels = /* @__PURE__ */ v.parse(StoredChannels, { version: 1 })

/** Replaces each damaged part with its default. Undefined unless the document is valid. */
export const readChannels = (input: unknown): Channels | undefined => readStored(StoredChannels, input)
