import * as v from 'valibot'
import { whole } from '#base/schemas.ts'
import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import { RoutingSchema } from './routing.ts'

/** How the server sends to a receiver of its file with --notify; each browser has its own settings. */
export const SENDING = {
  /** The lowest severity that is sent. */
  severity: v.optional(v.picklist(['critical', 'warning', 'info'])),
  /** Interval between pings, in milliseconds. */
  everyMs: v.optional(whole(MINUTE_MS, DAY_MS)),
  /** Whether an Alertmanager gets a silence for an acknowledged alarm. */
  silences: v.optional(v.boolean()),
  /** Whether it gets alarms about the watch itself, for example after its computer was asleep. */
  screenAlarms: v.optional(v.boolean()),
  /** Which alarms it gets, and when. */
  routing: v.optional(RoutingSchema),
}
