import { METRICS } from '#metrics/metrics.ts'
import { isMainThread } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import type { AlarmNotification, AlarmsView } from '#alarms/alarm.ts'
import type { AlarmStore, StoredAlarms } from '#alarms/alarm-store.ts'
import { createStore } from '#base/store.ts'
import type { LogEntry } from '#history/event-log.ts'
import { FIRST_STATUS, type HistoryStatus } from '#history/history-status.ts'
import { createAlarmService, type AlarmServicePorts } from '#pipeline/alarm-service.ts'
import { type AlarmSettings } from '#settings/schema.ts'
import { KEEPS_NO_ALARMS } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { aFailingNode, aNode, aSnapshot } from '#test/support/fleet-fixture.ts'
import { inZone } from '#test/support/in-zone.ts'

const NO_RULES: AlarmSettings = { rules: [], maintenance: [], builtIn: [] }

/** Raises an alarm at once, because the screen may not play sound. */
const SOUND_BLOCKED = { soundBlocked: true } as const

/** A store whose writes end when the test says so. */
function slowStore(stored?: StoredAlarms | Promise<StoredAlarms | undefined>) {
  const writes: {
    readonly kept: StoredAlarms
    readonly withPoints: boolean
    readonly end: (isSaved: boolean) => void
    readonly fail: () => void
  }[] = []
  const store: AlarmStore = {
    load: async () => stored,
    save: (kept, withPoints) =>
      new Promise((done, fail) => {
        writes.push({ kept, withPoints, end: done, fail: () => fail(new Error('closed')) })
      }),
  }
  return { store, writes }
}

/** The service alone, with everything that it reports. */
function alarmService(ports: Partial<AlarmServicePorts> = {}) {
  const clock = createFakeClock()
  const entries: LogEntry[] = []
  const notified: AlarmNotification[] = []
  const views: AlarmsView[] = []
  const service = createAlarmService({
    metrics: METRICS,
    clock,
    log: {
      append: async (more) => {
        entries.push(...more)
      },
    },
    status: undefined,
    store: KEEPS_NO_ALARMS,
    onNotification: (notification) => notified.push(notification),
    evaluated: (view) => views.push(view),
    ...ports,
  })
  const evaluate = (lateMs = 0, fleet = aSnapshot([])) => service.evaluate(fleet, clock.monotonicMs(), lateMs)
  return { ...service, clock, entries, notified, views, evaluate }
}

/** The service after its start. */
async function begun(ports: Partial<AlarmServicePorts> = {}) {
  const service = alarmService(ports)
  service.start('test')
  await service.clock.advance(1)
  service.configure(NO_RULES)
  return service
}

/** A started service whose writes end when the test says so. */
async function storing() {
  const { store, writes } = slowStore()
  return { ...(await begun({ store })), writes }
}

const kindsIn = (view: AlarmsView | undefined) => view?.alarms.map(({ kind }) => kind)

it('logs when an operator mutes and unmutes the sound, and when a mute expires', async () => {
  const { clock, entries, act, evaluate, stop } = await begun()
  const told = () =>
    entries
      .splice(0)
      .map(({ area, what, facts }) => [area, what, facts?.['reason'], facts?.['untilMs'] ?? 'no end'])
  const mute = () => {
    const untilWallMs = clock.wallMs() + 900_000
    act({ act: 'mute', untilWallMs })
    return untilWallMs
  }

  expect([mute(), told()]).toEqual([
    clock.wallMs() + 900_000,
    [['operator', 'sound-muted', 'by-person', clock.wallMs() + 900_000]],
  ])
  act({ act: 'unmute' })
  act({ act: 'unmute' })
  expect(told()).toEqual([['operator', 'sound-unmuted', 'by-person', 'no end']])
  const untilMs = mute()
  await clock.advance(900_000)
  evaluate()
  expect(told()).toEqual([
    ['operator', 'sound-muted', 'by-person', untilMs],
    ['alarm', 'sound-unmuted', 'mute-ended', 'no end'],
  ])
  stop(false)
})

describe('alarms that are not running', () => {
  it('are not evaluated before the operator’s rules are known', async () => {
    const service = alarmService()
    service.setFacts(SOUND_BLOCKED)
    service.start('test')
    await service.clock.advance(1)
    service.evaluate()
    service.publish()
    expect(service.views).toEqual([])
    expect(service.view.get()).toBeUndefined()
    service.configure(NO_RULES)
    service.evaluate()
    service.publish()
    expect(kindsIn(service.view.get())).toEqual(['sound-blocked'])
    expect(service.views).toEqual([service.view.get()])
  })

  it('are not evaluated after a stop, even if the stored ones load later', async () => {
    let read = (_stored: StoredAlarms | undefined): void => undefined
    const { store } = slowStore(new Promise((done) => (read = done)))
    const service = alarmService({ store })
    service.configure(NO_RULES)
    service.start('test')
    await service.clock.advance(1)
    expect(service.act({ act: 'unmute' })).toBe(false)
    service.stop(true)
    read(undefined)
    await service.clock.advance(1)
    expect(service.act({ act: 'unmute' })).toBe(false)
    service.evaluate()
    expect(service.views).toEqual([])

    const running = await begun()
    expect(running.act({ act: 'unmute' })).toBe(true)
    running.stop(false)
    expect(running.act({ act: 'unmute' })).toBe(false)
  })
})

describe('published alarms', () => {
  it('are published once per change', async () => {
    const service = await begun()
    const published: (AlarmsView | undefined)[] = []
    service.view.subscribe(() => published.push(service.view.get()))
    service.setFacts(SOUND_BLOCKED)
    service.evaluate()
    service.publish()
    service.publish()
    expect(published).toHaveLength(1)
    expect(published[0]).toMatchObject({ writer: 'test' })
    service.act({ act: 'acknowledge-all' })
    expect(published).toHaveLength(2)
    expect(published[1]?.alarms[0]?.acknowledged).toBeDefined()
  })

  it('list the nodes behind each alarm and the alarms of each node', async () => {
    const service = await begun()
    for (let poll = 1; poll <= 10; poll++) {
      await service.clock.advance(30_000)
      const node = aFailingNode({ kind: 'node-unknown' }, { failed: 20 + poll })
      service.evaluate(0, aSnapshot([node]))
    }
    service.publish()
    const [alarm] = service.view.get()?.alarms ?? []
    expect(alarm?.subject).toMatchObject({ kind: 'node', node: aNode().key })
    expect(service.members(alarm?.id ?? '')).toHaveLength(1)
    expect(service.raised().get(aNode().key)).toHaveLength(1)
    expect(service.raised()).toBe(service.raised())
  })

  it.each<[string, Partial<HistoryStatus>, readonly string[], string | undefined]>([
    ['is kept', { state: 'kept' }, [], undefined],
    ['is starting', { state: 'starting' }, [], undefined],
    ['cannot be kept, with the reason', { state: 'not-kept', failure: 'full' }, ['not-saving'], 'full'],
    ['cannot be kept for an unknown reason', { state: 'not-kept' }, ['not-saving'], 'broken'],
  ])('reflect that history %s', async (_what, given, kinds, why) => {
    const service = await begun({ status: createStore<HistoryStatus>({ ...FIRST_STATUS, ...given }) })
    service.evaluate()
    expect(kindsIn(service.views.at(-1))).toEqual(kinds)
    expect(service.views.at(-1)?.alarms[0]?.value).toEqual(
      why === undefined ? undefined : { unit: 'reason', text: why },
    )
  })

  it('keep the history alarm while history restarts, and end it once history is kept', async () => {
    const status = createStore<HistoryStatus>({ ...FIRST_STATUS, state: 'not-kept', failure: 'full' })
    const service = await begun({ status })
    const phaseAfter = async (state: HistoryStatus['state']) => {
      status.publish({ ...FIRST_STATUS, state })
      for (let minute = 0; minute < 5; minute++) {
        await service.clock.advance(60_000)
        service.evaluate()
      }
      return service.views.at(-1)?.alarms.map(({ phase }) => phase)
    }
    service.evaluate()
    expect(await phaseAfter('starting')).toEqual(['firing'])
    expect(await phaseAfter('kept')).not.toContain('firing')
  })
})

// A worker thread, as Stryker uses, cannot set a time zone.
describe.skipIf(!isMainThread)('maintenance by local time', () => {
  // Saturday, 6 June 2026, from 10:00 to 11:00.
  const AT_TEN: AlarmSettings = {
    rules: [],
    builtIn: [],
    maintenance: [
      {
        id: 'window',
        reason: 'works',
        scope: { for: 'all' },
        when: { kind: 'weekly', days: [6], startMinute: 600, minutes: 60, zone: 'local' },
      },
    ],
  }
  it.each([
    ['2026-06-06T08:30:00Z', 'Europe/Berlin', true],
    ['2026-06-06T10:30:00Z', 'Europe/Berlin', false],
    ['2026-06-06T14:30:00Z', 'America/New_York', true],
    ['2026-06-06T10:30:00Z', 'America/New_York', false],
  ])('at %s in %s is open: %j', async (time, zone, isOpen) => {
    const service = await begun({ clock: createFakeClock(Date.parse(time)) })
    service.configure(AT_TEN)
    service.setFacts(SOUND_BLOCKED)
    inZone(zone, () => service.evaluate())
    expect(service.views.at(-1)?.alarms.map(({ maintenance }) => maintenance)).toEqual([isOpen])
  })
})

it('stored alarms are restored together with a mute, which is not logged again', async () => {
  const { store, writes } = slowStore()
  const first = await begun({ store })
  first.setFacts(SOUND_BLOCKED)
  first.evaluate()
  const untilWallMs = first.clock.wallMs() + 600_000
  first.act({ act: 'mute', untilWallMs })
  first.act({ act: 'acknowledge-all' })
  first.stop(true)
  const next = await begun({ store: slowStore(writes.at(-1)?.kept).store })
  next.setFacts(SOUND_BLOCKED)
  next.evaluate()
  expect(next.views[0]?.mutedUntilWallMs).toBe(untilWallMs)
  expect(next.views[0]?.alarms[0]).toMatchObject({ kind: 'sound-blocked', phase: 'firing' })
  expect(next.views[0]?.alarms[0]?.acknowledged).toBeDefined()
  expect(next.entries.map(({ what }) => what)).not.toContain('sound-muted')
})

describe('saving alarms', () => {
  const ofPerson = { act: 'mute', untilWallMs: Number.MAX_SAFE_INTEGER } as const

  it('happens at once after a person’s action and after a notification', async () => {
    const { writes, ...service } = await storing()
    service.act(ofPerson)
    expect(writes).toHaveLength(1)
    writes[0]?.end(true)
    await service.clock.advance(1)
    service.act({ act: 'unmute' })
    expect(writes).toHaveLength(2)
    writes[1]?.end(true)
    // Already unmuted, so nothing changes.
    await service.clock.advance(1)
    service.act({ act: 'unmute' })
    const made = writes.length
    await service.clock.advance(100)
    service.setFacts(SOUND_BLOCKED)
    service.evaluate()
    expect(service.notified).toHaveLength(1)
    writes.at(-1)?.end(true)
    await service.clock.advance(0)
    expect(writes.length).toBeGreaterThan(made)
  })

  it('shows in the view whether it worked, and is retried if it failed', async () => {
    const { writes, ...service } = await storing()
    service.setFacts(SOUND_BLOCKED)
    service.evaluate()
    expect(writes).toHaveLength(1)
    expect(service.views.at(-1)?.persisted).toBe(false)
    writes[0]?.end(true)
    await service.clock.advance(1_000)
    service.evaluate()
    expect(service.views.at(-1)?.persisted).toBe(true)
    service.act(ofPerson)
    const made = writes.length
    writes.at(-1)?.fail()
    await service.clock.advance(999)
    service.evaluate()
    expect(service.views.at(-1)?.persisted).toBe(false)
    expect(writes).toHaveLength(made)
    await service.clock.advance(1)
    service.evaluate()
    expect(writes).toHaveLength(made + 1)
  })

  it('runs one at a time, followed by a single one for all urgent changes since', async () => {
    const { writes, ...service } = await storing()
    service.act(ofPerson)
    service.act({ act: 'unmute' })
    service.act(ofPerson)
    service.act({ act: 'unmute' })
    expect(writes).toHaveLength(1)
    await service.clock.advance(20_000)
    service.evaluate()
    expect(writes).toHaveLength(1)
    writes[0]?.end(true)
    await service.clock.advance(0)
    expect(writes).toHaveLength(2)
    expect(writes[1]?.kept.mutedUntilWallMs).toBeUndefined()
    writes[1]?.end(true)
    await service.clock.advance(0)
    expect(writes).toHaveLength(2)
  })

  it('happens within a second of an important change, even without a notification', async () => {
    const { writes, ...service } = await storing()
    service.act(ofPerson)
    writes[0]?.end(true)
    await service.clock.advance(0)
    const failing = aSnapshot([aFailingNode({ kind: 'node-unknown' })])
    await service.clock.advance(999)
    service.evaluate(0, failing)
    const soon = writes.length
    await service.clock.advance(1)
    service.evaluate(0, failing)
    expect([soon, writes.length]).toEqual([1, 2])
    expect(service.notified).toEqual([])
  })

  it('happens a last time when the engine ends, even during another one', async () => {
    const { writes, ...service } = await storing()
    service.act(ofPerson)
    service.act({ act: 'unmute' })
    service.stop(true)
    expect(writes).toHaveLength(2)
    expect(writes[1]).toMatchObject({ withPoints: true, kept: { mutedUntilWallMs: undefined } })
    writes[0]?.end(true)
    writes[1]?.end(true)
    await service.clock.advance(0)
    expect(writes).toHaveLength(2)
  })
})
