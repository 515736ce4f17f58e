import * as v from 'valibot'
import { finite } from '#base/schemas.ts'
import { storedList } from '#base/stored.ts'

const MessageSchema = v.object({
  id: v.string(),
  body: v.record(v.string(), v.unknown()),
})
export const Waiting = v.object({
  messages: storedList(MessageSchema),
  /** Dropped messages that were not reported to the receiver yet. */
  lost: v.fallback(v.pipe(v.number(), v.integer(), v.minValue(0)), 0),
  /** Alarms whose problem was sent, and whose recovery was not. */
  openProblems: storedList(v.string()),
  /** Those of them whose acknowledgement was sent. */
  acknowledged: storedList(v.string()),
  /** Alarms whose problem waits for the end of quiet hours. */
  held: storedList(v.string()),
  /** Time of the last message; 0 if no problem is open. */
  remindedMs: v.fallback(finite, 0),
})
export type Waiting = v.InferOutput<typeof Waiting>

export type Message = v.InferOutput<typeof MessageSchema>
