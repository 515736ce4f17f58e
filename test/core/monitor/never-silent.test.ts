import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULTS } from '#base/defaults.ts'
import { isCurrentAt, isOverdue } from '#fleet/assessment.ts'
import type { Cause } from '#fleet/cause.ts'
import { type NodeKey, type NodeLive, nodeKeyOf } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { SignFailure } from '#signing/signer.ts'
import { watchState } from '#parts/watch-state.ts'
import { contextOf } from '#features/shell/cause-context.ts'
import { remediesOf } from '#features/shell/remedies.ts'
import { causeWords } from '#texts/en-causes.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { serviceIdOf } from '#record/service.ts'
import { isAll } from '#test/fuzz/random.ts'
import { nodeId, nodes, record, service, watch, type Answer as Given } from './watch.ts'
import { causesOf } from '#test/support/evaluated.ts'

const RUNS = isAll() ? 60 : 8
const INTERVAL_MS = 5_000
const TIMEOUT_MS = 10_000
const BASES = ['https://a.example', 'https://b.example', 'https://c.example']
const NODES = 4
/** The longest wait in a queue of hung nodes, of which two are polled at a time. */
const QUEUED_MS = (BASES.length * NODES * TIMEOUT_MS) / DEFAULTS.suspectsInFlightMax + TIMEOUT_MS
/** The longest wait without a Retry-After, which is capped at an hour. */
const OWN_WAIT_MS = Math.max(DEFAULTS.slowAfterRefusalMs, DEFAULTS.backOffMaxMs)

/** `frozen`: a cache repeats the first answer that it got from the service. */
type Answer = Given | 'frozen'

const answers = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Answer>({}) },
  fc.constantFrom<Answer>(
    'hang',
    'frozen',
    'frozen',
    { fails: 'unreachable' },
    { fails: 'cut-off' },
    { fails: 'redirected' },
    { status: 401 },
    { status: 403 },
    { status: 404 },
    { status: 429 },
    { status: 429, retryAfter: '20' },
    { status: 429, retryAfter: '3600' },
    { status: 500 },
    { status: 503, retryAfter: '3600' },
    { body: '<html>' },
    { afterMs: 9_000 },
  ),
)
const bases = fc.constantFrom(...BASES)
const places = fc.integer({ min: 0, max: NODES - 1 })

/** A change of the world or of the screen, or only a wait. */
type Step =
  | { readonly do: 'service'; readonly base: string; readonly answer: Answer }
  | { readonly do: 'node'; readonly base: string; readonly place: number; readonly answer: Answer }
  | { readonly do: 'heal' | 'try-all' | 'key-changed' | 'offline' | 'online' }
  | { readonly do: 'try'; readonly base: string; readonly place: number }
  | { readonly do: 'sign'; readonly failure: SignFailure | undefined }
  | {
      readonly do: 'configure'
      readonly without: number
      readonly via: 'direct' | 'proxy'
      readonly slower: boolean
    }
  | { readonly do: 'wait' | 'sleep'; readonly ms: number }

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('service' as const), base: bases, answer: answers }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('node' as const), base: bases, place: places, answer: answers }),
  },
  fc.record({ do: fc.constantFrom('heal' as const, 'try-all', 'key-changed', 'offline', 'online') }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('try' as const), base: bases, place: places }) },
  fc.record({
    do: fc.constant('sign' as const),
    failure: fc.constantFrom<SignFailure | undefined>(undefined, undefined, 'key-locked', 'error'),
  }),
  fc.record({
    do: fc.constant('configure' as const),
    without: fc.integer({ min: -1, max: BASES.length * NODES - 1 }),
    via: fc.constantFrom('direct' as const, 'proxy'),
    slower: fc.boolean(),
  }),
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 100, max: 60_000 }) }),
  },
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 60_000, max: 900_000 }) }),
  fc.record({ do: fc.constant('sleep' as const), ms: fc.integer({ min: 1_000, max: 3_600_000 }) }),
)

const servicesVia = (via: 'direct' | 'proxy', pollIntervalMs: number) =>
  BASES.map((baseUrl) => service({ baseUrl, via, pollIntervalMs, timeoutMs: TIMEOUT_MS }))
const ALL = BASES.flatMap((base) => nodes(NODES, base))

function createWorld() {
  const byNode = new Map<string, Answer>()
  const byService = new Map<string, Answer>()
  /** Until then, something may have prevented requests. */
  const free = { sinceMs: 0 }
  const asked = new Map<NodeKey, number>()
  /** The start of each node's last poll with a new record, by the engine's steady clock. */
  const supportedMs = new Map<NodeKey, number>()
  const taken = new Map<NodeKey, Given>()
  const screen = watch(
    { services: servicesVia('direct', INTERVAL_MS), nodes: ALL },
    {
      answer: ({ node, url, atMs, wallMs }): Given => {
        const base = BASES.find((one) => url.includes(new URL(one).host)) ?? ''
        const key = nodeKeyOf(serviceIdOf(base), node)
        asked.set(key, atMs)
        const answer = byNode.get(`${base} ${node}`) ?? byService.get(base) ?? {}
        const now: Given = {
          date: new Date(wallMs).toUTCString(),
          body: record(node, { last_heartbeat: Math.floor(wallMs / 1_000) }),
        }
        if (answer === 'frozen') {
          const kept = taken.get(key)
          if (kept === undefined) supportedMs.set(key, nowMs())
          taken.set(key, kept ?? now)
          return kept ?? now
        }
        taken.delete(key)
        if (typeof answer === 'string' || 'fails' in answer) return answer
        if (answer.status !== undefined || answer.body !== undefined) return answer
        supportedMs.set(key, nowMs())
        return { ...now, ...answer }
      },
    },
  )
  function nowMs(): number {
    return screen.monitor.nowMs()
  }
  return { screen, asked, free, byNode, byService, supportedMs }
}
type World = ReturnType<typeof createWorld>

async function act({ screen, free, byNode, byService }: World, step: Step, check: () => void): Promise<void> {
  const { monitor, world, clock } = screen
  if (!['service', 'node', 'heal', 'wait'].includes(step.do)) free.sinceMs = screen.sinceStartMs()
  switch (step.do) {
    case 'service':
      byService.set(step.base, step.answer)
      break
    case 'node':
      byNode.set(`${step.base} ${nodeId(step.place)}`, step.answer)
      break
    case 'heal':
      byNode.clear()
      byService.clear()
      break
    case 'try':
      monitor.pollNow(nodeKeyOf(serviceIdOf(step.base), nodeId(step.place)))
      break
    case 'try-all':
      monitor.pollNow()
      break
    case 'key-changed':
      monitor.keyChanged()
      break
    case 'offline':
      monitor.setOffline(true)
      break
    case 'online':
      monitor.setOffline(false)
      break
    case 'sign':
      world.sign = () => step.failure
      break
    case 'configure':
      monitor.configure({
        ...screen.config,
        services: servicesVia(step.via, step.slower ? 2 * INTERVAL_MS : INTERVAL_MS),
        nodes: ALL.filter((_, at) => at !== step.without),
      })
      break
    case 'sleep':
      clock.sleep(step.ms)
      break
    case 'wait':
      for (let leftMs = step.ms; leftMs > 0; leftMs -= 2_500) {
        await clock.advance(Math.min(leftMs, 2_500))
        check()
      }
      break
  }
}

/** The invariants at any moment. */
function checkNow({ screen, asked, free, supportedMs }: World): void {
  const snapshot = screen.monitor.snapshot()
  const nowMs = screen.monitor.nowMs()
  const causes = causesOf(snapshot, nowMs)
  const named = new Set(
    causes.filter((cause) => remediesOf(cause).length > 0).flatMap((cause) => cause.nodes),
  )
  let overdue = 0
  for (const node of snapshot.nodes.values()) {
    const intervalMs = snapshot.services.get(node.serviceId)?.service.pollIntervalMs ?? 0
    if (!isOverdue(node, intervalMs, nowMs)) continue
    overdue++
    expect(named, `${node.key} is overdue, and nothing on the screen says so`).toContain(node.key)
  }
  const { text, live } = watchState(snapshot, KEYS, 'ready', { kind: 'running' }, nowMs)
  if (overdue > 0) expect([text.startsWith(shellTexts.status.live(0, 1)), live]).toEqual([false, false])
  for (const node of snapshot.nodes.values()) {
    if (!isCurrentAt(node, nowMs)) continue
    const intervalMs = snapshot.services.get(node.serviceId)?.service.pollIntervalMs ?? 0
    const ageMs = nowMs - (supportedMs.get(node.key) ?? Number.NEGATIVE_INFINITY)
    const withinMs = DEFAULTS.staleAfterIntervals * intervalMs
    expect(ageMs, `${node.key} is shown live, and nothing new was said of it`).toBeLessThanOrEqual(withinMs)
  }
  expectNoContradiction(snapshot, causes, nowMs)
  expectAsked(screen, asked, free.sinceMs)
}

/** No sentence contradicts another one or the state of the nodes that it is about. */
function expectNoContradiction(snapshot: FleetSnapshot, causes: readonly Cause[], nowMs: number): void {
  const failures = causes.filter(({ evidence }) =>
    ['failure', 'no-network', 'portal'].includes(evidence.kind),
  )
  const named = failures.flatMap(({ nodes: keys }) => keys)
  expect(named.length, 'a node has two reasons at once').toBe(new Set(named).size)
  for (const cause of failures) {
    const { title, meaning, next } = causeWords(
      cause,
      contextOf(cause, snapshot, 'http://127.0.0.1:7420', 'local'),
    )
    const said = `${title} ${meaning} ${next}`
    // Nodes that wait for a connection to a service that answers nothing are old without a failure of their own.
    for (const node of cause.nodes.flatMap((key) => snapshot.nodes.get(key) ?? []))
      expect(node.episode !== undefined || (cause.scope !== 'node' && !isCurrentAt(node, nowMs)), said).toBe(
        true,
      )
    const isOfAll = failures.some(
      ({ serviceId, scope }) => scope === 'screen' || (scope === 'service' && serviceId === cause.serviceId),
    )
    const siblings = Array.from(snapshot.nodes.values()).filter(
      ({ key, serviceId }) => serviceId === cause.serviceId && !cause.nodes.includes(key),
    )
    if (said.includes('requests for its other nodes')) {
      expect(isOfAll, said).toBe(false)
      const isWell = ({ episode, reading }: NodeLive): boolean =>
        episode === undefined && (reading?.startedMs ?? 0) > (cause.sinceMs ?? 0)
      expect(siblings.some(isWell), said).toBe(true)
    }
    const count = /\b(\d+) of its nodes/.exec(said)?.[1]
    if (count !== undefined) expect(Number(count), said).toBe(cause.nodes.length)
    if (/every node|none of these nodes|all of its nodes/i.test(said))
      expect(
        siblings.filter(({ episode }) => episode === undefined && isOfAll),
        said,
      ).toEqual([])
  }
}

/** Every node that may be polled has a time for its next poll, and that time is kept. */
function expectAsked(screen: World['screen'], asked: World['asked'], freeMs: number): void {
  const snapshot = screen.monitor.snapshot()
  const nowMs = screen.monitor.nowMs()
  const sinceStartMs = screen.sinceStartMs()
  for (const { key, serviceId, episode, nextPollMs, inFlight } of snapshot.nodes.values()) {
    const kind = episode?.failure.kind
    if (kind === 'key-locked') continue
    const isNamed = kind === 'rate-limited' || kind === 'server-error'
    const waitMs = isNamed ? DEFAULTS.retryAfterMaxMs : OWN_WAIT_MS
    expect(nextPollMs, `${key} is never asked again`).toBeDefined()
    const leftMs = (nextPollMs ?? 0) - nowMs
    expect(leftMs, `${key} waits too long`).toBeLessThanOrEqual(waitMs + 2 * INTERVAL_MS)
    if (!inFlight) expect(-leftMs, `${key} was due and is not asked`).toBeLessThanOrEqual(QUEUED_MS)
    const { hold } = snapshot.services.get(serviceId) ?? {}
    // One node polls for all if the service refuses the key.
    const ofService = Array.from(asked).filter(([one]) => one.startsWith(serviceId))
    const lastMs =
      hold?.reason === 'refused' ? Math.max(...ofService.map(([, atMs]) => atMs)) : asked.get(key)
    if (lastMs !== undefined && screen.world.sign(0) === undefined)
      expect(sinceStartMs - Math.max(lastMs, freeMs), `${key} was not asked`).toBeLessThanOrEqual(
        waitMs + QUEUED_MS,
      )
  }
}

const KEYS = { keys: [], report: undefined, failed: false } as const

describe('any sequence of failures, actions, settings and waits', () => {
  it('polls every node in time, explains overdue nodes, shows only new answers as live and never contradicts itself', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 25 }), async (given) => {
        const world = createWorld()
        await world.screen.clock.advance(2_000)
        for (const step of given) await act(world, step, () => checkNow(world))
        await act(world, { do: 'wait', ms: 30_000 }, () => checkNow(world))
        world.screen.monitor.dispose()
      }),
      { numRuns: RUNS, seed: 11 },
    )
  })

  it('leaves no failure within 50 s once all is well and each node is retried', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 15 }), async (given) => {
        const world = createWorld()
        const { screen } = world
        await screen.clock.advance(2_000)
        for (const step of given) await act(world, step, () => undefined)
        screen.world.sign = () => undefined
        await act(world, { do: 'heal' }, () => undefined)
        screen.monitor.keyChanged()
        for (const { key } of screen.monitor.snapshot().nodes.values()) {
          screen.monitor.pollNow(key)
          await screen.clock.advance(1_000)
        }
        await screen.clock.advance(3 * TIMEOUT_MS + 4 * INTERVAL_MS)
        const snapshot = screen.monitor.snapshot()
        for (const { key, episode } of snapshot.nodes.values())
          expect([key, episode]).toEqual([key, undefined])
        for (const { hold } of snapshot.services.values()) expect(hold).toBeUndefined()
        screen.monitor.dispose()
      }),
      { numRuns: RUNS, seed: 12 },
    )
  })
})
