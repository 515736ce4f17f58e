import { describe, expect, it } from 'vitest'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { Acknowledged, Shelved } from '#alarms/alarm.ts'
import { actsToRepeat } from '#react/use-server-watch.ts'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { WALL_MS } from '#test/support/fleet-fixture.ts'

type State = { readonly acknowledged?: Acknowledged; readonly shelved?: Shelved }

const viewOf = (state: State | undefined) => anAlarmsView(state === undefined ? [] : [anAlarm(state)])
const { id } = anAlarm()
const ON: State = {}
const ACKNOWLEDGED: State = { acknowledged: { wallMs: WALL_MS, note: 'on it', by: 'vera' } }
const SHELVED: State = { shelved: { untilWallMs: WALL_MS + 60_000, reason: 'ticket', by: 'vera' } }
const ACKNOWLEDGE: AlarmAct = { act: 'acknowledge', ids: [id], note: 'on it', by: 'vera' }
const SHELVE: AlarmAct = {
  act: 'shelve',
  ids: [id],
  untilWallMs: WALL_MS + 60_000,
  reason: 'ticket',
  by: 'vera',
}

describe('an action at the server’s watch', () => {
  it.each<
    [what: string, before: State | undefined, now: State, here: State | undefined, acts: readonly AlarmAct[]]
  >([
    ['acknowledged since the last report', ON, ACKNOWLEDGED, ON, [ACKNOWLEDGE]],
    ['acknowledged before this page was opened', undefined, ACKNOWLEDGED, ON, [ACKNOWLEDGE]],
    ['acknowledged here too', ON, ACKNOWLEDGED, ACKNOWLEDGED, []],
    ['unacknowledged here only', ACKNOWLEDGED, ACKNOWLEDGED, ON, []],
    ['unacknowledged there', ACKNOWLEDGED, ON, ACKNOWLEDGED, [{ act: 'unacknowledge', ids: [id] }]],
    ['acknowledged here only', ON, ON, ACKNOWLEDGED, []],
    ['shelved', ON, SHELVED, ON, [SHELVE]],
    ['unshelved', SHELVED, ON, SHELVED, [{ act: 'unshelve', ids: [id] }]],
    ['acknowledged for an alarm unknown to this browser', ON, ACKNOWLEDGED, undefined, []],
  ])('is repeated in this browser only if needed: %s', (_what, before, now, here, acts) => {
    const earlier = before === undefined ? undefined : viewOf(before)
    expect(actsToRepeat(earlier, viewOf(now), viewOf(here))).toEqual(acts)
  })
})
