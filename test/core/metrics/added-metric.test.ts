import { describe, expect, it } from 'vitest'
import { ok } from '#base/result.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts'
import { checkOf } from '#fleet/assessment.ts'
import { lineIn, type SeriesQuery } from '#charts/charts.ts'
import type { ExportQuery } from '#history/transfer/transfer.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { METRICS } from '#metrics/metrics.ts'
import { fieldOf } from '#metrics/answer.ts'
import { effectiveSettings, NO_SERVICE_RULES } from '#settings/effective.ts'
import { eventWords } from '#texts/en-events.ts'
import { createKept, linesOf } from '#test/core/history/store/kept-history.ts'
import { keyOf, record, service, watch } from '#test/core/monitor/watch.ts'
import { createFakeClock, TEST_START_MS, type FakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage, type MemoryStorage } from '#test/support/memory-storage.ts'
import { BACKUP, PEERS, RECONNECTS, ROLE, WITH_ALL, WITH_PEERS } from './peers.ts'
import { causesOf } from '#test/support/evaluated.ts'

const NODE = keyOf(0)

/** The node's number of peers, by minutes since the start. */
const peersAt = (minute: number): number => (minute < 200 ? 12 : 3)

/** Counts one per minute, and restarts from 0 at minute 100. */
const reconnectsAt = (minute: number): number => (minute < 100 ? minute : minute - 100)

/** Each answer reports a backup of this age and a current heartbeat. */
const BACKUP_AGE_S = 3_600

const roleAt = (minute: number): string => (minute < 150 ? 'GUARD' : 'WITNESS')

const keptWith = (storage: MemoryStorage, clock: FakeClock, writer: string, metrics: MetricRegistry) =>
  createKept(storage, clock, writer, metrics)

/** A node polled every minute by an engine with history. */
async function watched(metrics = WITH_ALL, backupAgeS = BACKUP_AGE_S, forMs = 5 * HOUR_MS) {
  const clock = createFakeClock(TEST_START_MS)
  const storage = createMemoryStorage()
  const kept = keptWith(storage, clock, 'one', metrics)
  await kept.start()
  const screen = watch(
    { services: [service({ pollIntervalMs: MINUTE_MS })] },
    {
      clock,
      history: kept.history,
      metrics,
      answer: ({ node, atMs }) => ({
        body: record(node, {
          peers_connected: peersAt(Math.floor(atMs / MINUTE_MS)),
          ...(metrics.includes(RECONNECTS) && { reconnects: reconnectsAt(Math.floor(atMs / MINUTE_MS)) }),
          ...(metrics.includes(BACKUP) && {
            last_backup: Math.floor((TEST_START_MS + atMs) / 1_000) - backupAgeS,
            last_heartbeat: Math.floor((TEST_START_MS + atMs) / 1_000),
            role: roleAt(Math.floor(atMs / MINUTE_MS)),
          }),
        }),
      }),
    },
  )
  await clock.advance(forMs)
  await kept.history.maintain()
  await kept.history.saved()
  const snapshot = screen.monitor.snapshot()
  screen.monitor.dispose()
  return { kept, snapshot }
}

/** Shared by most tests, which only read it. */
const WATCHED = await watched()

/** A copy of the stored data, opened by another engine with its own clock. */
async function readBack({ storage, clock }: ReturnType<typeof createKept>, metrics: MetricRegistry) {
  const copy = createMemoryStorage()
  for (const [name, tables] of structuredClone(storage.databases)) copy.databases.set(name, tables)
  const kept = keptWith(copy, createFakeClock(clock.wallMs()), `another ${metrics.length}`, metrics)
  await kept.start()
  await kept.history.maintain()
  return kept
}

const query = (kept: ReturnType<typeof createKept>, rangeMs: number): SeriesQuery => ({
  node: NODE,
  fromMs: kept.clock.wallMs() - rangeMs,
  toMs: kept.clock.wallMs(),
  columns: 4_000,
  barMs: HOUR_MS,
  maxGapMs: 2.5 * MINUTE_MS,
})

const EXTREMES = { min: 3, max: 12, last: 3 }

describe('a metric added by its definition alone', () => {
  it('is read from the record and evaluated', async () => {
    const { snapshot } = WATCHED
    const node = snapshot.nodes.get(NODE)
    expect(node?.reading && fieldOf(PEERS, node.reading)).toEqual(ok({ text: '3', value: 3 }))
    expect(node?.reading?.record.unknownFields).toEqual([])
    expect(node?.assessment.values[PEERS.id]).toEqual({ text: '3', value: 3 })
    expect(checkOf(node?.assessment.atReading ?? [], PEERS.id)).toMatchObject({ state: 'ok' })
  })

  it('has the time of its last change, or the increase and restarts of a counter', async () => {
    const { snapshot } = WATCHED
    const node = snapshot.nodes.get(NODE)
    const changedMs = 200 * MINUTE_MS
    const since = node?.since[PEERS.id]
    expect(since).toMatchObject({ sinceWallMs: TEST_START_MS + (since?.sinceMs ?? 0), unseenMs: 0 })
    expect(since?.sinceMs).toBeGreaterThanOrEqual(changedMs)
    expect(since?.sinceMs).toBeLessThan(changedMs + MINUTE_MS)
    expect(node?.since).not.toHaveProperty(RECONNECTS.id)
    const track = node?.counters[RECONNECTS.id]
    expect(track).toMatchObject({ restarts: 1 })
    expect(track?.increase).toBeGreaterThan(295)
    const restartedMs = (track?.lastRestartWallMs ?? 0) - TEST_START_MS
    expect(Math.floor(restartedMs / MINUTE_MS)).toBe(100)
  })

  it('has its changes and restarts logged, even those between two engines', async () => {
    const metrics = [...WITH_PEERS, RECONNECTS]
    const world = await watched(metrics)
    const changed = { what: `${PEERS.id}-changed`, facts: { from: '12', to: '3' } }
    const restarted = {
      what: 'counter-restarted',
      facts: { metric: RECONNECTS.id, from: '99', to: '0' },
    }
    expect(await events(world.kept)).toEqual([restarted, changed])
    world.kept.history.dispose()
    const next = await readBack(world.kept, metrics)
    const sample = { participation: 0.98, [PEERS.id]: 4, [RECONNECTS.id]: 7 }
    await next.add(NODE, sample)
    expect((await events(next)).slice(2)).toEqual([
      { what: `${PEERS.id}-changed`, facts: { from: '3', to: '4' } },
      { what: 'counter-restarted', facts: { metric: RECONNECTS.id, from: '199', to: '7' } },
    ])
    const titles = [changed, restarted].map(
      (entry) =>
        eventWords({ ...entry, wallMs: 0, area: 'record' }, { zone: 'utc', nowMs: 0, metrics }).title,
    )
    expect(titles[0]).toBe(`${PEERS.heading} 12 → 3`)
    expect(titles[1]).toContain(`${RECONNECTS.heading} reset 99 → 0`)
  })

  it('with a second timestamp has its own age and limits', async () => {
    const { snapshot, kept } = WATCHED
    const node = snapshot.nodes.get(NODE)
    const { heartbeat, [BACKUP.id]: backup } = node?.assessment.values ?? {}
    expect(backup?.value).toBeCloseTo(BACKUP_AGE_S * 1_000, -3)
    expect(heartbeat?.value).toBeLessThan(MINUTE_MS)
    const limit = BACKUP.limits?.(effectiveSettings(NO_SERVICE_RULES, { tags: [], rules: [] }))[0]
    const readAtMs = node?.reading?.startedMs ?? 0
    const crossing = node?.assessment.stages.map(({ afterMs }) => afterMs)
    expect(crossing).not.toContain(readAtMs + (limit?.value ?? 0) - (heartbeat?.value ?? 0))
    expect(lineIn(await kept.history.readSeriesData(query(kept, 6 * HOUR_MS)), BACKUP.id).stats.max).toBe(
      backup?.value,
    )
    const tooOld = (await watched(WITH_ALL, 8_000, 3 * MINUTE_MS)).snapshot.nodes.get(NODE)
    expect(checkOf(tooOld?.assessment.atReading ?? [], BACKUP.id)).toMatchObject({
      state: 'critical',
      reason: 'too-old',
      limit: { value: 7_200_000 },
    })
    expect(checkOf(tooOld?.assessment.atReading ?? [], 'heartbeat')).toMatchObject({ state: 'ok' })
  })

  it('is named in the causes for a future timestamp, an unknown state and a counter restart', async () => {
    const { snapshot } = await watched(WITH_ALL, -HOUR_MS / 1_000)
    const restarted = snapshot.nodes.get(NODE)?.counters[RECONNECTS.id]?.lastRestartWallMs ?? 0
    const nowMs = snapshot.nowMs
    expect(causesOf(snapshot, nowMs, WITH_ALL).map(({ evidence }) => evidence)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'timestamp-ahead', metric: 'Backup' }),
        { kind: 'unknown-status', metric: ROLE.heading, status: 'WITNESS' },
      ]),
    )
    expect(snapshot.nodes.get(NODE)?.since[ROLE.id]?.sinceWallMs).toBeGreaterThan(
      TEST_START_MS + 149 * MINUTE_MS,
    )
    const soon = { ...snapshot, wallMs: restarted + MINUTE_MS }
    expect(causesOf(soon, nowMs, WITH_ALL).map(({ evidence }) => evidence)).toContainEqual({
      kind: 'counter-restarted',
      metric: RECONNECTS.heading,
      restarts: 1,
    })
  })

  it('is stored, rolled up and drawn at every resolution', async () => {
    const kept = await readBack(WATCHED.kept, WITH_PEERS)
    const steps: number[] = []
    for (const rangeMs of [6 * HOUR_MS, 31 * HOUR_MS, 7 * DAY_MS, 40 * DAY_MS]) {
      const data = await kept.history.readSeriesData(query(kept, rangeMs))
      steps.push(data.stepMs)
      const { points, stats, band } = lineIn(data, PEERS.id)
      expect(stats).toEqual(EXTREMES)
      expect(points.value).toContain(12)
      const middles = Array.from(band?.p50 ?? []).filter((value) => !Number.isNaN(value))
      expect(Math.max(...middles)).toBeCloseTo(12, 0)
      expect(lineIn(data, 'participation').stats.max).toBe(0.98)
    }
    expect(steps).toEqual([0, MINUTE_MS, 15 * MINUTE_MS, HOUR_MS])
  })

  it('is exported and imported again', async () => {
    const kept = await readBack(WATCHED.kept, WITH_PEERS)
    const text = await exported(kept, 'samples')
    const file = JSON.parse(text)
    expect(file.units[PEERS.exportName]).toBe('count')
    const place = file.columns.indexOf(PEERS.exportName)
    expect(file.rows[0][place]).toBe(12)
    expect(file.rows.at(-1)[place]).toBe(3)
    const rolled = JSON.parse(await exported(kept, 'quarter'))
    expect(rolled.columns.filter((name: string) => name.startsWith(PEERS.exportName))).toHaveLength(8)
    expect(rolled.rows[0][rolled.columns.indexOf(`${PEERS.exportName}_p95`)]).toBeCloseTo(12, 0)
    await kept.clock.advance(DAY_MS)
    const other = keptWith(createMemoryStorage(), kept.clock, 'other', WITH_PEERS)
    await other.start()
    const { end } = await other.transfer({ what: 'import', file: linesOf(text) })
    expect(end).toMatchObject({ kind: 'done' })
    expect(lineIn(await other.history.readSeriesData(query(other, 40 * HOUR_MS)), PEERS.id).stats.max).toBe(
      12,
    )
  })

  it('survives a build that does not know it', async () => {
    const older = await readBack(WATCHED.kept, METRICS)
    expect(
      lineIn(await older.history.readSeriesData(query(older, 6 * HOUR_MS)), PEERS.id).points.value,
    ).toHaveLength(0)
    await older.add(NODE, { participation: 0.5 })
    await older.clock.advance(3 * HOUR_MS)
    await older.history.maintain()
    await older.history.saved()
    const newer = await readBack(older, WITH_PEERS)
    for (const rangeMs of [9 * HOUR_MS, 31 * HOUR_MS, 7 * DAY_MS]) {
      const data = await newer.history.readSeriesData(query(newer, rangeMs))
      expect(lineIn(data, PEERS.id).stats).toEqual(EXTREMES)
      expect(lineIn(data, 'participation').stats.min).toBe(0.5)
    }
  })
})

/** Log entries about the record, oldest first. */
async function events({ history }: ReturnType<typeof createKept>) {
  const { entries } = await history.log.read({ areas: ['record'], limit: 100 })
  return entries.toReversed().map(({ what, facts }) => ({ what, facts }))
}

async function exported(kept: ReturnType<typeof createKept>, tier: ExportQuery['tier']): Promise<string> {
  const whole = { node: NODE, fromMs: 0, toMs: kept.clock.wallMs(), tier, form: 'json' } as const
  return (await kept.transfer({ what: 'export', query: whole })).text
}
