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

/** A receiver that stops after the test. */
async function runReceiver(): Promise<RunningReceiver> {
  const hook = await startReceiver()
  onTestFinished(hook.down)
  return hook
}

/** An outbox with real connections, whose timers the test controls. */
function outbox(receivers: readonly Outgoing[], storage = outboxMemory(), startMs = TEST_START_MS) {
  const clock = createFakeClock(startMs)
  const sent = createOutbox({
    clock,
    // Without timers, because the fake clock would abort a request in progress.
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
  /** Resolves when the first receiver's state meets the condition. */
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

describe.skipIf(!hasAlertmanager)('an Alertmanager with the configuration in deploy', () => {
  it('inhibits only the warning of an alarm that is also critical, even from another sender', async () => {
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

  it('receives active alarms with an end a day ahead, and cleared ones, and forwards both', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    // Alertmanager uses its own clock, so alarms must begin now.
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
    // If the screen fails now, the alert stays active for a day.
    expect(Date.parse(alert?.endsAt ?? '') - now).toBe(86_400_000)
    await hook.took(1)
    expect(hook.taken[0]).toMatchObject({ status: 'firing', alerts: [{ labels: { alarm: 'a' } }] })

    // Alertmanager's clock is real, so an end in its future would keep the alert active.
    await sent.clock.advance(1)
    sent.sync(view([]), NO_MEMBERS)
    await hook.took(2)
    expect(hook.taken[1]).toMatchObject({ status: 'resolved', alerts: [{ labels: { alarm: 'a' } }] })
    expect(await running.alerts()).toEqual([])
  })

  it('keeps a group’s alert firing as long as one of its members is active', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const of = (id: string, changed: Partial<AlarmView> = {}) =>
      alarm(id, { raisedWallMs: now, sinceWallMs: now, severity: 'warning', ...changed })
    const group = (ids: string, place = 'on') =>
      of(`group heartbeat-old any ${place}`, { memberCount: ids.length })
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    // Three single alarms, a group of five, three single ones, one critical member, an unacknowledged row, and the last
    // member.
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

  it('has a silence for an acknowledged alarm until the alarm is unacknowledged', async () => {
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
    // If its own second began later than ours, Alertmanager replaces the silence and expires the first one.
    const lasting = async () => (await running.silences()).filter(({ status }) => status.state !== 'expired')

    // Half an hour later the same silence is extended, even after a reload.
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
    expect(await lasting()).toMatchObject([{ endsAt: new Date(now + 30_000).toISOString() }])
    expect(memory.kept.get('r1 silences')).toBeUndefined()
  })

  it('gets all alarms again within a minute after a restart without data', async () => {
    const hook = await runReceiver()
    const running = await startAlertmanager(hook.url)
    const now = systemClock.wallMs()
    const on = alarm('a', { raisedWallMs: now, sinceWallMs: now })
    const sent = outbox([pager(running.url)], outboxMemory(), now)
    sent.sync(view([on]), NO_MEMBERS)
    await hook.took(1)
    // Alertmanager forwards before it answers. If it stopped in between, the retry would come too late for this test.
    await sent.until(({ lastDeliveredWallMs }) => lastDeliveredWallMs !== undefined)
    await running.stop()
    await sent.clock.advance(60_000)
    sent.sync(view([on]), NO_MEMBERS)
    await sent.until(({ failure }) => failure?.kind === 'unreachable')
    await running.start()
    expect(await running.alerts()).toEqual([])
    await sent.clock.advance(5_000)
    await sent.until(({ failure }) => failure === undefined)
    expect(await running.alerts()).toMatchObject([{ labels: { alarm: 'a' } }])
  })

  it('accepts a test alert, which expires after 5 min', async () => {
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
