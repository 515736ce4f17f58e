import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { AlarmSettingsSchema } from '#settings/schema.ts'
import { localOffsetMs, openWindows, windowTimes } from '#alarms/maintenance-windows.ts'
import { BASE } from '#test/core/monitor/watch.ts'
import { judge } from './evaluated.ts'
import { inZone } from '#test/support/in-zone.ts'

const EVERY_MS = 15_000
const settings = (rule: object, maintenance: readonly object[] = []) =>
  v.parse(AlarmSettingsSchema, {
    rules: [{ id: 'mine', scope: { for: 'all' }, severity: 'critical', ...rule }],
    maintenance,
  })

const HOLD = { forMs: 30_000 }
const KEEP = { keepFiringForMs: 30_000 }
const TWO_OF_THREE = { raiseAfter: { polls: 2, of: 3 } }
const rate = (side: 'above' | 'below', limit: number) => ({
  metric: 'threatResponses',
  test: `rate-${side}`,
  limit,
  windowMs: 60_000,
})
const RATE = rate('above', 59)
const STUCK = { metric: 'threatResponses', test: 'stuck', windowMs: 60_000 }
const CHANGED = { metric: 'stake', test: 'changed' }
const STAKE = { metric: 'stake', test: 'below', limit: '1000' }
const ABOVE = { metric: 'participation', test: 'above', limit: 0.95 }
const P95 = { metric: 'answerTime', test: 'p95-above', limit: 99 }
const UNCHANGED = { metric: 'proof', test: 'unchanged', limit: 44_000 }
/** A rule that is raised by the first bad poll. */
const once = (condition: object) => ({ condition, raiseAfter: { polls: 1, of: 1 } })
const SLOW = { metric: 'answerTime', test: 'p95-above', limit: 500, windowMs: 70_000 }
const below = { metric: 'participation', test: 'below', limit: 0.9, deadband: 0.05 }
/** Above the limit of the built-in rule. */
const high = { ...below, limit: 0.99 }

/** `[rule, series, polls, the phase of its alarm after them]`. */
type Row = readonly [rule: object, series: string, polls: number, phase: string | undefined]

describe('operator rules', () => {
  it.each<Row>([
    [{ condition: below }, 'part=0.9', 4, undefined],
    [{ condition: below }, 'part=0.899', 1, 'pending'],
    [{ condition: below }, 'part=0.899', 2, 'firing'],
    // Within the deadband the previous state holds, on either side.
    [{ condition: below }, 'part=0.8x2 part=0.949', 6, 'firing'],
    [{ condition: below }, 'part=0.8x2 part=0.95', 3, 'recovering'],
    [{ condition: below }, 'part=0.8x2 part=0.95x2', 4, 'cleared'],
    [{ condition: below }, 'part=0.8x2 part=0.95x2 part=0.92', 6, 'cleared'],
    // While the state is unknown, an alarm neither clears nor resets, and its timers stand still.
    [{ condition: below, ...HOLD }, 'part=0.8', 2, 'pending'],
    [{ condition: below, ...HOLD }, 'part=0.8', 3, 'firing'],
    [{ condition: below, ...HOLD }, 'part=0.8 err500 part=0.8', 3, 'pending'],
    [{ condition: below }, 'part=0.8x2 html', 4, 'firing'],
    [{ condition: below, ...KEEP }, 'part=0.8x2 okx9', 4, 'recovering'],
    [{ condition: below, ...KEEP }, 'part=0.8x2 okx9', 5, 'cleared'],
    [{ condition: below, ...TWO_OF_THREE }, 'part=0.8 ok part=0.8', 3, 'firing'],
    [{ condition: below, ...TWO_OF_THREE }, 'part=0.8 okx2 part=0.8', 4, 'pending'],
    [{ condition: ABOVE }, 'part=0.951', 2, 'firing'],
    [{ condition: ABOVE }, 'part=0.95', 2, undefined],
    [{ condition: STAKE }, 'stake=999', 2, 'firing'],
    [{ condition: STAKE }, 'stake=1000', 2, undefined],
    [{ condition: { ...STAKE, deadband: '0.5' } }, 'stake=9x2 stake=1000', 4, 'firing'],
    [{ ...once(CHANGED), clearAfter: 1 }, 'stake=9x3 stake=10', 4, 'firing'],
    [{ ...once(CHANGED), clearAfter: 1 }, 'stake=9x3 stake=10', 5, 'cleared'],
    [once(CHANGED), 'stake=9', 3, undefined],
    [once(STUCK), 'threats=7', 4, undefined],
    [once(STUCK), 'threats=7', 5, 'firing'],
    [once(rate('above', 59)), 'threats=0x4 threats=1', 5, 'firing'],
    [once(rate('above', 60)), 'threats=0x4 threats=1', 5, undefined],
    // A counter that falls with its service's clock has not restarted; one that falls alone has.
    [once(rate('above', 59)), 'threats=500x4 threats=400,clock=-3600', 9, undefined],
    [once(rate('above', 59)), 'threats=500x4 threats=400', 5, 'firing'],
    [once(rate('below', 61)), 'threats=0x4 threats=1', 5, 'firing'],
    [once(P95), 'ACTIVE,lat=100', 4, undefined],
    [once(P95), 'ACTIVE,lat=100', 5, 'firing'],
    // A rate of 240/h over the first 15 s does not count before the window of a minute is full.
    [once(RATE), 'threats=0 threats=1x9', 4, undefined],
    [once(RATE), 'threats=0 threats=1x9', 5, 'firing'],
    // The 95th percentile of five values is the highest; a sixth is older than the window.
    [once(SLOW), 'ACTIVE,lat=100x4 ACTIVE,lat=900', 5, 'firing'],
    [once(SLOW), 'ACTIVE,lat=900 ACTIVE,lat=100x5', 5, 'firing'],
    [once(SLOW), 'ACTIVE,lat=900 ACTIVE,lat=100x5', 6, 'recovering'],
    [once(UNCHANGED), 'proof=0xaa', 3, undefined],
    [once(UNCHANGED), 'proof=0xaa', 4, 'firing'],
    [{ condition: { metric: 'proof', test: 'wrong' } }, 'ok', 4, undefined],
    [{ condition: below, off: true }, 'part=0.1', 4, undefined],
    [{ condition: below, scope: { for: 'tag', tag: 'eu' } }, 'part=0.1', 4, undefined],
    [{ condition: below, scope: { for: 'service', service: BASE } }, 'part=0.1', 4, 'firing'],
    [{ condition: below, scope: { for: 'node', service: BASE, node: '0x0001' } }, 'part=0.1', 4, 'firing'],
    [{ condition: below, scope: { for: 'node', service: BASE, node: '0x0002' } }, 'part=0.1', 4, undefined],
  ])('%j on %s: after %i polls %s', async (rule, series, polls, phase) => {
    const screen = judge(series)
    screen.alarms.configure(settings(rule))
    await screen.clock.advance((polls - 1) * EVERY_MS + 2_000)
    expect(screen.view().alarms.find(({ ruleId }) => ruleId === 'mine')?.phase).toBe(phase)
  })

  it('a removed rule closes its alarm and notifies a recovery', async () => {
    const screen = judge('part=0.95')
    screen.alarms.configure(settings({ condition: high, todo: 'call Ada' }))
    await screen.clock.advance(4 * EVERY_MS)
    expect(screen.view().alarms[0]).toMatchObject({ ruleId: 'mine', todo: 'call Ada', notified: true })
    screen.alarms.configure({ rules: [], maintenance: [], builtIn: [] })
    expect(screen.view().alarms).toEqual([])
    expect(screen.steps.at(-1)?.transition).toEqual({ name: 'closed', reason: 'rule-removed' })
    expect(screen.notices.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'problem raised',
      'recovery rule-removed',
    ])
  })

  it('F 137: maintenance suppresses notifications; an alarm that outlasts it is notified', async () => {
    const screen = judge('part=0.95')
    const nowMs = screen.clock.wallMs()
    const window = {
      id: 'window',
      scope: { for: 'all' },
      when: { kind: 'once', fromMs: nowMs, toMs: nowMs + 120_000 },
    }
    screen.alarms.configure(settings({ condition: high }, [window]))
    await screen.clock.advance(119_000)
    expect(screen.view()).toMatchObject({ counts: { critical: 0 }, alarms: [{ maintenance: true }] })
    expect(screen.notices).toEqual([])
    await screen.clock.advance(40_000)
    expect(screen.view()).toMatchObject({ counts: { critical: 1 }, alarms: [{ maintenance: false }] })
    expect(screen.notices).toHaveLength(1)
    expect(screen.names()).toContain('participation-below maintenance-ended')
  })
})

describe('an alarm after a change of its rule', () => {
  const EU = { id: '0x0001', service: BASE, tags: ['eu'] }
  const raised = async (rule: object = {}) => {
    const screen = judge('RETIRED,part=0.95', { nodes: [EU] })
    screen.alarms.configure(settings({ condition: high, ...rule }))
    await screen.clock.advance(2 * EVERY_MS)
    const on = () =>
      screen
        .view()
        .alarms.filter(({ phase }) => phase === 'firing')
        .map(({ ruleId }) => ruleId)
        .toSorted()
    expect(on()).toEqual(['mine', 'status-left'])
    return { ...screen, reload: screen.reload, on }
  }

  it.each<[string, object, boolean]>([
    ['only its limit changes', { condition: { ...high, limit: 0.5 } }, true],
    ['its scope narrows to the service of its node', { scope: { for: 'service', service: BASE } }, true],
    ['its scope becomes a tag of its node', { scope: { for: 'tag', tag: 'eu' } }, true],
    ['its scope becomes a tag that its node lacks', { scope: { for: 'tag', tag: 'us' } }, false],
    ['its scope becomes another node', { scope: { for: 'node', service: BASE, node: '0x0002' } }, false],
    [
      'its scope becomes the node of that id at another service',
      { scope: { for: 'node', service: 'https://other.example', node: '0x0001' } },
      false,
    ],
    ['it tests its metric differently', { condition: { ...high, test: 'above' } }, false],
    ['it tests another metric', { condition: { metric: 'answerTime', test: 'above', limit: 9 } }, false],
    ['it is disabled', { off: true }, false],
    ['another rule replaces it', { id: 'other' }, false],
  ])('when %s, stays: %s (an alarm of a built-in rule always stays)', async (_, rule, stays) => {
    const { alarms, on } = await raised()
    alarms.configure(settings({ condition: high, ...rule }))
    expect(on()).toEqual(stays ? ['mine', 'status-left'] : ['status-left'])
  })

  it('stays across a reload, before the tags of its node are known', async () => {
    const rule = { scope: { for: 'tag', tag: 'eu' } }
    const { reload, on, names } = await raised(rule)
    reload(settings({ condition: high, ...rule }))
    expect(on()).toEqual(['mine', 'status-left'])
    expect(names().filter((name) => name.endsWith('closed'))).toEqual([])
  })
})

it('consecutive maintenance windows record their start and end for each alarm that they cover', async () => {
  const screen = judge(['part=0.95', 'part=0.95'])
  const startMs = screen.clock.wallMs()
  const window = (id: string, node: string, fromS: number, toS: number) => ({
    id,
    scope: { for: 'node', service: BASE, node },
    when: { kind: 'once', fromMs: startMs + fromS * 1_000, toMs: startMs + toS * 1_000 },
  })
  screen.alarms.configure(
    settings({ condition: high }, [
      window('first', '0x0001', 60, 120),
      window('second', '0x0002', 120, 180),
      window('elsewhere', '0x00ff', 180, 300),
      window('third', '0x0001', 180, 240),
      window('fourth', '0x0002', 240, 300),
    ]),
  )
  const told = async (ms: number) => {
    screen.steps.length = 0
    await screen.clock.advance(ms)
    return screen.steps.flatMap(({ instance: { subject }, transition: { name, reason } }) =>
      reason === 'maintenance-window' && subject.kind === 'node' ? [`${subject.node.slice(-1)} ${name}`] : [],
    )
  }
  expect(await told(59_000)).toEqual([])
  expect(await told(2_000)).toEqual(['1 maintenance-began'])
  expect(await told(58_000)).toEqual([])
  expect(await told(2_000)).toEqual(['1 maintenance-ended', '2 maintenance-began'])
  expect(await told(60_000)).toEqual(['1 maintenance-began', '2 maintenance-ended'])
  expect(await told(60_000)).toEqual(['1 maintenance-ended', '2 maintenance-began'])
  expect(await told(60_000)).toEqual(['2 maintenance-ended'])
})

it.each([
  [999, false],
  [1_000, true],
  [1_999, true],
  [2_000, false],
])('a window from 1,000 to 2,000 ms is open at %i: %s', (wallMs, isOpen) => {
  const windows = v.parse(AlarmSettingsSchema, {
    maintenance: [{ id: 'w', scope: { for: 'all' }, when: { kind: 'once', fromMs: 1_000, toMs: 2_000 } }],
  }).maintenance
  expect(openWindows(windows, wallMs)).toEqual(isOpen ? windows : [])
})

describe('a weekly window', () => {
  const weekly = (days: readonly number[], startMinute: number, minutes: number, zone = 'utc') =>
    v.parse(AlarmSettingsSchema, {
      maintenance: [
        { id: 'w', scope: { for: 'all' }, when: { kind: 'weekly', days, startMinute, minutes, zone } },
      ],
    }).maintenance
  /** A Saturday. */
  const at = (time: string) => Date.parse(`2026-11-21T${time}Z`)

  it.each([
    [weekly([6], 60, 30), '00:59:59', false],
    [weekly([6], 60, 30), '01:00:00', true],
    [weekly([6], 60, 30), '01:29:59', true],
    [weekly([6], 60, 30), '01:30:00', false],
    [weekly([5], 60, 30), '01:10:00', false],
    // Starts on Friday evening.
    [weekly([5], 1_380, 120), '00:59:59', true],
    [weekly([5], 1_380, 120), '01:00:00', false],
    // One o'clock in a zone two hours ahead of UTC.
    [weekly([6], 60, 30, 'local'), '01:10:00', false],
    [weekly([6], 190, 30, 'local'), '01:10:00', true],
  ])('%j at %s is open: %s', (windows, time, isOpen) => {
    expect(openWindows(windows, at(time), () => 7_200_000)).toEqual(isOpen ? windows : [])
  })
})

describe('the times of a window within a range', () => {
  const HOUR = 3_600_000
  type When = Parameters<typeof windowTimes>[0]
  const weekly = (
    days: number[],
    startMinute: number,
    minutes: number,
    zone: 'utc' | 'local' = 'utc',
  ): When => ({
    kind: 'weekly',
    days,
    startMinute,
    minutes,
    zone,
  })
  const range = (from: string, to: string) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })
  const inWords = (times: ReturnType<typeof windowTimes>) =>
    times.map(({ fromMs, toMs }) => `${new Date(fromMs).toISOString()} ${(toMs - fromMs) / HOUR} h`)

  it('are clipped to the range', () => {
    const friday = weekly([5], 1_380, 120)
    expect(inWords(windowTimes(friday, range('2026-11-14T00:00Z', '2026-11-27T23:30Z'), () => 0))).toEqual([
      '2026-11-14T00:00:00.000Z 1 h',
      '2026-11-20T23:00:00.000Z 2 h',
      '2026-11-27T23:00:00.000Z 0.5 h',
    ])
    const single = { kind: 'once', ...range('2026-11-14T00:00Z', '2026-11-15T00:00Z') } as const
    expect(windowTimes(single, range('2026-11-15T00:00Z', '2026-11-16T00:00Z'), () => 0)).toEqual([])
  })

  it('follow the local clock when daylight saving ends', () => {
    // Central Europe: UTC+2 until 25 October 2026 01:00 UTC, then UTC+1.
    const offset = (wallMs: number) => (wallMs < Date.parse('2026-10-25T01:00Z') ? 2 : 1) * HOUR
    const nightly = weekly([0, 6], 240, 60, 'local')
    expect(inWords(windowTimes(nightly, range('2026-10-24T00:00Z', '2026-10-26T00:00Z'), offset))).toEqual([
      '2026-10-24T02:00:00.000Z 1 h',
      '2026-10-25T03:00:00.000Z 1 h',
    ])
  })

  it.each([
    ['America/New_York', '2026-03-08', 150, '2026-03-08T07:00:00.000Z 3 h'],
    ['America/New_York', '2026-11-01', 90, '2026-11-01T05:30:00.000Z 3 h'],
    ['Europe/Berlin', '2026-03-29', 90, '2026-03-29T00:30:00.000Z 3 h'],
    ['America/Nuuk', '2026-03-28', 1_410, '2026-03-29T01:00:00.000Z 3 h'],
    ['Australia/Lord_Howe', '2026-04-05', 105, '2026-04-04T14:45:00.000Z 3 h'],
  ])('last their minutes once on a day with a change of the clock: %s, %s', (zone, day, start, expected) => {
    const midnightMs = Date.parse(day)
    const days = { fromMs: midnightMs - 2 * 24 * HOUR, toMs: midnightMs + 3 * 24 * HOUR }
    const times = (startMinute: number, minutes: number) =>
      windowTimes(
        weekly([new Date(midnightMs).getUTCDay()], startMinute, minutes, 'local'),
        days,
        localOffsetMs,
      )
    inZone(zone, () => {
      expect(inWords(times(start, 180))).toEqual([expected])
      for (let minute = 0; minute < 1_440; minute += 15)
        expect(times(minute, 1_440).map(({ fromMs, toMs }) => toMs - fromMs)).toEqual([24 * HOUR])
    })
  })
})
