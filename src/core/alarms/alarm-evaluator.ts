import type { FleetSnapshot } from '#fleet/live.ts'
import type { AlarmSettings } from '#settings/alarm-settings.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { AlarmAct, AlarmId, AlarmMember, AlarmsView } from './alarm.ts'
import { noteKey } from './first-key.ts'
import { memberOf, rowsOf } from './rows.ts'
import type { Instance } from './instance.ts'
import type { StoredAlarms } from './alarm-store.ts'
import { keepingOf } from './keeping.ts'
import { listOf } from './list.ts'
import { seeNodes, seeRefused, seeSelf, seeShared } from './evaluate-fleet.ts'
import { aroundOf, createRoom, momentOf, presentIn, take, type AlarmPorts, type AlarmRoom } from './room.ts'
import type { SelfFacts } from './self-rules.ts'
import { closeGone, closeUnruled, settle } from './alarm-state.ts'
import { actOn } from './acts.ts'

/** All alarms of one screen. Nothing here waits or has a clock: whoever owns it says what is seen, and when. */
export type AlarmEvaluator = {
  /** What is seen now. `nowMs` is on the engine's steady clock. */
  readonly evaluate: (snapshot: FleetSnapshot, facts: SelfFacts, nowMs: number, wallMs: number) => void
  /** The operator's own rules from now on, and maintenance. */
  readonly configure: (settings: AlarmSettings) => void
  readonly act: (act: AlarmAct, wallMs: number) => void
  /** The same object while nothing has changed. */
  readonly view: () => AlarmsView
  /** Every alarm behind a row. */
  readonly members: (id: AlarmId) => readonly AlarmMember[]
  /** Takes over what was kept, before the first look. */
  readonly restore: (kept: StoredAlarms, wallMs: number) => void
  /** What changed since `keep` was last called. */
  readonly dirty: () => AlarmRoom['unkept']
  /** Everything that is to outlive the tab. */
  readonly stored: () => StoredAlarms
  /** Whether that worked. */
  readonly setPersisted: (kept: boolean) => void
}

/** What passes between two looks beyond this was not watched. */
const AWAKE_STEP_MAX_MS = 5_000

export function createAlarmEvaluator(ports: AlarmPorts): AlarmEvaluator {
  const room = createRoom(ports)
  return {
    evaluate: (snapshot, facts, nowMs, wallMs) => {
      room.awakeMs += Math.min(AWAKE_STEP_MAX_MS, Math.max(0, nowMs - (room.steadyMs ?? nowMs)))
      room.steadyMs = nowMs
      room.wallMs = wallMs
      const before = room.snapshot
      // A snapshot is as old as its batch; ages go on meanwhile.
      const now = { ...snapshot, nowMs, wallMs }
      room.snapshot = now
      if (
        before?.nodes !== now.nodes ||
        before.services !== now.services ||
        room.restoredAwakeMs !== undefined
      )
        closeGone(room, now)
      noteKey(room, now)
      seeNodes(room, now, before)
      seeRefused(room, now)
      seeShared(room, now)
      seeSelf(room, now, facts)
      settle(room)
    },
    configure: (settings) => {
      room.settings = settings
      closeUnruled(room)
    },
    act: (act, wallMs) => {
      room.wallMs = wallMs
      if (act.act === 'mute' || act.act === 'unmute') {
        room.mutedUntilWallMs =
          act.act === 'mute' ? Math.min(act.untilWallMs, wallMs + DEFAULTS.shelveMaxMs) : undefined
        room.shown = undefined
        room.unkept = 'much'
      }
      for (const one of meantBy(room, act)) take(room, actOn(one, act, momentOf(room, one.subject)))
      settle(room)
    },
    view: () => {
      room.shown ??= {
        revision: ++room.revision,
        writer: ports.writer,
        wallMs: room.wallMs,
        ...listOf(presentIn(room), aroundOf(room)),
        mutedUntilWallMs: room.mutedUntilWallMs,
        persisted: room.kept,
      }
      return room.shown
    },
    members: (id) => (rowsOf(presentIn(room), aroundOf(room)).get(id) ?? []).flatMap(memberOf),
    ...keepingOf(room),
  }
}

function meantBy(room: AlarmRoom, act: AlarmAct): readonly Instance[] {
  const { instances } = room
  if (act.act === 'acknowledge-all') return presentIn(room)
  if (!('ids' in act)) return []
  const rows = rowsOf(presentIn(room), aroundOf(room))
  return act.ids.flatMap((id) => rows.get(id) ?? instances.get(id) ?? [])
}
