import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createAlarmStore } from '#alarms/alarm-store.ts'
import { ok } from '#base/result.ts'
import { createEngineHost } from '#engine/engine-host.ts'
import { createMemoryHistory } from '#test/support/memory-history.ts'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { nodes, record, service } from '#test/core/monitor/watch.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { aloneHere } from '#test/support/alone-here.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'

it('an acknowledged alarm is acknowledged after a reload, and people are not told of it again', async () => {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const told: string[] = []
  const open = async () => {
    const views: AlarmsView[] = []
    const { open: openPage, stop } = createEngineHost({
      ...aloneHere(),
      clock,
      transport: async () => ok({ status: 401, body: '' }),
      history: createMemoryHistory(),
      alarmStore: createAlarmStore(storage),
      openSigner: () => ({ signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) }),
    })
    const engine = openPage()
    await engine.watchAlarms((view) => views.push(view))
    await engine.watchAnnouncements(
      (one) => {
        if (one.kind === 'notification')
          told.push(`${one.notification.kind} ${one.notification.alarms[0]?.kind ?? ''}`)
      },
      () => undefined,
    )
    const { port1, port2 } = new MessageChannel()
    await engine.connectSigner(port1)
    await engine.configure({ serverUrl: 'http://127.0.0.1', services: [service()], nodes: nodes(2) })
    await clock.advance(60_000)
    return { engine, stop, last: () => views.at(-1)?.alarms[0], close: () => port2.close() }
  }
  const first = await open()
  const alarm = first.last()
  expect(alarm).toMatchObject({ kind: 'key-rejected', phase: 'firing', acknowledged: undefined })
  expect(told).toEqual(['problem key-rejected'])
  const ids = alarm === undefined ? [] : [alarm.id]
  expect(await first.engine.alarmAct({ act: 'acknowledge', ids, note: 'Ada looks' })).toBe(true)
  await clock.advance(2_000)
  first.stop('ended')
  first.close()
  const second = await open()
  expect(second.last()).toMatchObject({ id: ids[0], phase: 'firing', acknowledged: { note: 'Ada looks' } })
  expect(told).toEqual(['problem key-rejected'])
  second.stop('ended')
  second.close()
})

it('a stake that changed while nobody watched is told after the reload', async () => {
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const rules = [
    {
      id: 'mine',
      scope: { for: 'all' },
      raiseAfter: { polls: 1, of: 1 },
      condition: { metric: 'stake', test: 'changed' },
    },
  ]
  const run = async (stake: number) => {
    const views: AlarmsView[] = []
    const { open: openPage, stop } = createEngineHost({
      ...aloneHere(),
      clock,
      transport: async () => ok({ status: 200, body: record('0x0001', { stake_deployed: stake }) }),
      history: createMemoryHistory(),
      alarmStore: createAlarmStore(storage),
      openSigner: () => ({ signStatusRequest: async () => ok({ headers: {}, query: 'node_id=0x0001' }) }),
    })
    const engine = openPage()
    await engine.watchAlarms((view) => views.push(view))
    const { port1, port2 } = new MessageChannel()
    await engine.connectSigner(port1)
    const alarms = v.parse(AlarmSettingsSchema, { rules })
    await engine.configure({
      serverUrl: 'http://127.0.0.1',
      services: [service()],
      nodes: nodes(1),
      alarms,
    })
    await clock.advance(45_000)
    stop('ended')
    port2.close()
    return views.at(-1)?.alarms.find(({ ruleId }) => ruleId === 'mine')
  }
  expect(await run(9)).toBeUndefined()
  expect(await run(10)).toMatchObject({
    kind: 'stake-changed',
    value: { text: '10', before: '9' },
  })
})
