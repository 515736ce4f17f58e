import { describe, expect, it } from 'vitest'
import type { AlarmKind, SelfKind, AlarmSubject } from '#alarms/alarm.ts'
import { builtInRules, freshFor, type NodeContext } from '#alarms/built-in-rules.ts'
import {
  type SelfFacts,
  evaluateScreen,
  evaluateShared,
  sharedEnd,
  sharedTroubles,
} from '#alarms/shared-rules.ts'
import { blindAfterMs } from '#evaluate/conditions.ts'
import type { Cause } from '#fleet/cause.ts'
import type { Reading } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { serviceIdOf } from '#record/service.ts'
import { effectiveSettings } from '#settings/effective.ts'
import type { Limits, Units } from '#settings/schema.ts'
import type { PollFailure } from '#protocol/failure.ts'
import {
  NOW_MS,
  aged,
  episode,
  fleet,
  live,
  explained,
  LONG_ROUND,
  node,
  reading,
  timeout,
  unreachable,
  WALL_MS,
} from '#test/core/monitor/fleet.ts'
import { keyOf, service } from '#test/core/monitor/watch.ts'
import { firing, SERVICE } from './one-alarm.ts'
import type { Instance } from '#alarms/instance.ts'

type Own = { readonly units?: Units; readonly limits?: Limits }

/** A built-in rule's evaluation of a node with its own units and limits. */
function judged(kind: AlarmKind, given: Partial<NodeContext['node']>, own: Own = {}) {
  const from = { kind: 'node', by: 'browser' } as const
  const one = node(0, { rules: [{ from, units: {}, limits: {}, ...own }], ...given })
  const context: NodeContext = {
    node: one,
    service: service(),
    settings: effectiveSettings(live().rules, one),
    causes: [],
    nowMs: NOW_MS,
  }
  const rule = builtInRules(METRICS).find((each) => each.kind === kind)
  if (rule === undefined) throw new Error(`no rule ${kind}`)
  return rule.evaluate(context)
}
const beat = (ageMs: number) =>
  reading({}, { startedMs: NOW_MS, ages: { heartbeat: { kind: 'known', ageMs, uncertaintyMs: 0 } } })
const ms = (value: number) => ({ unit: 'ms', value })

describe('a heartbeat age', () => {
  const own = { limits: { heartbeatWarningMs: 60_000, heartbeatCriticalMs: 180_000 } }

  it.each([
    [60_000, 'good', 'info', 60_000],
    [60_001, 'bad', 'warning', 60_000],
    [180_000, 'bad', 'warning', 60_000],
    [180_001, 'bad', 'critical', 180_000],
  ])('of %d ms is %s, %s', (ageMs, state, severity, limit) => {
    expect(judged('heartbeat-old', { reading: beat(ageMs) }, own)).toEqual({
      state,
      severity,
      value: ms(ageMs),
      limit: ms(limit),
    })
  })

  it('is unknown without an age or a reading, and while polls fail', () => {
    expect(judged('heartbeat-old', { reading: reading({}, { ages: {} }) }).state).toBe('unknown')
    expect(judged('heartbeat-old', { reading: undefined }).state).toBe('unknown')
    expect(judged('heartbeat-old', { reading: beat(9e9), episode: episode(unreachable) }).state).toBe(
      'unknown',
    )
  })
})

const words: Own = {
  units: {
    statusWords: [
      { word: 'ACTIVE', means: 'good' },
      { word: 'SLOW', means: 'warning' },
      { word: 'DEAD', means: 'bad' },
    ],
  },
}

it.each([
  ['ACTIVE', 'good', 'info'],
  ['SLOW', 'bad', 'warning'],
  ['DEAD', 'bad', 'critical'],
  ['RETIRED', 'bad', 'info'],
])('a status %s is %s, %s', (status, state, severity) => {
  expect(judged('status-left', { reading: reading({ status }) }, words)).toMatchObject({
    state,
    severity,
    value: { unit: 'status', text: status },
  })
})

describe('a limit', () => {
  const share = (network_participation: number) => reading({ network_participation })
  const stake = (stake_deployed: number) => reading({ stake_deployed })
  const answer = (latencyMs: number) => reading({}, { latencyMs })
  const ratio = (value: number) => ({ unit: 'ratio', value })
  const amount = (text: string) => ({ unit: 'stake', text })

  it.each<[AlarmKind, Limits, Reading, string, value: object, limit: object]>([
    ['participation-below', { participationBelow: 0.9 }, share(0.899), 'bad', ratio(0.899), ratio(0.9)],
    ['participation-below', { participationBelow: 0.9 }, share(0.9), 'between', ratio(0.9), ratio(0.9)],
    ['participation-below', { participationBelow: 0.9 }, share(0.9019), 'between', ratio(0.9019), ratio(0.9)],
    ['participation-below', { participationBelow: 0.9 }, share(0.902), 'good', ratio(0.902), ratio(0.9)],
    ['participation-above', { participationAbove: 0.5 }, share(0.501), 'bad', ratio(0.501), ratio(0.5)],
    ['participation-above', { participationAbove: 0.5 }, share(0.5), 'between', ratio(0.5), ratio(0.5)],
    ['participation-above', { participationAbove: 0.5 }, share(0.498), 'good', ratio(0.498), ratio(0.5)],
    ['stake-below', { stakeBelow: '32' }, stake(31.999), 'bad', amount('31.999'), amount('32')],
    ['stake-below', { stakeBelow: '32' }, stake(32), 'good', amount('32'), amount('32')],
    ['answerTime-above', { answerTimeAboveMs: 500 }, answer(501), 'bad', ms(501), ms(500)],
    ['answerTime-above', { answerTimeAboveMs: 500 }, answer(500), 'good', ms(500), ms(500)],
  ])('%s with %j (case %#)', (kind, limits, given, state, value, limit) => {
    expect(judged(kind, { reading: given }, { limits })).toMatchObject({
      state,
      severity: state === 'good' ? 'info' : 'warning',
      value,
      limit,
    })
  })

  it('is unknown for a value that cannot be parsed', () => {
    const odd = reading({ network_participation: 'x', stake_deployed: 'x' })
    const limits = { participationBelow: 0.9, participationAbove: 0.9, stakeBelow: '1' }
    for (const kind of ['participation-below', 'participation-above', 'stake-below'] as const)
      expect(judged(kind, { reading: odd }, { limits }).state).toBe('unknown')
  })
})

const differing = (metric: string, isFirst = true) => ({
  metric,
  kind: 'differs' as const,
  own: '9',
  other: '8',
  with: keyOf(1),
  isFirst,
  sinceMs: NOW_MS,
  sinceWallMs: WALL_MS,
})

it('a disagreement between services is a warning for the first of the two nodes only, separately for each metric', () => {
  const given = { disagreements: [differing('participation'), differing('stake')] }
  expect(judged('stake-differs', given)).toMatchObject({
    state: 'bad',
    severity: 'warning',
    value: { unit: 'status', text: '9 ≠ 8' },
  })
  expect(judged('threatResponses-differs', given).state).toBe('good')
  expect(judged('stake-differs', { disagreements: [differing('stake', false)] }).state).toBe('good')
  expect(judged('stake-differs', {}).state).toBe('good')
})

describe('a failed poll', () => {
  const failing = (kind: AlarmKind, failure: PollFailure, misses = 1, lastedMs = 5_000) =>
    judged(kind, { episode: episode(failure, misses, lastedMs) })

  it('is a warning after 2 misses, critical after 9, and has the failure as its value', () => {
    expect(failing('unreachable', unreachable, 2)).toEqual({
      state: 'bad',
      severity: 'warning',
      value: { unit: 'failure', code: 'net/unreachable', failure: unreachable },
      limit: undefined,
    })
    expect(failing('unreachable', unreachable, 9).severity).toBe('critical')
    expect(failing('unreachable', timeout).state).toBe('bad')
  })

  it.each(['node-id-invalid', 'node-unknown', 'unauthorized', 'forbidden'] as const)(
    'with %s is an answer, so only one of the rules reports it',
    (kind) => {
      const failure = { kind } as PollFailure
      expect(failing('unreachable', failure).state).toBe('good')
      const isId = kind === 'node-id-invalid' || kind === 'node-unknown'
      expect(failing('rejected', failure).state).toBe(isId ? 'bad' : 'unknown')
      expect(failing('key-rejected', failure).state).toBe(isId ? 'unknown' : 'bad')
    },
  )

  it.each(['no-key', 'offline', 'mixed-content', 'key-locked', 'signed-out', 'signer-failed'] as const)(
    'with %s was never sent, so it is unknown',
    (kind) => {
      expect(failing('unreachable', { kind } as PollFailure).state).toBe('unknown')
    },
  )

  it('is a warning after 5 s and critical after 1 h', () => {
    const severityAfter = (lastedMs: number) =>
      failing('unreachable', { kind: 'server-error', status: 503 }, 9, lastedMs).severity
    expect([severityAfter(5_000), severityAfter(3_600_000)]).toEqual(['warning', 'critical'])
  })

  it('with a cached answer is unknown while the last reading is current, then a warning', () => {
    const repeated = { kind: 'repeated' } as PollFailure
    expect(failing('unreachable', repeated).state).toBe('unknown')
    const old = reading({}, { startedMs: NOW_MS - 900_000 })
    expect(judged('unreachable', { reading: old, episode: episode(repeated) })).toMatchObject({
      state: 'bad',
      severity: 'warning',
    })
  })

  it('ends with a good answer, and is unknown before the first one', () => {
    for (const kind of ['unreachable', 'rejected', 'key-rejected'] as const) {
      expect(judged(kind, {})).toMatchObject({ state: 'good', value: undefined })
      expect(judged(kind, { reading: undefined }).state).toBe('unknown')
    }
  })
})

it.each([
  [undefined, 37_500],
  [NOW_MS + 22_500, 37_500],
  [NOW_MS + 22_501, 37_501],
  [NOW_MS + 600_000, 615_000],
])('an evaluation with the next poll at %s stays fresh for %d ms', (nextPollMs, holdsMs) => {
  expect(
    freshFor({
      node: node(0, { nextPollMs }),
      service: service(),
      settings: effectiveSettings(live().rules, node(0)),
      causes: [],
      nowMs: NOW_MS,
    }),
  ).toBe(holdsMs)
})

describe('the rules about this screen', () => {
  const seen = (facts: SelfFacts, behindMs = 0) =>
    Object.fromEntries(
      evaluateScreen(facts, explained(fleet([node(0)], [live()], { behindMs }))).map(
        ({ kind, evaluation: one, subject, nodes }) => {
          expect([subject, nodes]).toEqual([{ kind: 'screen' }, []])
          return [kind, one]
        },
      ),
    )

  /** The evaluation `agoMs` after a sleep of one minute. */
  const afterSleep = (kind: SelfKind, agoMs: number, facts: SelfFacts = {}) => {
    const toWallMs = WALL_MS - agoMs
    const gaps = [{ fromWallMs: toWallMs - 60_000, toWallMs, reason: 'asleep' as const }]
    const evaluated = evaluateScreen(facts, explained(fleet([node(0)], [live()], { gaps, behindMs: 60_000 })))
    return evaluated.find((each) => each.kind === kind)?.evaluation
  }

  it('are unknown without facts, except gap and rule-failed, which are good', () => {
    const { gap, 'rule-failed': ruleFailed, ...others } = seen({})
    expect([gap?.state, ruleFailed?.state]).toEqual(['good', 'good'])
    expect(new Set(Object.values(others).map(({ state }) => state))).toEqual(new Set(['unknown']))
  })

  it.each([
    [0, 0, 'good', undefined],
    [5_000, 15_000, 'good', undefined],
    [5_001, 0, 'bad', 5_001],
    [0, 15_001, 'bad', 15_001],
    [6_000, 7_000, 'bad', 7_000],
    [undefined, 15_001, 'bad', 15_001],
    [undefined, 15_000, 'unknown', undefined],
  ] as const)('evaluate %s ms late, %d ms behind as throttled %s', (lateMs, behindMs, state, value) => {
    expect(seen({ lateMs }, behindMs)['throttled']).toMatchObject({
      state,
      ...(value !== undefined && { severity: 'warning', value: ms(value) }),
    })
  })

  it('keep throttled good while a round that is too long explains the delay', () => {
    const services = [live({ round: LONG_ROUND }), live({}, 'https://other.example')]
    const evaluated = evaluateScreen(
      { lateMs: 0 },
      explained(fleet([node(0)], services, { behindMs: 60_000 })),
    )
    expect(evaluated.find(({ kind }) => kind === 'throttled')?.evaluation.state).toBe('good')
  })

  it('evaluate throttled by the intervals of services with nodes only', () => {
    const unused = live({ service: service({ pollIntervalMs: 1_000 }) }, 'https://other.example')
    const snapshot = explained(fleet([node(0)], [live(), unused], { behindMs: 2_000 }))
    const throttled = evaluateScreen({ lateMs: 0 }, snapshot).find(({ kind }) => kind === 'throttled')
    expect(throttled?.evaluation.state).toBe('good')
  })

  it('leave throttled unknown for one poll interval after a sleep, unless timers are late', () => {
    const { pollIntervalMs } = live().service
    const at = (agoMs: number, lateMs = 0) => afterSleep('throttled', agoMs, { lateMs })?.state
    expect([at(0), at(pollIntervalMs - 1), at(pollIntervalMs)]).toEqual(['unknown', 'unknown', 'bad'])
    expect(at(0, 60_000)).toBe('bad')
  })

  const reason = (text: string) => ({ unit: 'reason', text })
  const warning = (value: object) => ({ severity: 'warning', value })
  it.each<[SelfKind, SelfFacts, SelfFacts, object]>([
    ['page-blocked', { blockedMs: 0 }, { blockedMs: 12_000 }, warning(ms(12_000))],
    ['engine-lost', { engineLost: false }, { engineLost: 'hung' }, warning(reason('hung'))],
    ['memory-high', { memoryMb: false }, { memoryMb: 900 }, warning(reason('900 MB'))],
    ['old-version', { isOldVersion: false }, { isOldVersion: true }, { severity: 'info' }],
    ['page-errors', { errors: 0 }, { errors: 7 }, warning({ unit: 'count', value: 7 })],
    ['not-saving', { notSaving: false }, { notSaving: 'full' }, warning(reason('full'))],
    ['sound-blocked', { soundBlocked: false }, { soundBlocked: true }, { severity: 'warning' }],
    ['rule-failed', {}, { failedRules: 'mine: no' }, { severity: 'critical', value: reason('mine: no') }],
  ])('evaluate %s from the facts that the pages report', (kind, well, wrong, told) => {
    expect(seen(well)[kind]).toMatchObject({ state: 'good' })
    expect(seen(wrong)[kind]).toMatchObject({ state: 'bad', ...told })
  })

  it('report a gap in monitoring, with its length, for 10 minutes', () => {
    expect(afterSleep('gap', 599_999)).toMatchObject({ state: 'bad', severity: 'info', value: ms(60_000) })
    expect(afterSleep('gap', 600_000)).toMatchObject({ state: 'good' })
  })

  it.each([
    [1_000, 120_000],
    [60_000, 180_000],
  ])('with polls every %d ms report blindness after %d ms', (everyMs, afterMs) => {
    expect(blindAfterMs(everyMs)).toBe(afterMs)
  })
})

describe('shared alarms', () => {
  const cause = (evidence: object, given: Partial<Cause> = {}): Cause =>
    ({
      code: 'c',
      severity: 'critical',
      scope: 'service',
      serviceId: SERVICE,
      nodes: [keyOf(0)],
      evidence,
      ...given,
    }) as Cause
  const failed = (kind: PollFailure['kind'], given: Partial<Cause> = {}) =>
    cause({ kind: 'failure', failure: { kind } }, given)
  const kinds = (...causes: readonly Cause[]) =>
    sharedTroubles(causes).map(({ kind, subject }) => `${kind} ${subject.kind}`)

  it('come from the causes, with their subject, severity and value', () => {
    expect(kinds(cause({ kind: 'no-network' }, { serviceId: undefined }))).toEqual(['network screen'])
    expect(kinds(cause({ kind: 'portal' }, { serviceId: undefined }))).toEqual(['network screen'])
    expect(kinds(cause({ kind: 'clock-offset', offset: { lowMs: 2, highMs: 6 } }))).toEqual([
      'clock-skew service',
    ])
    expect(kinds(failed('unauthorized'), failed('unreachable'), failed('no-key'))).toEqual([
      'key-rejected key',
      'unreachable service',
      'paused service',
    ])
    expect(kinds(failed('mixed-content'))).toEqual(['paused service'])
    expect(sharedTroubles([failed('unreachable')])[0]).toEqual({
      kind: 'unreachable',
      subject: { kind: 'service', serviceId: SERVICE },
      evaluation: {
        state: 'bad',
        severity: 'critical',
        value: { unit: 'failure', code: 'c', failure: { kind: 'unreachable' } },
      },
      nodes: [keyOf(0)],
    })
    const clocks = (lowMs: number, highMs: number) =>
      sharedTroubles([cause({ kind: 'clock-offset', offset: { lowMs, highMs } })])[0]?.evaluation.value
    // The magnitude, whether behind or ahead: "Clock skew, 0 s" would say nothing.
    expect([clocks(-40_500, -39_500), clocks(2, 6)]).toEqual([ms(40_000), ms(4)])
    expect(sharedTroubles([cause({ kind: 'portal' })])[0]?.evaluation.value).toEqual({
      unit: 'failure',
      code: 'c',
    })
  })

  const endsOf = (given: Partial<Instance>, nodes: readonly NodeContext['node'][]) =>
    evaluateShared(fleet(nodes), [firing(given)], { lastAnswers: new Map(), awaitsKey: () => false }, 0).map(
      ({ kind, evaluation: { state } }) => `${kind} ${state}`,
    )

  it('of the screen end with an answer of any node, those of a service with one of its own nodes', () => {
    const other = serviceIdOf('https://other.example')
    const answered = [node(0, { answered: 1 })]
    expect(endsOf({ kind: 'network', subject: { kind: 'screen' } }, answered)).toEqual(['network good'])
    const endsAt = (serviceId: typeof SERVICE) =>
      endsOf({ kind: 'unreachable', subject: { kind: 'service', serviceId } }, answered)
    expect([endsAt(SERVICE), endsAt(other)]).toEqual([['unreachable good'], ['unreachable unknown']])
  })

  it('leave out a request that once lacked its signature, and the missing key before there was a first key', () => {
    const once = failed('signed-out', { misses: 1 })
    const lacking = {
      ...fleet([]),
      causes: [once, failed('no-key'), failed('signer-failed', { misses: 2 }), cause({ kind: 'portal' })],
    }
    const found = (awaitsKey: boolean) =>
      evaluateShared(lacking, [], { lastAnswers: new Map(), awaitsKey: () => awaitsKey }, 0).map(
        ({ kind, evaluation: { value } }) =>
          `${kind} ${value?.unit === 'failure' ? (value.failure?.kind ?? '') : ''}`.trim(),
      )
    expect(found(false)).toEqual(['paused no-key', 'network'])
    expect(found(true)).toEqual(['paused signer-failed', 'network'])
  })

  it('ignore causes of a single node, causes without a severity and other evidence', () => {
    expect(
      kinds(
        failed('unreachable', { scope: 'node' }),
        failed('unreachable', { severity: 'none' }),
        cause({ kind: 'proof' }),
      ),
    ).toEqual([])
  })

  type Given = Partial<NodeContext['node']>
  const end = (kind: Parameters<typeof sharedEnd>[0], ...given: readonly Given[]) => {
    const nodes = given.map((each, index) => node(index, { answered: 1, ...each }))
    const subject: AlarmSubject = { kind: 'service', serviceId: SERVICE }
    return sharedEnd(kind, subject, fleet(nodes), nodes).state
  }

  it('end with a good answer of this session if it is current; a timeout ends only a pause', () => {
    for (const kind of ['unreachable', 'key-rejected', 'paused', 'network', 'round-too-long'] as const) {
      expect([end(kind, {}), end(kind, { answered: 0 })]).toEqual(['good', 'unknown'])
      if (kind === 'round-too-long') continue
      expect(end(kind, { reading: reading({}, { startedMs: NOW_MS - 900_000 }) })).toBe('unknown')
      expect(end(kind, { episode: episode(timeout) })).toBe(kind === 'paused' ? 'good' : 'unknown')
    }
  })

  it.each([
    [15_000, 14_999, 'good'],
    [15_001, 15_001, 'good'],
    [15_001, 15_000, 'unknown'],
  ])('after an answer %d ms and a new failure %d ms ago are %s', (answeredMs, failedMs, state) => {
    const failing = { episode: episode(timeout, 1, failedMs) }
    expect(end('unreachable', { reading: aged(answeredMs) }, failing)).toBe(state)
  })

  it.each([
    ['unauthorized', 'good', 'unknown', 'good'],
    ['node-unknown', 'good', 'unknown', 'good'],
    ['no-key', 'unknown', 'unknown', 'unknown'],
    ['mixed-content', 'unknown', 'unknown', 'unknown'],
    ['server-error', 'unknown', 'unknown', 'good'],
    ['signed-out', 'unknown', 'unknown', 'unknown'],
    ['signer-failed', 'unknown', 'unknown', 'unknown'],
  ] as const)('after %s are %s if unreachable, %s if a rejected key and %s if a pause', (kind, ...states) => {
    const failure = { kind } as PollFailure
    expect(
      (['unreachable', 'key-rejected', 'paused'] as const).map((shared) =>
        end(shared, { episode: episode(failure) }),
      ),
    ).toEqual(states)
  })

  it('about clocks end once the offset is known and small', () => {
    const ends = (subject: AlarmSubject, offset: { lowMs: number; highMs: number } | undefined) =>
      sharedEnd('clock-skew', subject, fleet([], [live({ offset })]), []).state
    const mine: AlarmSubject = { kind: 'service', serviceId: SERVICE }
    expect(ends(mine, { lowMs: 0, highMs: 10 })).toBe('good')
    expect(ends({ kind: 'screen' }, { lowMs: 0, highMs: 10 })).toBe('good')
    expect(ends({ kind: 'service', serviceId: 'x' as never }, { lowMs: 0, highMs: 10 })).toBe('unknown')
    expect(ends(mine, { lowMs: 900_000, highMs: 900_010 })).toBe('unknown')
    expect(ends(mine, undefined)).toBe('unknown')
  })
})
