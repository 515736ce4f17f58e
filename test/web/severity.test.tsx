import { cleanup, screen, within } from '@testing-library/react'
import fc from 'fast-check'
import { useEffect } from 'react'
import { beforeAll, describe, expect, it } from 'vitest'
import { assess } from '#evaluate/assess.ts'
import { stageAt, type NodeSeverity } from '#fleet/assessment.ts'
import type { NodeLive } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { Limits } from '#settings/rules.ts'
import { FleetPage } from '#features/fleet/fleet-page.tsx'
import { ChecksCell } from '#features/node/checks-cell.tsx'
import { TabState } from '#features/shell/tab-state.tsx'
import { tilesOf } from '#features/shell/tiles.ts'
import { cellsOf } from '#features/wall/fleet-figures.ts'
import { levelOf } from '#parts/severity.ts'
import { EvaluationProvider, useEvaluation, type Evaluation } from '#react/evaluation.tsx'
import { checkText, levelWords } from '#texts/en-checks.ts'
import { shellTexts } from '#texts/en-shell.ts'
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

beforeAll(giveLayout)

const FAILURES: readonly PollFailure[] = [
  { kind: 'unreachable', hop: 'service' },
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

type ProbeProps = { readonly tell: (severities: Evaluation['severities']) => void }

function Probe({ tell }: ProbeProps) {
  const severities = useEvaluation((evaluation) => evaluation.severities)
  useEffect(() => tell(severities), [severities, tell])
  return null
}

/** A title changes no more often. */
const TITLE_EVERY_MS = 5_000

describe('every screen’s severity of a node', () => {
  it('is the assessment’s, whatever the state and the moment', () => {
    fc.assert(
      fc
        .property(fleets, fc.integer({ min: 0, max: 300_000 }), (nodes, laterMs) => {
          let seen: Evaluation['severities'] = new Map()
          const tell = (severities: Evaluation['severities']) => {
            seen = severities
          }
          const dashboard = fakeDashboard({ snapshot: aSnapshot(nodes) })
          const [first] = dashboard.fleet.get().nodes.values()
          if (first === undefined) throw new Error('no node')
          renderWith(
            dashboard,
            <EvaluationProvider>
              <FleetPage />
              <TabState node={undefined} path="/nodes" />
              <ChecksCell node={first} stage={stageAt(first.assessment, NOW_MS + laterMs)} />
              <Probe tell={tell} />
            </EvaluationProvider>,
            '/nodes',
          )
          dashboard.advance(laterMs)
          const severitiesAt = (atMs: number) =>
            nodes.map((node) => stageAt(assess(node, aServiceLive()), atMs).severity)
          const severities = severitiesAt(NOW_MS + laterMs)
          const count = (...wanted: readonly NodeSeverity[]) =>
            severities.filter((severity) => wanted.includes(severity)).length

          expect(nodes.map(({ key }) => seen.get(key))).toEqual(severities)
          for (const [place, { name }] of nodes.entries()) {
            const row = screen.getByRole('link', { name: name ?? '' }).closest('[role="row"]')
            if (!(row instanceof HTMLElement)) throw new Error('no row')
            within(row).getByRole('img', { name: levelWords[severities[place] ?? 'ok'] })
          }
          const checks = screen.getByRole('list').textContent
          for (const check of stageAt(first.assessment, NOW_MS + laterMs).checks)
            expect(checks).toContain(checkText(check, METRICS, first.episode?.failure))
          expect(tilesOf(seen).map((tile) => tile.count)).toEqual(
            (['critical', 'warning', 'info', 'no-data'] as const).map((severity) => count(severity)),
          )
          expect(cellsOf([nodes.map(({ key }) => key)], seen)[0]?.cells).toEqual(severities.map(levelOf))
          const titledMs = laterMs + TITLE_EVERY_MS
          if (severitiesAt(NOW_MS + titledMs).join() !== severities.join()) return
          dashboard.advance(TITLE_EVERY_MS)
          const bad = count('critical', 'warning')
          expect(document.title).toBe(
            shellTexts.title(shellTexts.nodes, bad === 0 ? undefined : shellTexts.titleCount(bad)),
          )
        })
        .afterEach(cleanup),
      { numRuns: 60 },
    )
  })
})
