import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmAct } from './alarm.ts'
import type { Instance, Moment, Stepped } from './instance.ts'

const TEXT_MAX = 2_000
const STEPLESS = (next: Instance): Stepped => ({ next, transitions: [] })

/** What a person does to one alarm. What does not apply changes nothing. */
export function actOn(before: Instance, act: AlarmAct, now: Moment): Stepped {
  switch (act.act) {
    case 'acknowledge':
    case 'acknowledge-all':
      return acknowledge(before, act.note?.trim().slice(0, TEXT_MAX), now)
    case 'unacknowledge':
      return before.acknowledged === undefined
        ? STEPLESS(before)
        : {
            next: { ...before, acknowledged: undefined },
            transitions: [{ name: 'unacknowledged', reason: 'by-person' }],
          }
    case 'acknowledge-end':
      return acknowledgeEnd(before)
    case 'shelve':
      return shelve(before, act, now)
    case 'unshelve':
      return before.shelved === undefined ? STEPLESS(before) : unshelved(before, 'by-person')
    case 'mute':
    case 'unmute':
      return STEPLESS(before)
  }
}

function acknowledge(before: Instance, note: string | undefined, { wallMs }: Moment): Stepped {
  if (before.awaitsAcknowledgement) return acknowledgeEnd(before)
  if (before.phase !== 'firing' && before.phase !== 'recovering') return STEPLESS(before)
  const text = note === '' ? undefined : note
  const acknowledged = { wallMs, ...(text !== undefined && { note: text }) }
  // A second note takes the place of the first; the journal has both.
  if (before.acknowledged !== undefined && text === undefined) return STEPLESS(before)
  return {
    next: { ...before, acknowledged },
    transitions: [{ name: 'acknowledged', reason: 'by-person', ...(text !== undefined && { note: text }) }],
  }
}

const acknowledgeEnd = (before: Instance): Stepped =>
  before.awaitsAcknowledgement
    ? {
        next: { ...before, awaitsAcknowledgement: false },
        transitions: [{ name: 'end-acknowledged', reason: 'by-person' }],
      }
    : STEPLESS(before)

function shelve(
  before: Instance,
  { untilWallMs, reason }: { readonly untilWallMs: number; readonly reason: string },
  { wallMs, awakeMs }: Moment,
): Stepped {
  // Never without end: what is no time, or lies in the past, shelves nothing.
  if (!(untilWallMs > wallMs)) return STEPLESS(before)
  const lastsMs = Math.min(untilWallMs - wallMs, DEFAULTS.shelveMaxMs)
  const text = reason.trim().slice(0, TEXT_MAX)
  return {
    next: {
      ...before,
      shelved: { untilWallMs: wallMs + lastsMs, reason: text, untilAwakeMs: awakeMs + lastsMs },
    },
    transitions: [{ name: 'shelved', reason: 'by-person', note: text }],
  }
}

const unshelved = (before: Instance, reason: string): Stepped => ({
  next: { ...before, shelved: undefined },
  transitions: [{ name: 'unshelved', reason }],
})

/** Puts back what was shelved for long enough, by either clock: a clock that is set back must not prolong it. */
export function endShelf(before: Instance, { wallMs, awakeMs }: Moment): Stepped {
  const { shelved } = before
  if (shelved === undefined || (wallMs < shelved.untilWallMs && awakeMs < shelved.untilAwakeMs))
    return STEPLESS(before)
  return unshelved(before, 'shelf-ended')
}
