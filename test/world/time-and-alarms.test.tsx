import { expect, it, onTestFinished } from 'vitest'
import type { AlarmKind, AlarmPhase, AlarmView } from '#alarms/alarm.ts'
import { faultRows, type Row } from './fault-rows.ts'
import { openWorld } from './world.tsx'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

const ofKind = ({ alarms, node }: Row, kind: AlarmKind): AlarmView | undefined =>
  alarms().find(
    ({ kind: found, subject }) => found === kind && (subject.kind !== 'node' || subject.node === node.key),
  )

/** Advances time until there is such an alarm, for the row's node or without a node. */
async function raised(row: Row, kind: AlarmKind, phase: AlarmPhase = 'firing'): Promise<AlarmView> {
  for (let passedMs = 0; passedMs < 60_000; passedMs += 1_000) {
    const found = ofKind(row, kind)
    if (found?.phase === phase) return found
    await row.pass(1_000)
  }
  throw new Error(
    `no ${kind}, ${phase}: ${row
      .alarms()
      .map((one) => `${one.kind} ${one.phase}`)
      .join(', ')}`,
  )
}

/** Asserts that the monitoring gap was notified, and that no alarm of nodes or services was. */
function onlyGapIsTold({ alarms }: Row): void {
  const kinds = alarms().flatMap(({ kind, notified }) => (notified ? [kind] : []))
  expect(kinds).toContain('gap')
  expect(kinds.filter((kind) => ['unreachable', 'blind', 'network'].includes(kind))).toEqual([])
}

/** Messages about unwatched time remain for long, so each of these tests has its own world. */
const LEFT = { leaves: 'watch/' }

for (const { of, byMs, words } of [
  { of: 'back by two hours', byMs: -2 * HOUR_MS, words: 'This computer’s clock is 2 h 00 m slow' },
  { of: 'ahead by a year', byMs: YEAR_MS, words: 'This computer’s clock is 365 d 0 h fast' },
])
  faultRows().row(77, { of, meetsAll: true, ...LEFT }, async (given) => {
    given.setWallClock(byMs)
    await given.told(words)
    await given.polls(2)
    expect(given.page.oldFor()).toBeTypeOf('number')
    expect(given.page.hero()).not.toMatch(/[-−]\d|NaN/)
    onlyGapIsTold(given)
    given.setWallClock(-byMs)
  })

faultRows().row(79, { meetsAll: true, ...LEFT }, async (given) => {
  // No service answers after the wake-up yet, so that the page still shows the values from before.
  await given.setAll('hang')
  given.clock.sleep(8 * HOUR_MS, 'stops')
  await given.pass(1_500)
  expect(given.page.oldFor()).toBeGreaterThanOrEqual((8 * HOUR_MS) / 1_000)
  onlyGapIsTold(given)
})

faultRows().row(135, LEFT, async (given) => {
  await given.set('silent-heartbeat', 3_600)
  const { id } = await raised(given, 'heartbeat-old')
  const untilWallMs = given.clock.wallMs() + HOUR_MS
  await given.act({ act: 'shelve', ids: [id], untilWallMs, reason: 'Host is being patched' })
  await given.pass(2_000)
  expect(ofKind(given, 'heartbeat-old')?.shelved?.untilWallMs).toBe(untilWallMs)
  given.clock.sleep(48 * HOUR_MS, 'stops')
  await given.pass(3_000)
  expect(ofKind(given, 'heartbeat-old')).toMatchObject({ phase: 'firing', shelved: undefined })
})

faultRows().row(131, {}, async (given) => {
  await given.set('silent-heartbeat', 3_600)
  await raised(given, 'heartbeat-old')
  await given.set('hang')
  await given.pass(30_000)
  // A missing answer must not clear the alarm. It stays active and shows the age of its evidence.
  const old = ofKind(given, 'heartbeat-old')
  expect(old).toMatchObject({ phase: 'firing', evidence: { state: 'old' } })
  expect(old?.evidence.ageMs).toBeGreaterThan(10_000)
})

faultRows().row(132, {}, async (given) => {
  // One bad poll makes the alarm pending, and a second in a row would raise it. After the first one no answer comes.
  await given.set('silent-heartbeat', 3_600)
  await given.polls(1)
  await given.set('hang')
  await raised(given, 'unreachable')
  // The alarm stays pending. The missing answers raise an alarm of their own.
  expect(ofKind(given, 'heartbeat-old')).toMatchObject({ phase: 'pending', evidence: { state: 'old' } })
})

it('F 136: node removed while its alarm fires', async () => {
  const world = await openWorld()
  onTestFinished(world.close)
  const [, , node] = world.nodes
  if (node === undefined) throw new Error('no third node')
  await world.references[0]?.faults.set(node.id, { name: 'silent-heartbeat', value: 3_600 })
  const its = () =>
    world.alarms().filter(({ subject }) => subject.kind === 'node' && subject.node === node.key)
  for (let passedMs = 0; passedMs < 60_000 && its().length === 0; passedMs += 1_000) await world.pass(1_000)
  expect(its()).toHaveLength(1)
  world.unwatch(node)
  await world.pass(2_000)
  expect(its()).toEqual([])
})
