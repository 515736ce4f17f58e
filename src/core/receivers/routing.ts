import * as v from 'valibot'
import { whole } from '#base/schemas.ts'
import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { BaseUrl, Tag } from '#record/typed-names.ts'

const Time = v.pipe(v.string(), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is not a time: use HH:MM'))

/** Limits the alarms of a receiver, in addition to its severity. An absent member does not limit. */
export const RoutingSchema = v.strictObject({
  /** The node has at least one of these tags. */
  tags: v.optional(v.pipe(v.array(Tag), v.maxLength(16))),
  services: v.optional(v.pipe(v.array(BaseUrl), v.maxLength(64))),
  /** Messages below critical wait until it ends; a problem that clears or is acknowledged before then is never sent. */
  quiet: v.optional(
    v.strictObject({
      from: Time,
      to: Time,
      zone: v.optional(v.picklist(['utc', 'local']), 'local'),
    }),
  ),
  /** Interval of reminders of an active, unacknowledged problem, ms. */
  repeatMs: v.optional(whole(MINUTE_MS, DAY_MS)),
})
export type Routing = v.InferOutput<typeof RoutingSchema>

/** Whether the receiver gets alarms of this node or service. */
export const isRouted = (
  { service, tags = [] }: { readonly service?: string; readonly tags?: readonly string[] },
  routing: Routing | undefined,
): boolean =>
  (routing?.tags === undefined || routing.tags.some((tag) => tags.includes(tag))) &&
  (routing?.services === undefined || routing.services.some((one) => one === service))

/** Whether a moment is within quiet hours, whose end is exclusive. */
export function isQuiet(
  quiet: Routing['quiet'],
  wallMs: number,
  localOffsetMs: (wallMs: number) => number,
): boolean {
  if (quiet === undefined) return false
  const { from, to, zone } = quiet
  const time = new Date(wallMs + (zone === 'local' ? localOffsetMs(wallMs) : 0)).toISOString().slice(11, 16)
  return from <= to ? from <= time && time < to : from <= time || time < to
}
