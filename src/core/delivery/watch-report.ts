import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import type { AlarmsView } from '#alarms/alarm.ts'
import type { DeliveryState } from './delivery-queue.ts'

/** The server's watch as its `/watch` describes it. Times are by the server's clock, Unix ms. */
export type WatchReport = {
  readonly wallMs: number
  readonly startedWallMs: number
  readonly evaluatedWallMs: number
  readonly view: AlarmsView
  /** Empty for visitors who may only read. */
  readonly receivers: readonly WatchReceiver[]
}

type WatchReceiver = {
  readonly id: string
  readonly kind: string
  readonly name?: string
  /** The host or the recipient. */
  readonly where: string
  readonly state: DeliveryState
}

/** The server is our own, so the members that the page computes with are enough. */
const Report = v.looseObject({
  version: v.literal(1),
  wallMs: finite,
  startedWallMs: finite,
  evaluatedWallMs: finite,
  view: v.looseObject({
    revision: finite,
    writer: v.string(),
    alarms: v.array(v.looseObject({ id: v.string(), members: v.array(v.unknown()) })),
    counts: v.looseObject({ unacknowledged: finite }),
  }),
  receivers: v.array(v.looseObject({ id: v.string(), state: v.looseObject({ waiting: finite }) })),
})

export const isWatchReport = (value: unknown): value is WatchReport => v.is(Report, value)
