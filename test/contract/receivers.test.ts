import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outgoing } from '#delivery/delivery-queue.ts'
import type { AlarmView } from '#alarms/alarm.ts'
import { createOutbox } from '#delivery/outbox.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import { createPost } from '#platform/worker-post.ts'
import { createFakeClock, TEST_START_MS } from '#test/support/fake-clock.ts'
import {
  NO_DETAILS,
  NO_MEMBERS,
  alarm,
  facts,
  outboxMemory,
  receiver,
  view,
} from '#test/core/delivery/outgoing.ts'
import { startReceiver, type RunningReceiver } from '#test/support/running-receiver.ts'
import { ROOT } from '#test/support/source-tree.ts'
import { systemClock } from '#platform/system-clock.ts'
import { hasAlertmanager, startAlertmanager } from './running-alertmanager.ts'

/** One that is gone after the test. */
async function runReceiver(): Promise<RunningReceiver> {
  const hook = await startReceiver()
  onTestFinished(hook.down)
  return hook
}

/** An outbox over real connections whose waits are ended by hand. */
function outbox(receivers: readonly Outgoing[], storage = outboxMemory(), startMs = TEST_START_MS) {
  const clock = createFakeClock(startMs)
  const sent = createOutbox({
    clock,
    // Its deadline is no part of these tests, and this clock would end a request that is under way.
    post: createPost({ ...systemClock, after: () => () => undefined }, undefined),
    storage,
    isWatching: () => true,
    describe: facts,
    details: () => NO_DETAILS,
    summary: ({ alarms }) => alarms.map(({ id }) => id).join(),
    test: { text: 'A test.', link: 'https://dash.example/' },
  })
  const end = () => sent.setActive(false)
  onTestFinished(end)
  sent.configure(receivers)
  sent.setActive(true)
  const state = () => sent.states.get()[0]
  /** Resolves when the first receiver is in this state. */
  const until = (holds: (now: NonNullable<ReturnType<typeof state>>) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        const now = state()
        if (now === undefined || !holds(now)) return
        stop()
        resolve()
      }
      const stop = sent.states.subscribe(look)
      look()
    })
  return { ...sent, clock, storage, end, state, until }
}

describe.skipIf(!hasAlertmanager)('an Alertmanager by the configuration of deploy', () => {
  it('keeps a warning quiet while the same alarm is critical, whoever raised them, and no other', async () => {
    const shipped = readFileSync(join(ROOT, 'deploy/prometheus/alertmanager.yml'), 'utf8')
    const [rules = ''] = /^inhibit_rules:\n(?: .*\n)+/m.exec(shipped) ?? []
    const running = await startAlertmanager('http://127.0.0.1:9/', rules)
    const alert = (severity: string, about: string, alertname: string) => ({
      labels: { alertname, severity, ...(about !== '' && { alarm: about }) },
    })
    await fetch(`${running.url}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([
        alert('critical', 'unreachable a', 'FromPrometheus'),
        alert('warning', 'unreachable a', 'FromDashboard'),
        alert('warning', 'unreachable b', 'Other'),
        alert('critical', '', 'Foreign'),
        alert('warning', '', 'ForeignToo'),
      ]),
    })
    const quiet = async () =>
      (await running.alerts())
        .filter(({ status }) => status.state === 'suppressed')
        .map(({ labels }) => labels['alertname'])
    await expect.poll(quiet).toEqual(['FromDashboard'])
  })
})

describe.skipIf(!hasAlertmanager)('a real Alertmanager', () => {
  const pager = (url: string): Outgoing =>
    receiver({ kind: 'alertmanager', postUrl: `${url}/api/v2/alerts`, from: 'warning' })

  it('is told what is on, for a day ahead, and what is over, and passes both on', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    // It has a clock of its own, so alarms begin now.
    const now = systemClock.wallMs()
    const on = alarm('a', { raisedWallMs: now, sinceWallMs: now, todo: 'Look at the disk.' })
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    sent.sync(view([on]), NO_MEMBERS)
    await sent.until(({ waiting, lastDeliveredWallMs }) => waiting === 0 && lastDeliveredWallMs !== undefined)
    const [alert] = await running.alerts()
    expect(alert).toMatchObject({
      labels: { alertname: 'ImmuneNodeHeartbeatOld', severity: 'critical', node: '0xa', alarm: 'a' },
      annotations: { summary: 'a: heartbeat too old', todo: 'Look at the disk.' },
      generatorURL: 'https://dash.example/#/alarms/a',
      status: { state: 'active' },
    })
    // A screen that dies now leaves the alert on for a day.
    expect(Date.parse(alert?.endsAt ?? '') - now).toBe(86_400_000)
    await hook.took(1)
    expect(hook.taken[0]).toMatchObject({ status: 'firing', alerts: [{ labels: { alarm: 'a' } }] })

    // Its own clock is the real one: an end that lies ahead would still be on.
    await sent.clock.advance(1)
    sent.sync(view([]), NO_MEMBERS)
    await hook.took(2)
    expect(hook.taken[1]).toMatchObject({ status: 'resolved', alerts: [{ labels: { alarm: 'a' } }] })
    expect(await running.alerts()).toEqual([])
  })

  it('has a group’s alert firing while members come and go, as long as one of them is on', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const of = (id: string, changed: Partial<AlarmView> = {}) =>
      alarm(id, { raisedWallMs: now, sinceWallMs: now, severity: 'warning', ...changed })
    const group = (ids: string, place = 'on') =>
      of(`group heartbeat-old any ${place}`, { memberCount: ids.length })
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    // Three alone, then five, again three, one critical, a row that waits to be seen, and the last one.
    const rows: readonly (readonly [readonly AlarmView[], string])[] = [
      [[of('a'), of('b'), of('c')], 'abc'],
      [[group('abcde')], 'abcde'],
      [[of('b'), of('d'), of('e')], 'bde'],
      [[group('bdef'), of('a', { severity: 'critical' })], 'bdefa'],
      [[group('bdef', 'cleared'), of('a', { severity: 'critical' })], 'bdefa'],
      [[of('b')], 'b'],
    ]
    const firing = async () =>
      (await running.alerts()).map(({ labels }) => `${labels['alarm']} ${labels['severity']}`).toSorted()
    const seen: string[][] = []
    for (const [on, ids] of rows) {
      await sent.clock.advance(1)
      sent.sync(view(on), () => Array.from(ids, (id) => ({ ...alarm(id), node: nodeKeyFromText(id) })))
      await sent.until(
        ({ waiting, lastDeliveredWallMs }) => waiting === 0 && lastDeliveredWallMs !== undefined,
      )
      seen.push(await firing())
    }
    const together = (severity: string) => `group heartbeat-old https~3A~2F~2Fnode.example ${severity}`
    expect(seen).toEqual([
      ['a warning', 'b warning', 'c warning'],
      ['a warning', 'b warning', 'c warning', together('warning')],
      ['b warning', together('warning')],
      ['b warning', together('critical')],
      ['b warning', together('critical')],
      ['b warning', together('critical')],
    ])
    await sent.clock.advance(1)
    sent.sync(view([]), NO_MEMBERS)
    await sent.until(({ waiting }) => waiting === 0)
    expect(await firing()).toEqual([])
    await hook.took(10)
    const events = hook.taken.map((body) => String(Reflect.get(Object(body), 'status')))
    expect(events.filter((status) => status === 'resolved')).toHaveLength(5)
  })

  it('has a silence for what was acknowledged, until it is taken back', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const to: Outgoing = {
      ...pager(running.url),
      via: 'direct',
      silences: true,
    }
    const memory = outboxMemory()
    const sent = outbox([to], memory, now)
    const on = alarm('a', { raisedWallMs: now, sinceWallMs: now })
    const known = { ...on, acknowledged: { wallMs: now, note: 'Ada looks.' } }
    sent.sync(view([known, alarm('b', { raisedWallMs: now, sinceWallMs: now })]), NO_MEMBERS)
    await sent.until(({ waiting, lastDeliveredWallMs }) => waiting === 0 && lastDeliveredWallMs !== undefined)
    expect(await running.silences()).toMatchObject([
      {
        comment: 'Acknowledged on the dashboard: Ada looks.',
        status: { state: 'active' },
        endsAt: new Date(now + 3_600_000).toISOString(),
      },
    ])
    const states = async () =>
      (await running.alerts()).map(({ labels, status }) => `${labels['alarm']} ${status.state}`)
    expect((await states()).toSorted()).toEqual(['a suppressed', 'b active'])
    // Alertmanager makes another one and ends the first where its own second had begun later than ours.
    const lasting = async () => (await running.silences()).filter(({ status }) => status.state !== 'expired')

    // Half an hour later the same silence lasts longer, over a reload too.
    sent.end()
    const later = outbox([to], memory, now + 1_800_001)
    later.sync(view([known]), NO_MEMBERS)
    await later.until(
      ({ waiting, lastDeliveredWallMs }) => waiting === 0 && lastDeliveredWallMs !== undefined,
    )
    expect(await lasting()).toMatchObject([{ endsAt: new Date(now + 5_400_001).toISOString() }])
    later.end()

    const last = outbox([to], memory, now)
    last.sync(view([on]), NO_MEMBERS)
    await last.until(({ waiting, lastDeliveredWallMs }) => waiting === 0 && lastDeliveredWallMs !== undefined)
    // A browser may not delete what is elsewhere: there it ends soon.
    expect(await lasting()).toMatchObject([{ endsAt: new Date(now + 30_000).toISOString() }])
    expect(memory.kept.get('r1 silences')).toBeUndefined()
  })

  it('that was restarted and has forgotten everything is told again within a minute', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const on = alarm('a', { raisedWallMs: now, sinceWallMs: now })
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    sent.sync(view([on]), NO_MEMBERS)
    await hook.took(1)
    // It passes on before it answers: ended in between, it would be tried twice, and later than is waited for here.
    await sent.until(({ lastDeliveredWallMs }) => lastDeliveredWallMs !== undefined)
    await running.stop()
    await sent.clock.advance(60_000)
    await sent.until(({ failure }) => failure?.kind === 'unreachable')
    await running.start()
    expect(await running.alerts()).toEqual([])
    await sent.clock.advance(5_000)
    await sent.until(({ failure }) => failure === undefined)
    expect(await running.alerts()).toMatchObject([{ labels: { alarm: 'a' } }])
  })

  it('takes a test, which ends by itself', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    expect(await sent.test('r1')).toMatchObject({ ok: true, value: { status: 200 } })
    await hook.took(1)
    const [alert] = await running.alerts()
    expect(alert?.labels['alertname']).toBe('ImmuneNodeDashboardTest')
    expect(Date.parse(alert?.endsAt ?? '') - now).toBe(300_000)
  })
})
