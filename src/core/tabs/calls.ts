import type { Clock } from '#base/clock.ts'
import type { TabCall } from './share-message.ts'

const ANSWER_LIMIT_MS = 2_000
const CALLS_MAX = 64

/** Questions that are under way. Each ends: by its answer, or without one after two seconds. */
export function createCalls(clock: Clock, send: (id: number, call: TabCall) => void) {
  const waiting = new Map<number, (value: unknown) => void>()
  let lastId = 0
  return {
    /** Undefined when no answer came in time. */
    ask: (call: TabCall): Promise<unknown> =>
      new Promise((resolve) => {
        if (waiting.size >= CALLS_MAX) return resolve(undefined)
        const id = ++lastId
        const end = (value: unknown): void => {
          cancel()
          waiting.delete(id)
          resolve(value)
        }
        const cancel = clock.after(ANSWER_LIMIT_MS, () => end(undefined))
        waiting.set(id, end)
        send(id, call)
      }),
    answered: (id: number, value: unknown): void => waiting.get(id)?.(value),
  }
}
