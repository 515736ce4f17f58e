import { cleanup, screen, within } from '@testing-library/react'
import fc from 'fast-check'
import { useEffect } from 'react'
import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { classFamily } from '#collector/node-families.ts'
import { AlarmEvaluator } from '#alarms/alarm-evaluator.ts'
import { withAlarms } from '#evaluate/assess.ts'
import { isCurrent, stageAt, type NodeClass, type NodeSeverity } from '#fleet/assessment.ts'
import { createOrder } from '#features/fleet/order.ts'
import type { NodeKey, NodeLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { PollFailure } from '#protocol/failure.ts'
import { AlarmSettingsSchema, type AlarmSettings, type Limits } from '#settings/schema.ts'
import { FleetOverview } from '#features/fleet/fleet-overview.tsx'
import { FleetPage } from '#features/fleet/fleet-page.tsx'
import criticalIcon from '#features/shell/favicon-critical.svg'
import noDataIcon from '#features/shell/favicon-no-data.svg'
import warningIcon from '#features/shell/favicon-warning.svg'
import { ChecksCell } from '#features/node/checks-cell.tsx'
import { TabState } from '#features/shell/tab-state.tsx'
import { Annunciator } from '#features/shell/alarm-tiles.tsx'
import { cellsOf } from '#parts/fleet-figures.ts'
import { WallFleet } from '#features/wall/wall-fleet.tsx'
import { isActive, FAILURE_KINDS, type AlarmKind } from '#alarms/alarm.ts'
import { COUNTED, levelOf } from '#parts/severity.ts'
import { EvaluationProvider, useEvaluation, type Evaluation } from '#react/evaluation.tsx'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { wallTexts } from '#texts/en-wall.ts'
import { formatCount } from '#texts/format.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import {
  aNode,
  anEpisode,
  aReading,
  aServiceLive,
  aSnapshot,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { assess } from '#test/support/evaluated.ts'

beforeAll(giveLayout)

const FAILURES: readonly PollFailure[] = [
  { kind: 'unreachable', hop: 'service' },
  { kind: 'timeout', afterMs: 10_000, hop: 'service' },
  { kind: 'rate-limited', retryAfterMs: 600_000 },
  { kind: 'server-error', status: 503 },
  { kind: 'unauthorized' },
  { kind: 'node-unknown' },
  { kind: 'wrong-node', asked: 'a', answered: 'b' },
  { kind: 'no-key' },
  { kind: 'offline' },
]

const readings = fc
  .record({
    agoMs: fc.integer({ min: -1_000, max: 60_000 }),
    beatAgoS: fc.integer({ min: -20, max: 400 }),
    status: fc.constantFrom('ACTIVE', 'DRAINING', 5),
    participation: fc.double({ min: -0.1, max: 1.2, noNaN: true }),
    stake: fc.constantFrom(1_250_000, 10, null),
    latencyMs: fc.integer({ min: 1, max: 12_000 }),
  })
  .map(({ agoMs, beatAgoS, status, participation, stake, latencyMs }) =>
    aReading({
      agoMs,
      latencyMs,
      fields: {
        status,
        network_participation: participation,
        stake_deployed: stake,
        last_heartbeat: Math.floor(WALL_MS / 1_000) - beatAgoS,
      },
    }),
  )

const limits: fc.Arbitrary<Limits> = fc.record(
  {
    participationBelow: fc.constantFrom(0.5, 0.97, null),
    participationAbove: fc.constant(0.99),
    stakeBelow: fc.constantFrom('1000', null),
    heartbeatWarningMs: fc.integer({ min: 1_000, max: 200_000 }),
    heartbeatCriticalMs: fc.integer({ min: 1_000, max: 200_000 }),
    answerTimeAboveMs: fc.constantFrom(500, null),
  },
  { requiredKeys: [] },
)

const states = fc.record({
  reading: fc.option(readings, { nil: undefined, freq: 6 }),
  episode: fc.option(
    fc
      .tuple(fc.constantFrom(...FAILURES), fc.integer({ min: 0, max: 4 }))
      .map(([failure, misses]) => anEpisode(failure, 5_000, misses)),
    { nil: undefined, freq: 2 },
  ),
  rules: limits.map((set) => [{ from: { kind: 'node', by: 'browser' } as const, units: {}, limits: set }]),
})

const fleets = fc.array(states, { minLength: 1, maxLength: 5 }).map((all) =>
  all.map((state, place): NodeLive => {
    const nodeId = `0x0${place}`
    return aNode({ ...state, nodeId, name: `vela-${place}` })
  }),
)

/** Rules of an operator's own, of which some hold for any value. */
const ownRules = fc
  .array(
    fc.record({
      severity: fc.constantFrom('critical', 'warning', 'info'),
      condition: fc.constantFrom(
        { metric: 'participation', test: 'below', limit: 0.98 },
        { metric: 'participation', test: 'above', limit: 0.1 },
        { metric: 'stake', test: 'below', limit: '2000000' },
        { metric: 'heartbeat', test: 'old', limit: 60_000 },
        { metric: 'threatResponses', test: 'changed' },
        { metric: 'answerTime', test: 'above', limit: 100 },
      ),
    }),
    { maxLength: 3 },
  )
  .map((rules) =>
    v.parse(AlarmSettingsSchema, {
      rules: rules.map((rule, place) => ({ ...rule, id: `mine-${place}`, scope: { for: 'all' } })),
    }),
  )

/** What the engine publishes after each node was polled three times with the same result. */
function engineOf(nodes: readonly NodeLive[], settings: AlarmSettings, shelvedFrom: number) {
  const alarms = new AlarmEvaluator({
    registry: METRICS,
    writer: 'test',
    onTransition: () => undefined,
    onNotification: () => undefined,
  })
  alarms.configure(settings)
  const atPoll = (polls: number): FleetSnapshot =>
    aSnapshot(
      nodes.map((node) =>
        node.episode === undefined
          ? { ...node, answered: node.answered + polls }
          : { ...node, failed: node.failed + polls },
      ),
    )
  for (const polls of [0, 1, 2, 3]) alarms.evaluate(atPoll(polls), {}, NOW_MS, WALL_MS)
  const ids = alarms.view().alarms.map(({ id }) => id)
  const untilWallMs = WALL_MS + 3_600_000
  alarms.act({ act: 'shelve', ids: ids.slice(shelvedFrom), untilWallMs, reason: '' }, WALL_MS)
  const snapshot = atPoll(3)
  const shown = Array.from(snapshot.nodes.values(), (node) => withAlarms(node, alarms.raised().get(node.key)))
  return {
    snapshot: { ...snapshot, nodes: new Map(shown.map((node) => [node.key, node])) },
    view: alarms.view(),
    raised: alarms.raised(),
  }
}

type ProbeProps = { readonly tell: (classes: Evaluation['classes']) => void }

function Probe({ tell }: ProbeProps) {
  const classes = useEvaluation((evaluation) => evaluation.classes)
  useEffect(() => tell(classes), [classes, tell])
  return <Annunciator />
}

/** A title changes no more often. */
const TITLE_EVERY_MS = 5_000
const WORST_FIRST: readonly NodeSeverity[] = ['critical', 'warning', 'info', 'no-data', 'ok']

const OF_FAILURES: readonly AlarmKind[] = FAILURE_KINDS

const RANK: Readonly<Record<NodeClass, number>> = {
  critical: 0,
  warning: 1,
  info: 2,
  'no-data': 3,
  ok: 4,
  shelved: 5,
}

const ICONS = { critical: criticalIcon, warning: warningIcon, 'no-data': noDataIcon } as const

function tabOf(classes: readonly NodeClass[]): readonly [title: string, icon: string] {
  const bad = (['critical', 'warning', 'no-data'] as const).filter((each) => classes.includes(each))
  const [worst] = bad
  const count = classes.filter((each) => bad.some((one) => one === each)).length
  return [
    shellTexts.title(shellTexts.nodes, count === 0 ? undefined : shellTexts.titleCount(count)),
    worst === undefined ? './favicon.svg' : ICONS[worst],
  ]
}

const textsIn = (elements: Iterable<Element>): readonly string[] =>
  Array.from(elements, ({ textContent }) => textContent.replaceAll(/\s/g, ''))

describe('every screen’s class of a node', () => {
  it('is no data without a current answer, else the worse of its assessment’s and its alarms’, and all counts are equal and add up, whatever the state, the rules and the moment', () => {
    fc.assert(
      fc
        .property(
          fleets,
          ownRules,
          fc.integer({ min: 0, max: 4 }),
          fc.integer({ min: 0, max: 300_000 }),
          (nodes, settings, shelvedFrom, laterMs) => {
            let seen: Evaluation['classes'] = new Map()
            const tell = (classes: Evaluation['classes']) => {
              seen = classes
            }
            const { snapshot, view, raised } = engineOf(nodes, settings, shelvedFrom)
            const dashboard = fakeDashboard({ snapshot, alarms: view })
            const [first] = dashboard.fleet.get().nodes.values()
            if (first === undefined) throw new Error('no node')
            const stage = stageAt(first.assessment, NOW_MS + laterMs)
            document.head.innerHTML = '<link rel="icon" href="./favicon.svg">'
            renderWith(
              dashboard,
              <EvaluationProvider>
                <FleetPage />
                <TabState node={undefined} path="/nodes" />
                <section aria-label="node">
                  <ChecksCell node={first} stage={stage} />
                </section>
                <FleetOverview />
                <section aria-label="wall">
                  <WallFleet alarms={view.alarms.filter(isActive)} zone="utc" />
                </section>
                <Probe tell={tell} />
              </EvaluationProvider>,
              '/nodes',
            )
            dashboard.advance(laterMs)
            const stages = nodes.map((node) => stageAt(assess(node, aServiceLive()), NOW_MS + laterMs))
            const severities = nodes.map(({ key }, place) => {
              const now = stages[place]
              const ofAlarms = (raised.get(key) ?? []).map(({ severity }) => severity)
              // A failure that has an alarm of this node is its own, and may be worse by now.
              const isOwn = raised.get(key)?.some(({ check }) => check === 'service')
              const ofService = now?.checks.find(({ id }) => isOwn === true && id === 'service')?.state
              const all: readonly (string | undefined)[] = [now?.severity, ...ofAlarms, ofService]
              return WORST_FIRST.find((each) => all.includes(each)) ?? 'ok'
            })

            // What is wrong with a whole service is wrong with each of its nodes.
            const alarmsOf = (node: NodeKey) =>
              view.alarms.filter(
                ({ kind, subject, members }) =>
                  (subject.kind === 'node' && subject.node === node) ||
                  (subject.kind !== 'node' && subject.kind !== 'screen' && OF_FAILURES.includes(kind)) ||
                  members.some((member) => member.node === node),
              )
            const classes = nodes.map(({ key }, place): NodeClass => {
              const severity = severities[place] ?? 'ok'
              const on = alarmsOf(key).filter(({ phase }) => phase === 'firing' || phase === 'recovering')
              const isShelved = on.some(({ shelved }) => shelved !== undefined) && !on.some(isActive)
              if (!isCurrent(stages[place]?.link ?? 'never')) return 'no-data'
              return severity !== 'ok' && isShelved ? 'shelved' : severity
            })
            expect(nodes.map(({ key }) => seen.get(key))).toEqual(classes)
            for (const [place, { name }] of nodes.entries()) {
              const row = screen.getByRole('link', { name: name ?? '' }).closest('[role="row"]')
              if (!(row instanceof HTMLElement)) throw new Error('no row')
              const [glyph] = within(row).getAllByRole('img')
              expect(glyph?.getAttribute('aria-label')).toContain(levelWords[classes[place] ?? 'ok'])
            }
            const checks = within(screen.getByRole('region', { name: 'node' })).getByRole('list').textContent
            for (const check of stage.checks)
              expect(checks).toContain(checkText(check, METRICS, first.episode?.failure))
            expect(cellsOf([nodes.map(({ key }) => key)], seen)[0]?.cells).toEqual(classes.map(levelOf))

            const active = view.alarms.filter(isActive)
            // The row of a node that answers shows each of its active alarms.
            for (const { subject, severity } of active) {
              const place = nodes.findIndex(({ key }) => subject.kind === 'node' && subject.node === key)
              const found = classes[place] ?? 'no-data'
              if (found !== 'no-data') expect(RANK[found]).toBeLessThanOrEqual(RANK[severity])
            }

            const count = (wanted: NodeClass): number => classes.filter((one) => one === wanted).length
            const counts = [...COUNTED, 'ok' as const].map(count)
            expect(counts.reduce((sum, one) => sum + one, 0)).toBe(nodes.length)
            const nowMs = NOW_MS + laterMs
            const exported = classFamily(METRICS).points({ nodes, services: snapshot.services, nowMs })
            expect(exported.reduce((sum, { value }) => sum + value, 0)).toBe(nodes.length)
            expect(exported[0]).toEqual({ labels: { class: 'no-data' }, value: count('no-data') })
            const wanted = COUNTED.map((shown) => `${formatCount(count(shown))}${levelWords[shown]}`)
            const bare = (texts: readonly string[]) => texts.map((text) => text.replaceAll(/\s/g, ''))
            const top = screen.getByRole('list', { name: alarmTexts.annunciator.label })
            expect(textsIn(top.querySelectorAll('a'))).toEqual(bare(wanted))
            expect(textsIn(document.querySelectorAll('.fleet-overview-counts a'))).toEqual(
              bare(COUNTED.map((shown) => `${levelWords[shown]}${formatCount(count(shown))}`)),
            )
            expect(textsIn(document.querySelectorAll('.fleet-overview-all'))).toEqual([
              `${count('ok')}of${nodes.length}`,
            ])
            // A count leads to as many rows.
            const order = createOrder()
            for (const filter of [...COUNTED, 'ok' as const]) {
              const shown = { classes: seen, awaited: new Set<NodeKey>() }
              const { attention, rest } = order(dashboard.fleet.get().nodes, shown, { filter })
              expect(attention.length + rest.length).toBe(count(filter))
            }
            const wall = screen.getByRole('region', { name: 'wall' })
            if (active.length === 0 && count('ok') === nodes.length)
              expect(wall.textContent).toContain(wallTexts.within(nodes.length))
            else {
              expect(textsIn(wall.querySelectorAll('.wall-tile'))).toEqual(bare(wanted.slice(0, -1)))
              expect(wall.textContent).toContain(`${count('ok')}${wallTexts.withinOf(nodes.length)}`)
              if (count('shelved') > 0)
                expect(wall.textContent).toContain(`${count('shelved')} ${levelWords.shelved}`)
            }
            dashboard.advance(TITLE_EVERY_MS)
            const icon = document.querySelector('link[rel="icon"]')?.getAttribute('href')
            // It may show the classes from before this wait, because it changes no more often.
            expect([tabOf(classes), tabOf(Array.from(seen.values()))]).toContainEqual([document.title, icon])
          },
        )
        .afterEach(cleanup),
      { numRuns: 12 },
    )
  })
})
