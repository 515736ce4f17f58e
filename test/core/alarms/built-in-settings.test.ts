import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { AlarmKind, AlarmSubject } from '#alarms/alarm.ts'
import {
  builtInKinds,
  createBuiltInSettings,
  isWeakened,
  scopesOf,
  severestOf,
} from '#alarms/built-in-settings.ts'
import { entryOf } from '#alarms/alarm-state.ts'
import { METRICS } from '#metrics/metrics.ts'
import { AlarmSettingsSchema, ServerConfigSchema, type AlarmScope } from '#settings/schema.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import { serviceIdOf } from '#record/service.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { node as aNode } from '#test/core/monitor/fleet.ts'
import { BASE } from '#test/core/monitor/watch.ts'
import { judge } from './evaluated.ts'

const EVERY_MS = 15_000
const ID = '0x0001'
const OTHER = 'https://other.example'

const ALL = { for: 'all' } as const
const SERVICE = { for: 'service', service: BASE } as const
const EU = { for: 'tag', tag: 'eu' } as const
const TEST = { for: 'tag', tag: 'test' } as const
const NODE = { for: 'node', service: BASE, node: ID } as const
const ELSEWHERE = [
  { for: 'service', service: OTHER },
  { for: 'tag', tag: 'us' },
  { for: 'node', service: BASE, node: '0x0002' },
] as const

const settings = (...changes: readonly object[]) =>
  v.parse(AlarmSettingsSchema, { builtIn: changes.map((change) => ({ rule: 'status-left', ...change })) })

const serviceId = serviceIdOf(BASE)
const node = nodeKeyOf(serviceId, ID)
const OF_NODE: AlarmSubject = { kind: 'node', node, serviceId }
const OF_SERVICE: AlarmSubject = { kind: 'service', serviceId }

describe('the effective change of a built-in rule', () => {
  const snapshot = () => ({ nodes: new Map([[node, { ...aNode(0, { tags: ['eu', 'test'] }), key: node }]]) })
  const inForce = (changes: readonly object[], subject: AlarmSubject = OF_NODE) =>
    createBuiltInSettings(settings(...changes).builtIn, snapshot)('status-left', subject)
  const info = (scope: AlarmScope) => ({ scope, severity: 'info' })
  const warning = (scope: AlarmScope) => ({ scope, severity: 'warning' })
  const off = (scope: AlarmScope) => ({ scope, off: true })
  const on = (scope: AlarmScope) => ({ scope, off: false })

  it.each<readonly [string, readonly object[], object | undefined]>([
    ['is undefined without changes', [], undefined],
    ['can apply everywhere', [info(ALL)], { severity: 'info' }],
    ['prefers the service to everywhere', [info(ALL), warning(SERVICE)], { severity: 'warning' }],
    ['prefers a tag to the service', [info(EU), warning(SERVICE)], { severity: 'info' }],
    ['prefers the node’s first tag to its second', [info(TEST), warning(EU)], { severity: 'warning' }],
    ['prefers the node to a tag', [info(EU), warning(NODE)], { severity: 'warning' }],
    ['is the first one of a scope', [on(NODE), off(NODE)], { off: false }],
    ['can enable a disabled rule for a node', [off(EU), on(NODE)], { off: false }],
    [
      'resolves each value separately',
      [{ ...info(ALL), forMs: 60_000 }, off(EU), warning(NODE)],
      { off: true, severity: 'warning', forMs: 60_000 },
    ],
    ['ignores other scopes', ELSEWHERE.map(off), undefined],
    ['ignores other rules', [{ ...off(ALL), rule: 'unreachable' }], undefined],
  ])('%s', (_what, changes, expected) => {
    expect(inForce(changes)).toEqual(
      expected && { off: false, severity: undefined, forMs: undefined, ...expected },
    )
  })

  it('reaches a whole service only from the scopes service and all', () => {
    const scopes: readonly AlarmScope[] = [ALL, SERVICE, EU, NODE]
    const reached = scopes.map((scope) => inForce([{ scope, off: true }], OF_SERVICE)?.off)
    expect(reached).toEqual([true, true, undefined, undefined])
  })

  it('prefers the server’s to this browser’s within one scope', () => {
    const of = (severity: string) => ({ alarms: settings({ scope: ALL, severity }) })
    const { alarms } = effectiveConfig(v.parse(ServerConfigSchema, { version: 1, ...of('info') }), {
      ...EMPTY_SETTINGS,
      ...of('warning'),
    })
    expect(createBuiltInSettings(alarms.builtIn, snapshot)('status-left', OF_NODE)?.severity).toBe('info')
  })
})

it.each<readonly [object, string, number, string | undefined]>([
  [{}, 'RETIRED', 2, 'firing info'],
  [{ off: true }, 'RETIRED', 4, undefined],
  [{ off: false }, 'RETIRED', 2, 'firing info'],
  [{ severity: 'critical' }, 'RETIRED', 2, 'firing critical'],
  [{ severity: 'critical', scope: ELSEWHERE[2] }, 'RETIRED', 2, 'firing info'],
  [{ forMs: 0 }, 'RETIRED', 1, 'firing info'],
  [{ forMs: 30_000 }, 'RETIRED', 2, 'pending info'],
  [{ forMs: 30_000 }, 'RETIRED', 3, 'firing info'],
  [{ forMs: 30_000 }, 'RETIRED ACTIVE RETIRED', 3, 'pending info'],
  [{ rule: 'heartbeat-old' }, 'hb=100x2 hb=400', 3, 'firing critical'],
  [{ rule: 'heartbeat-old', severity: 'warning' }, 'hb=100x2 hb=400', 3, 'firing warning'],
  // A failure that would become critical with time keeps the operator's severity.
  [{ rule: 'unreachable', severity: 'warning' }, 'busy', 60, 'firing warning'],
  [{ rule: 'unreachable' }, 'busy', 60, 'firing critical'],
  [{ rule: 'unreachable', off: true }, 'busy', 60, undefined],
  [{ rule: 'rejected', severity: 'critical' }, 'err404', 1, 'firing critical'],
])('a changed built-in rule %j on %s: after %i polls %s', async (change, series, polls, expected) => {
  const screen = judge(series)
  screen.alarms.configure(settings({ scope: ALL, ...change }))
  await screen.clock.advance((polls - 1) * EVERY_MS + 2_000)
  const rule = 'rule' in change ? change.rule : 'status-left'
  const found = screen.view().alarms.find(({ ruleId, subject }) => ruleId === rule && subject.kind === 'node')
  expect(found && `${found.phase} ${found.severity}`).toBe(expected)
})

it.each<readonly [object, number, string | undefined]>([
  // The other node's answer shows at once that the key itself is valid.
  [{}, 20, 'firing critical'],
  [{ severity: 'warning' }, 20, 'firing warning'],
  [{ forMs: 60_000 }, 20, 'pending critical'],
  [{ forMs: 60_000 }, 600, 'firing critical'],
  [{ off: true }, 600, undefined],
])('the key-rejected rule with %j: after %i s %s', async (change, seconds, expected) => {
  const screen = judge(['err401', 'ok'])
  screen.alarms.configure(settings({ rule: 'key-rejected', scope: ALL, ...change }))
  await screen.clock.advance(seconds * 1_000)
  const found = screen.find('key-rejected')
  expect(found && `${found.phase} ${found.severity}`).toBe(expected)
})

it.each<readonly [object, number, string | undefined]>([
  [{}, 125, 'firing critical'],
  [{ severity: 'warning' }, 125, 'firing warning'],
  [{ off: true }, 600, undefined],
  [{ off: true, scope: NODE }, 125, 'firing critical'],
  [{ forMs: 20_000 }, 125, 'pending critical'],
  // It does not wait for the next interval, which begins 30 s after the first bad evaluation.
  [{ forMs: 20_000 }, 143, 'firing critical'],
])(
  'a changed rule about a whole service %j: after %i s without an answer %s',
  async (change, seconds, expected) => {
    const screen = judge('ok hang')
    screen.alarms.configure(settings({ rule: 'blind', scope: SERVICE, ...change }))
    await screen.clock.advance(seconds * 1_000)
    const found = screen.find('blind')
    expect(found && `${found.phase} ${found.severity}`).toBe(expected)
  },
)

describe('a firing alarm whose rule changes', () => {
  const ofHeartbeat = (changes: readonly object[]) =>
    settings(...changes.map((change) => ({ rule: 'heartbeat-old', ...change })))
  const firing = async (...changes: readonly object[]) => {
    const screen = judge('hb=400', { nodes: [{ id: ID, service: BASE, tags: ['eu'] }] })
    screen.alarms.configure(ofHeartbeat(changes))
    await screen.clock.advance(4 * EVERY_MS)
    const change = async (...next: readonly object[]) => {
      screen.alarms.configure(ofHeartbeat(next))
      await screen.clock.advance(1_000)
    }
    const reported = () => screen.notices.map(({ kind, reason, severity }) => `${kind} ${reason} ${severity}`)
    return { screen, change, reported }
  }

  it('closes, with a journal entry and a recovery notification, while the rule is disabled', async () => {
    const { screen, change, reported } = await firing()
    await change({ scope: EU, off: true })
    expect(screen.view().alarms).toEqual([])
    const last = screen.steps.at(-1)
    expect(last && entryOf(last)).toMatchObject({
      what: 'alarm-closed',
      facts: { kind: 'heartbeat-old', reason: 'rule-off' },
    })
    expect(reported()).toEqual(['problem raised critical', 'recovery rule-off critical'])
    await change()
    await screen.clock.advance(2 * EVERY_MS)
    expect(screen.view().alarms).toMatchObject([{ ruleId: 'heartbeat-old', phase: 'firing' }])
  })

  it('takes a lower severity at once, stays acknowledged and records the change', async () => {
    const { screen, change } = await firing()
    const [alarm] = screen.view().alarms
    screen.alarms.act({ act: 'acknowledge', ids: [alarm?.id ?? ''] }, screen.clock.wallMs())
    await change({ scope: ALL, severity: 'info' })
    expect(screen.view().alarms).toMatchObject([{ severity: 'info', acknowledged: {} }])
    expect(screen.steps.at(-1)?.transition).toEqual({ name: 'lowered', reason: 'rule-changed' })
    await screen.clock.advance(2 * EVERY_MS)
    expect(screen.view().alarms).toMatchObject([{ severity: 'info' }])
  })

  it('needs attention again at a higher severity, and ignores changes of other scopes', async () => {
    const { screen, change, reported } = await firing({ scope: ALL, severity: 'info' })
    await change({ scope: ALL, severity: 'info' }, { scope: ELSEWHERE[1], off: true })
    expect(screen.view().alarms).toMatchObject([{ severity: 'info', phase: 'firing' }])
    await change({ scope: NODE, severity: 'critical' })
    expect(screen.view().alarms).toMatchObject([{ severity: 'critical', acknowledged: undefined }])
    await screen.clock.advance(4 * EVERY_MS)
    expect(screen.names()).toContain('heartbeat-old worse')
    expect(reported().at(-1)).toBe('reminder worse critical')
  })
})

describe('the built-in rules', () => {
  it('are listed once each, with their narrowest scope and highest severity', () => {
    const kinds = builtInKinds(METRICS)
    expect(new Set(kinds).size).toBe(kinds.length)
    const facts = (kind: AlarmKind) => `${scopesOf(kind).at(-1)} ${severestOf(kind, METRICS)}`
    expect(Object.fromEntries(kinds.map((kind) => [kind, facts(kind)]))).toMatchObject({
      unreachable: 'node critical',
      rejected: 'node warning',
      'key-rejected': 'node critical',
      paused: 'service critical',
      network: 'all critical',
      blind: 'service critical',
      'clock-skew': 'service warning',
      throttled: 'all warning',
      gap: 'all info',
      'rule-failed': 'all critical',
      'status-left': 'node critical',
      'heartbeat-old': 'node critical',
      'participation-below': 'node warning',
    })
  })

  it.each<readonly [AlarmKind, object, boolean]>([
    ['unreachable', { off: true }, true],
    ['unreachable', { severity: 'warning' }, true],
    ['unreachable', { severity: 'critical' }, false],
    ['unreachable', { off: false }, false],
    ['rejected', { off: true }, false],
    ['gap', { severity: 'info' }, false],
  ])('%s with %j is weaker than critical: %s', (kind, change, expected) => {
    expect(isWeakened({ rule: kind, ...change }, METRICS)).toBe(expected)
  })
})
