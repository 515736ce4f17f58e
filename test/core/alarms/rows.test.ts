import { describe, expect, it } from 'vitest'
import type { AlarmSubject } from '#alarms/alarm.ts'
import { groupOf, listOf, memberOf, raisedOf, rowsOf, viewOf } from '#alarms/alarm-rows.ts'
import { inhibited, entryOf } from '#alarms/alarm-state.ts'
import type { Instance } from '#alarms/instance.ts'
import type { NodeKey } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { keyOf } from '#test/core/monitor/watch.ts'
import { SERVICE, SHELVED, alarm, around, firing, nodeSubject, onNode } from './one-alarm.ts'

const SCREEN: AlarmSubject = { kind: 'screen' }
const OTHER = serviceIdOf('https://other.example')
const service = (serviceId = SERVICE): AlarmSubject => ({ kind: 'service', serviceId })
const key = (serviceId = SERVICE): AlarmSubject => ({ kind: 'key', serviceId })
const nodesUpTo = (count: number, given: Partial<Instance> = {}) =>
  Array.from({ length: count }, (_, index) => onNode(index, given))

describe('rows', () => {
  it('show up to 3 alarms of a kind singly, and more as one group', () => {
    expect(Array.from(rowsOf(nodesUpTo(3), around()).values(), (members) => members.length)).toEqual([
      1, 1, 1,
    ])
    const [[id, members] = ['', []]] = Array.from(rowsOf(nodesUpTo(4), around()))
    expect([id, members.length]).toEqual([`group heartbeat-old ${SERVICE} on`, 4])
  })

  it('group only alarms of one rule, one service and one state', () => {
    const rows = (instances: readonly Instance[], given = around()) =>
      Array.from(rowsOf(instances, given).keys()).filter((id) => id.startsWith('group'))
    expect(rows([...nodesUpTo(2), ...nodesUpTo(2, { kind: 'unreachable' })])).toEqual([])
    expect(rows([...nodesUpTo(3), onNode(3, { phase: 'pending' })])).toEqual([])
    const down = { kind: 'unreachable' } as const
    expect(rows([...nodesUpTo(3, down), firing({ ...down, subject: service() })])).toEqual([])
    expect(rows([...nodesUpTo(3), onNode(3, { phase: 'recovering' })])).toHaveLength(1)
    expect(rows(nodesUpTo(4, { phase: 'pending' }))).toEqual([`group heartbeat-old ${SERVICE} pending`])
    expect(rows(nodesUpTo(4, { phase: 'normal', awaitsAcknowledgement: true }))).toEqual([
      `group heartbeat-old ${SERVICE} cleared`,
    ])
    expect(rows(nodesUpTo(4, { shelved: SHELVED }))).toEqual([`group heartbeat-old ${SERVICE} shelved`])
    expect(rows(nodesUpTo(4), around({ inMaintenance: () => true }))).toEqual([
      `group heartbeat-old ${SERVICE} maintenance`,
    ])
    const explained = new Map(nodesUpTo(4).map(({ id }) => [id, 'x']))
    expect(rows(nodesUpTo(4), around({ inhibitedBy: explained }))).toEqual([
      `group heartbeat-old ${SERVICE} explained`,
    ])
  })

  it('leave out normal alarms, and do not group alarms of services, keys or the screen', () => {
    expect(rowsOf([alarm()], around()).size).toBe(0)
    const bigger = [service(), service(OTHER), key(), SCREEN].map((subject) =>
      firing({ subject, kind: 'unreachable' }),
    )
    expect(rowsOf(bigger, around()).size).toBe(4)
    expect(groupOf(firing({ subject: SCREEN, kind: 'throttled' }))).toBe('throttled screen')
  })

  it('mark evidence as old once it is no longer fresh or the state is unknown', () => {
    const at = (awakeMs: number, given: Partial<Instance> = {}) => {
      const one = firing({ evaluatedAwakeMs: 10, freshForMs: 20, ...given })
      return viewOf(one.id, [one], around({ awakeMs }))?.evidence
    }
    expect(at(30)).toEqual({ state: 'fresh', ageMs: 20 })
    expect(at(31)).toEqual({ state: 'old', ageMs: 21 })
    expect(at(15, { heldAwakeMs: 12 })).toEqual({ state: 'old', ageMs: 5 })
    expect(at(5)).toEqual({ state: 'fresh', ageMs: 0 })
  })

  it('show who shelved an alarm', () => {
    const one = firing({ shelved: { ...SHELVED, by: 'Ada' } })
    expect(viewOf(one.id, [one], around())?.shelved?.by).toBe('Ada')
  })

  it('count the raises of the last 24 h', () => {
    const wallMs = 1e9
    const one = firing({ raises: [wallMs - 86_400_000, wallMs - 86_399_999, wallMs] })
    expect(viewOf(one.id, [one], around({ wallMs }))?.raised24h).toBe(2)
  })

  it('of a group recover once all members do', () => {
    const recovering = onNode(0, { phase: 'recovering', severity: 'critical' })
    expect(viewOf('group x', [recovering, onNode(1, { severity: 'warning' })], around())?.phase).toBe(
      'firing',
    )
  })

  it('of a group show the highest severity, the earliest start and the newest evidence', () => {
    const members = [
      onNode(0, { severity: 'warning', sinceWallMs: 5, evaluatedAwakeMs: 1, freshForMs: 100 }),
      onNode(1, {
        severity: 'critical',
        sinceWallMs: 9,
        evaluatedAwakeMs: 7,
        freshForMs: 100,
        raisedWallMs: 77,
      }),
      onNode(2, { severity: 'critical', phase: 'recovering', sinceWallMs: 2 }),
      onNode(3, {
        severity: 'critical',
        sinceWallMs: 8,
        notifiedSeverity: 'critical',
        flapping: true,
        raisedWallMs: 78,
      }),
    ]
    expect(viewOf('group x', members, around({ awakeMs: 10, wallMs: 100 }))).toMatchObject({
      severity: 'critical',
      subject: service(),
      phase: 'firing',
      raisedWallMs: 78,
      sinceWallMs: 2,
      evidence: { state: 'fresh', ageMs: 3 },
      flapping: true,
      notified: true,
      memberCount: 4,
      nodeCount: 4,
      members: [3, 1, 2, 0].map((index) => ({ node: keyOf(index) })),
      nodes: [3, 1, 2, 0].map((index) => keyOf(index)),
    })
    expect(viewOf('group x', [], around())).toBeUndefined()
  })

  it.each([
    ['heartbeat-old', [70, 90, 80], 1],
    ['participation-below', [0.97, 0.98, 0.8], 2],
  ] as const)('of a %s group put the member with the worst value first', (kind, values, worst) => {
    const members = values.map((value, index) =>
      firing({ kind, subject: nodeSubject(index), value: { unit: 'ratio', value } }),
    )
    const shown = viewOf('group x', members, around())
    expect([shown?.value, shown?.members[0]?.node]).toEqual([
      { unit: 'ratio', value: values[worst] },
      keyOf(worst),
    ])
  })

  it('of a group are acknowledged once all members are, at the time of the last', () => {
    const acknowledged = (...at: readonly (number | undefined)[]) =>
      viewOf(
        'group x',
        at.map((wallMs, index) =>
          onNode(index, { acknowledged: wallMs === undefined ? undefined : { wallMs } }),
        ),
        around(),
      )?.acknowledged
    expect(acknowledged(3, 9, 5)).toEqual({ wallMs: 9 })
    expect(acknowledged(3, undefined, 5)).toBeUndefined()
  })

  it('list 20 members and nodes, and count all of them', () => {
    const row = viewOf('group x', nodesUpTo(25), around())
    expect([row?.members.length, row?.memberCount, row?.nodes.length, row?.nodeCount]).toEqual([
      20, 25, 20, 25,
    ])
    const big = firing({ subject: service(), kind: 'unreachable' })
    const reach = new Map([[big.id, new Set([keyOf(0), keyOf(1)])]])
    expect(viewOf(big.id, [big], around({ reach }))).toMatchObject({
      nodes: [keyOf(0), keyOf(1)],
      nodeCount: 2,
      subject: service(),
      members: [],
    })
    expect(memberOf(big)).toEqual([])
  })
})

describe('the raised checks of nodes', () => {
  it('name, for each node, the checks that need attention and their severity', () => {
    const raised = raisedOf(
      [
        onNode(0, { kind: 'heartbeat-old', severity: 'critical' }),
        onNode(0, { kind: 'unreachable' }),
        onNode(1, { kind: 'stake-below', ruleId: 'mine', phase: 'recovering' }),
      ],
      around(),
    )
    expect(Array.from(raised)).toEqual([
      [
        keyOf(0),
        [
          { check: 'heartbeat', severity: 'critical' },
          { check: 'service', severity: 'warning' },
        ],
      ],
      [keyOf(1), [{ check: 'stake', severity: 'warning' }]],
    ])
  })

  it('leave out alarms that need no attention and those of services and the screen', () => {
    const explained = onNode(4)
    const raised = raisedOf(
      [
        firing({ subject: service(), kind: 'unreachable' }),
        firing({ subject: SCREEN, kind: 'throttled' }),
        onNode(0, { phase: 'pending' }),
        onNode(1, { phase: 'normal' }),
        onNode(2, { phase: 'normal', awaitsAcknowledgement: true }),
        onNode(3, { shelved: SHELVED }),
        explained,
      ],
      around({ inhibitedBy: new Map([[explained.id, 'big']]) }),
    )
    expect(Array.from(raised)).toEqual([])
    expect(Array.from(raisedOf([onNode(0)], around({ inMaintenance: () => true })))).toEqual([])
  })
})

describe('the alarm list', () => {
  const list = (instances: readonly Instance[], given = around()) => listOf(instances, given)
  const order = (...instances: readonly Instance[]) =>
    list(instances).alarms.map(({ subject }) => (subject.kind === 'node' ? subject.node : ''))

  it('puts unacknowledged alarms first, then the most severe, then the newest', () => {
    expect(
      order(
        onNode(0, { kind: 'rejected', shelved: SHELVED }),
        onNode(1, { kind: 'stake-below', phase: 'pending' }),
        onNode(2, { kind: 'answerTime-above', acknowledged: { wallMs: 1 } }),
        onNode(3, { kind: 'status-left', phase: 'normal', awaitsAcknowledgement: true }),
        onNode(4, { raisedWallMs: 5 }),
        onNode(5, { raisedWallMs: 6 }),
        onNode(6, { severity: 'critical', kind: 'unreachable', phase: 'recovering' }),
        onNode(7, { severity: 'info', kind: 'key-rejected', raisedWallMs: 99 }),
      ),
    ).toEqual([6, 5, 4, 7, 3, 2, 1, 0].map((index) => keyOf(index)))
  })

  it('counts the alarms that need attention by severity and acknowledgement', () => {
    const explained = onNode(3, { kind: 'rejected', severity: 'critical' })
    const { counts, oldestUnacknowledgedWallMs } = list(
      [
        onNode(0, { severity: 'critical', raisedWallMs: 50, raises: [1] }),
        onNode(1, {
          severity: 'critical',
          kind: 'unreachable',
          acknowledged: { wallMs: 1 },
          raisedWallMs: 3,
        }),
        onNode(2, {
          severity: 'warning',
          kind: 'stake-below',
          phase: 'recovering',
          raisedWallMs: 20,
          flapping: true,
        }),
        explained,
        onNode(4, { severity: 'info', kind: 'status-left', raisedWallMs: undefined, sinceWallMs: 30 }),
        onNode(5, { kind: 'answerTime-above', phase: 'pending' }),
        onNode(6, { kind: 'key-rejected', phase: 'normal', awaitsAcknowledgement: true }),
        onNode(7, { kind: 'participation-below', shelved: SHELVED }),
      ],
      around({ wallMs: 60, inhibitedBy: new Map([[explained.id, 'x']]) }),
    )
    expect(counts).toEqual({
      critical: 2,
      warning: 1,
      info: 1,
      unacknowledged: 3,
      unacknowledgedCritical: 1,
      cleared: 1,
    })
    expect(oldestUnacknowledgedWallMs).toBe(20)
    expect(list([], around()).oldestUnacknowledgedWallMs).toBeUndefined()
  })

  it('has at most 2,000 rows, and counts all alarms', () => {
    const many = Array.from({ length: 2_001 }, (_, index) =>
      firing({ subject: service(serviceIdOf(`https://s${index}.example`)), kind: 'unreachable' }),
    )
    const { alarms, counts } = list(many)
    expect([alarms.length, counts.warning]).toEqual([2_000, 2_001])
  })
})

describe('inhibition', () => {
  const by = (instances: readonly Instance[], reach: Record<string, readonly NodeKey[]> = {}) =>
    Object.fromEntries(
      inhibited(instances, new Map(Object.entries(reach).map(([id, keys]) => [id, new Set(keys)]))),
    )
  const down = firing({ subject: service(), kind: 'unreachable' })
  const refused = firing({ subject: key(), kind: 'key-rejected' })
  const network = firing({ subject: SCREEN, kind: 'network' })
  const single = onNode(0, { kind: 'unreachable' })

  it('covers an alarm of the default node while that of its id fires; the node counts once', () => {
    const byId = onNode(1, { kind: 'unreachable' })
    const of = (instances: readonly Instance[]) =>
      inhibited(instances, new Map(), new Map([[keyOf(0), keyOf(1)]]))
    expect(Array.from(of([single, byId]))).toEqual([[single.id, byId.id]])
    expect(of([single, { ...byId, phase: 'pending' }]).size).toBe(0)
    const explained = { reach: new Map([[down.id, new Set([keyOf(0), keyOf(1), keyOf(2)])]]) }
    expect(listOf([down], around(explained)).alarms[0]?.nodeCount).toBe(3)
    const counted = around({ ...explained, twins: new Map([[keyOf(0), keyOf(1)]]) })
    expect(listOf([down], counted).alarms[0]?.nodeCount).toBe(2)
  })

  it('covers the nodes of an alarm, while that fires or recovers', () => {
    expect(by([down, single], { [down.id]: [keyOf(0)] })).toEqual({ [single.id]: down.id })
    expect(by([{ ...down, phase: 'recovering' }, single], { [down.id]: [keyOf(0)] })).toEqual({
      [single.id]: down.id,
    })
    expect(by([{ ...down, phase: 'pending' }, single], { [down.id]: [keyOf(0)] })).toEqual({})
    expect(by([down, single], { [down.id]: [keyOf(1)] })).toEqual({})
  })

  it('outlasts the alarm that inhibits until a poll of the node since that began to recover, and while the node recovers', () => {
    const ended = { ...down, phase: 'normal', goodSinceAwakeMs: 9, evaluatedAwakeMs: 99 } as const
    const after = (given: Partial<Instance>, big: Instance = ended) =>
      inhibited(
        [big, { ...single, ...given }],
        new Map([[down.id, new Set()]]),
        undefined,
        undefined,
        new Map([[single.id, down.id]]),
      ).size
    expect([8, 9].map((evaluatedAwakeMs) => after({ evaluatedAwakeMs }))).toEqual([1, 0])
    expect(after({ evaluatedAwakeMs: 9, phase: 'recovering' })).toBe(1)
    expect(after({ evaluatedAwakeMs: 8 }, { ...ended, phase: 'firing' })).toBe(0)
  })

  it.each([
    ['heartbeat-old', 100, true],
    ['rejected', 101, true],
    ['key-rejected', 100, true],
    // It began before the recovery, or no answer shows that it is a separate problem.
    ['heartbeat-old', 99, false],
    ['unreachable', 101, false],
  ] as const)('after recovery at 100 ms spares %s bad since %d: %s', (kind, at, isOwn) => {
    const ending: Instance = { ...down, phase: 'recovering', goodSinceWallMs: 100 }
    const late = onNode(0, { kind, badSinceWallMs: at })
    const reach = { [down.id]: [keyOf(0)] }
    expect(by([ending, late], reach)).toEqual(isOwn ? {} : { [late.id]: down.id })
    // An alarm that fires again inhibits all that it inhibited before.
    expect(by([{ ...ending, phase: 'firing' }, late], reach)).toEqual({ [late.id]: down.id })
  })

  it('comes from the widest cause: the network, then the key, then the service', () => {
    const reach = { [down.id]: [keyOf(0)], [refused.id]: [keyOf(0)], [network.id]: [keyOf(0)] }
    expect(by([single, down, refused, network], reach)).toEqual({
      [single.id]: network.id,
      [down.id]: network.id,
      [refused.id]: network.id,
    })
    expect(by([single, down, refused], reach)).toEqual({ [single.id]: refused.id, [down.id]: refused.id })
  })

  it('stays within one service; the network inhibits the services whose nodes it covers, or all if its reach is unknown', () => {
    const elsewhere = firing({ subject: service(OTHER), kind: 'unreachable' })
    expect(by([refused, elsewhere], { [elsewhere.id]: [keyOf(5)], [refused.id]: [keyOf(0)] })).toEqual({})
    expect(by([refused, elsewhere], { [elsewhere.id]: [], [refused.id]: [keyOf(0)] })).toEqual({})
    expect(by([network, elsewhere])).toEqual({ [elsewhere.id]: network.id })
    expect(by([refused, down])).toEqual({ [down.id]: refused.id })
    expect(
      by([network, elsewhere], { [network.id]: [keyOf(5), keyOf(6)], [elsewhere.id]: [keyOf(5)] }),
    ).toEqual({ [elsewhere.id]: network.id })
    expect(
      by([network, elsewhere], { [network.id]: [keyOf(6)], [elsewhere.id]: [keyOf(5), keyOf(6)] }),
    ).toEqual({})
  })

  it.each(['throttled', 'not-saving', 'sound-blocked', 'clock-skew', 'round-too-long'] as const)(
    'never affects %s, nor comes from it',
    (kind) => {
      const own = firing({
        subject: kind === 'clock-skew' || kind === 'round-too-long' ? service() : SCREEN,
        kind,
      })
      expect(by([network, own])).toEqual({})
      expect(by([own, single], { [own.id]: [keyOf(0)] })).toEqual({})
    },
  )

  it('affects a blind alarm once each silent node has its own alarm, and never comes from it', () => {
    const blind = firing({ subject: service(), kind: 'blind' })
    const other = onNode(1, { kind: 'rejected' })
    const reach = { [blind.id]: [keyOf(0), keyOf(1)] }
    expect(by([blind, single, other], reach)).toEqual({ [blind.id]: single.id })
    expect(by([blind, single], reach)).toEqual({})
    expect(by([blind, single, { ...other, phase: 'pending' }], reach)).toEqual({})
    expect(by([blind, single, onNode(1, { kind: 'stake-below' })], reach)).toEqual({})
    expect(by([blind, single], { [blind.id]: [] })).toEqual({})
    expect(
      by([blind, { ...down, phase: 'recovering' }], { ...reach, [down.id]: [keyOf(0), keyOf(1)] }),
    ).toEqual({ [blind.id]: down.id })
  })
})

const entry = (given: Partial<Instance>, serviceMs?: number, note?: string) =>
  entryOf({
    instance: firing(given),
    transition: { name: 'raised', reason: 'bad-evidence', ...(note !== undefined && { note }) },
    at: { awakeMs: 1, wallMs: 500, serviceMs },
  })

it('the journal records the alarm, its transition with the reason, both clocks and what inhibits it', () => {
  expect(entry({ value: { unit: 'ms', value: 7 }, limit: { unit: 'ms', value: 5 } }, 600, 'words')).toEqual({
    wallMs: 500,
    serviceMs: 600,
    area: 'alarm',
    what: 'alarm-raised',
    serviceId: SERVICE,
    nodeKey: keyOf(0),
    facts: {
      alarm: `heartbeat-old ${keyOf(0)}`,
      kind: 'heartbeat-old',
      severity: 'warning',
      reason: 'bad-evidence',
      note: 'words',
      value: 7,
      valueUnit: 'ms',
      limit: 5,
      limitUnit: 'ms',
    },
  })
  const held = (name: 'raised' | 'worse' | 'relapsed' | 'recovering') =>
    entryOf({
      instance: firing({}),
      transition: { name, reason: 'bad-evidence' },
      at: { awakeMs: 1, wallMs: 500, serviceMs: undefined },
      inhibitedBy: 'bigger',
    }).facts?.['inhibitedBy']
  expect((['raised', 'worse', 'relapsed', 'recovering'] as const).map(held)).toEqual([
    'bigger',
    'bigger',
    'bigger',
    undefined,
  ])
  const screen = entry({ subject: SCREEN, kind: 'throttled', ruleId: 'own' })
  expect(Object.keys(screen)).toEqual(['wallMs', 'area', 'what', 'facts'])
  expect(screen.facts).toEqual({
    alarm: 'own screen ',
    kind: 'throttled',
    rule: 'own',
    severity: 'warning',
    reason: 'bad-evidence',
  })
  expect(entry({ subject: service(), kind: 'unreachable' })).not.toHaveProperty('nodeKey')
})
