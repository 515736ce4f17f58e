import { afterEach, expect, it, vi } from 'vitest'
import type { AlarmNotification } from '#alarms/alarm.ts'
import { alertOf } from '#delivery/alertmanager.ts'
import { webhookBody } from '#delivery/webhook.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { ok } from '#base/result.ts'
import { createAlarmTexts } from '#texts/alarm-message.ts'
import { contextOf } from '#features/shell/cause-context.ts'
import { createOrder, FILTERS } from '#features/fleet/order.ts'
import { writeJournal } from '#features/journal/journal-file.ts'
import { classOf, stageAt } from '#fleet/assessment.ts'
import { valueNow, type AssessedNode, type NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { HistoryBatch } from '#history/history.ts'
import { METRICS } from '#metrics/metrics.ts'
import { createEngine } from '#pipeline/engine.ts'
import { createFetchTransport } from '#platform/fetch-transport.ts'
import { effectiveSettings } from '#settings/effective.ts'
import { createKept } from '#test/core/history/store/kept-history.ts'
import { keyOf, nodes, service } from '#test/core/monitor/watch.ts'
import { engineParts } from '#test/support/engine-parts.ts'
import { createFakeClock } from '#test/support/fake-clock.ts'
import { createMemoryStorage } from '#test/support/memory-storage.ts'
import { causeWords } from '#texts/en-causes.ts'
import { checkText } from '#texts/en-checks.ts'
import { eventWords } from '#texts/en-events.ts'
import { formatValue, valueParts } from '#texts/format-metric.ts'
import { scaleOf } from '#texts/format-charted.ts'
import * as good from './good.ts'
import { aHeader } from './mutate.ts'
import { createRandom, FuzzFailure, isAll, type Random } from './random.ts'
import { causesOf } from '#test/support/evaluated.ts'

/** Bodies per seed. With `FUZZ_ALL` all files together send 100,000. */
const BODIES = isAll() ? 10_000 : 500
const NODES = 50
const INTERVAL_MS = 1_000

const recordOf = (id: string, random: Random) => ({
  node_id: id,
  status: random.oneOf(['ACTIVE', 'IDLE', 'SYNCING', 'SUSPENDED']),
  stake_deployed: random.below(2_000_000),
  network_participation: random.below(1_000) / 1_000,
  threat_responses_executed: random.below(1_000_000),
  last_heartbeat: 1_780_315_200 + random.below(600),
  cryptographic_proof: `0x${random.below(0xffffff).toString(16)}`,
})

/** The service's answer in place of this record. */
export type BodyOf = (record: ReturnType<typeof recordOf>, random: Random) => Uint8Array<ArrayBuffer>

const STATUSES = [400, 401, 403, 404, 410, 418, 429, 500, 503, 599] as const

function answerTo(
  url: string,
  bodyOf: BodyOf,
  random: Random,
  nowMs: number,
): { body: Uint8Array<ArrayBuffer>; response: Response } {
  const body = bodyOf(recordOf(new URL(url).searchParams.get('node_id') ?? '', random), random)
  const status = random.chance(0.97) ? 200 : random.oneOf(STATUSES)
  const headers = {
    Date: aHeader(random, new Date(nowMs).toUTCString()),
    'Content-Type': aHeader(random, 'application/json'),
    ...(random.chance(0.1) && { Age: aHeader(random, '1'), 'Retry-After': aHeader(random, '1') }),
  }
  // Sent in two chunks, so that the boundary may split a character.
  const cut = random.below(body.length + 1)
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of [body.subarray(0, cut), body.subarray(cut)])
        if (part.length > 0) controller.enqueue(part)
      controller.close()
    },
  })
  return { body, response: new Response(stream, { status, headers }) }
}

/** A whole engine with a hostile service, and everything that turns its state into texts, files and messages. */
async function runBodies(
  file: string,
  seed: number,
  bodyOf: BodyOf,
): Promise<{ readonly read: number; readonly alarms: number }> {
  const random = createRandom(seed)
  const clock = createFakeClock()
  const storage = createMemoryStorage()
  const kept = createKept(storage, clock, 'one')
  const { history } = kept
  let last = new Uint8Array()
  const done: { sent: number; read: number; alarms: number; failure?: unknown } = {
    sent: 0,
    read: 0,
    alarms: 0,
  }
  const tried = (what: () => void): void => {
    try {
      what()
    } catch (error) {
      done.failure ??= error
    }
  }
  vi.stubGlobal('fetch', async (url: string) => {
    done.sent++
    const { body, response } = answerTo(url, bodyOf, random, clock.wallMs())
    last = body
    return response
  })
  const engine = createEngine({
    ...engineParts(),
    clock,
    history: {
      ...history,
      append: async (batch: HistoryBatch) => {
        tried(() => good.kept(batch, 'samples'))
        await history.append(batch)
      },
    },
    transport: createFetchTransport(clock, undefined),
    signer: { signStatusRequest: async (_, id) => ok({ headers: {}, query: `node_id=${id ?? ''}` }) },
    notify: (notice) => {
      done.alarms++
      tried(() => notified(notice, engine.fleet.get()))
    },
  })
  engine.subscribe(({ changed, nowMs }) => {
    const fleet = engine.fleet.get()
    for (const node of changed) {
      if (node.reading !== undefined) done.read++
      tried(() => onScreen(node, fleet, nowMs))
    }
  })
  await kept.start()
  engine.start()
  engine.configure({
    serverUrl: '',
    services: [service({ pollIntervalMs: INTERVAL_MS, timeoutMs: 1_000 })],
    nodes: nodes(NODES),
    alarms: { rules: OWN_RULES, maintenance: [], builtIn: [] },
  })
  const order = createOrder()
  while (done.sent < BODIES && done.failure === undefined) {
    await clock.advance(5 * INTERVAL_MS)
    tried(() => wholeScreen(engine.fleet.get(), order))
    // Polls at once, because the service may have asked to wait for an hour.
    engine.monitor.pollNow()
  }
  if (done.failure === undefined)
    try {
      await inFiles(kept)
    } catch (error) {
      done.failure = error
    }
  engine.stop('ended')
  if (done.failure !== undefined)
    throw new FuzzFailure(file, seed, done.sent, new TextDecoder().decode(last), done.failure)
  return done
}

const OWN_RULES = METRICS.filter(({ kind }) => kind === 'state').map(({ id }) => ({
  id: `own-${id.toLowerCase()}`,
  off: false,
  scope: { for: 'all' as const },
  condition: { metric: id, test: 'changed' as const },
  severity: 'warning' as const,
  raiseAfter: { polls: 1, of: 1 },
  forMs: 0,
  clearAfter: 1,
  keepFiringForMs: 0,
}))

/** One node: its record, and every text derived from it. */
function onScreen(node: AssessedNode, fleet: FleetSnapshot, nowMs: number): void {
  const live = fleet.services.get(node.serviceId)
  if (live === undefined) throw new Error('the node’s service is missing')
  const settings = effectiveSettings(live.rules, node)
  const { reading, episode } = node
  good.kept(reading, 'reading')
  good.kept(episode, 'failure')
  if (episode !== undefined)
    for (const [name, said] of Object.entries(episode.failure))
      if (typeof said === 'string') good.shown(said, `the failure’s ${name}`)
  if (reading !== undefined) {
    const { stake, participation, threatResponses, status, heartbeat } = reading.record
    for (const field of [stake, participation, threatResponses])
      if (field.ok) good.amount(field.value, 'amount')
    if (threatResponses.ok)
      good.rule(!threatResponses.value.text.includes('.'), 'a count is an integer', threatResponses)
    if (status.ok) good.rule(status.value !== '', 'a status is not empty', status)
    if (heartbeat.ok)
      good.rule(Number.isInteger(heartbeat.value.atMs), 'a heartbeat is a timestamp', heartbeat)
  }
  for (const metric of METRICS) {
    const value = valueNow(node, metric, nowMs)
    if (value === undefined) continue
    const text = formatValue(metric, value, settings)
    // One component shows all text from services, in this form.
    if (metric.kind === 'state') good.shown(toVisibleText(text, 24), metric.id, 24 * 10 + 40)
    else good.figure(text, metric.id)
    if (metric.kind !== 'state')
      for (const part of valueParts(metric, value, settings)) good.figure(part.text, metric.id)
  }
  const stage = stageAt(node.assessment, nowMs)
  good.rule(stage.checks.length === 8, 'eight checks', stage.checks)
  for (const check of stage.checks) good.figure(checkText(check, METRICS, episode?.failure), check.id)
}

/** The table with its filters, and the messages above it. */
function wholeScreen(fleet: FleetSnapshot, order: ReturnType<typeof createOrder>): void {
  const states = {
    classes: new Map(
      Array.from(fleet.nodes, ([key, { assessment }]) => [
        key,
        classOf(stageAt(assessment, fleet.nowMs), false),
      ]),
    ),
    awaited: new Set<NodeKey>(),
  }
  const rows = FILTERS.map((filter) => {
    const { attention, rest } = order(fleet.nodes, states, { filter })
    return new Set([...attention, ...rest])
  })
  const [all, ...narrowed] = rows
  good.rule(all?.size === NODES, 'every node is in the table', all?.size)
  const found = new Set(narrowed.flatMap((keys) => Array.from(keys)))
  for (const key of states.classes.keys()) good.rule(found.has(key), 'a filter includes it', key)
  const sum = narrowed.reduce((count, keys) => count + keys.size, 0)
  good.rule(sum === NODES, 'every node is in one class', sum)
  const causes = causesOf(fleet, fleet.nowMs)
  good.rule(causes.length <= 50, 'at most 50 messages', causes.length)
  for (const cause of causes) {
    const { title, meaning, next, evidence } = causeWords(
      cause,
      contextOf(cause, fleet, 'https://dash.example', 'utc'),
    )
    for (const text of [title, meaning, next, ...(evidence?.items ?? [])]) good.shown(text, cause.id, 1_500)
  }
}

/** Everything that leaves the screen: browser notifications, and messages to receivers. */
function notified(notice: AlarmNotification, fleet: FleetSnapshot): void {
  const facts = createAlarmTexts(() => fleet, 'https://dash.example', METRICS)
  const texts = (value: unknown): readonly string[] =>
    typeof value === 'string'
      ? [value]
      : typeof value === 'object' && value !== null
        ? Object.values(value).flatMap(texts)
        : []
  good.shown(facts.summary(notice), 'summary')
  const message = webhookBody(notice, facts.describe, facts.summary(notice), facts.details(notice))
  for (const text of texts(message)) good.shown(text, 'webhook')
  for (const alarm of notice.alarms)
    for (const text of texts(alertOf(alarm, facts.describe(alarm)))) good.shown(text, 'alert')
  good.kept(message, 'webhook')
}

/** Charts, all kinds of export, and the journal. */
async function inFiles({ history, clock }: ReturnType<typeof createKept>): Promise<void> {
  await history.maintain()
  for (let index = 0; index < NODES; index += 7) {
    const node = keyOf(index)
    const range = { node, fromMs: clock.wallMs() - 3_600_000, toMs: clock.wallMs() }
    const data = await history.readSeriesData({ ...range, columns: 300, barMs: 60_000, maxGapMs: 5_000 })
    for (const series of data.metrics) {
      const metric = METRICS.find(({ id }) => id === series.id)
      if (metric === undefined) throw new Error('a series without a metric')
      const numbers =
        series.kind === 'line'
          ? [...series.points.value, ...Object.values(series.stats)]
          : series.kind === 'bars'
            ? series.bars.map(({ increase }) => increase)
            : Array.from(series.atMs)
      for (const value of numbers) {
        good.drawn(value, series.id)
        if (Number.isFinite(value) && series.kind !== 'ticks') {
          const scale = scaleOf(metric)
          for (const write of [scale.format, scale.tickFormat, scale.limitFormat])
            good.figure(write(value), series.id)
        }
      }
    }
    for (const tier of ['samples', 'minute'] as const)
      for (const form of ['csv', 'json'] as const) {
        let text = ''
        const end = await history.transfer(
          { what: 'export', query: { ...range, tier, form } },
          async (part) => {
            text += part
            return true
          },
        )
        good.rule(end.kind === 'done', 'an export succeeds', end)
        if (form === 'csv') good.csv(text, `export of ${tier}`)
        else good.kept(JSON.parse(text), `export of ${tier}`, 2_000)
      }
  }
  const { log } = history
  const view = { zone: 'utc' as const, nowMs: clock.wallMs(), metrics: METRICS }
  const journal = { read: log.read, query: {}, accepts: undefined, metrics: METRICS, onWritten: () => true }
  const csv = await writeJournal({ ...journal, format: 'csv' })
  good.rule(good.csv(csv?.join('') ?? '', 'journal') > 1, 'the journal has rows', csv?.length)
  const json: unknown = JSON.parse((await writeJournal({ ...journal, format: 'json' }))?.join('') ?? '')
  good.kept(json, 'journal', 70_000)
  const { entries } = await log.read({ limit: 1_000 })
  for (const entry of entries) good.shown(eventWords(entry, view).title, entry.what, 1_500)
}

/** Registers one test per seed. */
export function sendBodies(file: string, seeds: readonly number[], bodyOf: BodyOf): void {
  afterEach(() => {
    vi.unstubAllGlobals()
  })
  it.each(seeds)(`${BODIES} bodies produce no bad value (seed %i)`, async (seed) => {
    const { read, alarms } = await runBodies(file, seed, bodyOf)
    // Otherwise the test would prove nothing.
    expect(read).toBeGreaterThan(BODIES / 20)
    expect(alarms).toBeGreaterThan(0)
  })
}
