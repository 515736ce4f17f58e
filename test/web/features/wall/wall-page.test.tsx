import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WallPage } from '#features/wall/wall-page.tsx'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { KeptEntry } from '#history/event-log.ts'
import { serviceIdOf } from '#record/service.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import {
  aFailingNode,
  aNode,
  aReading,
  aSnapshot,
  emptySeriesData,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { read } from '#test/support/texts-of.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { wallTexts } from '#texts/en-wall.ts'
import { formatCount } from '#texts/format.ts'
import { shellTexts } from '#texts/en-shell.ts'

const never = () => new Promise<never>(() => undefined)

function renderWall(path: string, options: FakeOptions = {}) {
  const dashboard = fakeDashboard({ engine: { readEvents: never, readSeriesData: never }, ...options })
  const result = renderWith(
    dashboard,
    <EvaluationProvider>
      <WallPage />
    </EvaluationProvider>,
    path,
  )
  return { ...result, dashboard }
}

const wall = () => document.querySelector('.wall')
const bar = () => document.querySelector('.wall-bar')?.textContent

const textsIn = (css: string) => Array.from(document.querySelectorAll(css), ({ textContent }) => textContent)
const named = (count: number, fields: Parameters<typeof aNode>[0] = {}) =>
  Array.from({ length: count }, (_, place) =>
    aNode({ nodeId: `0x${String(place).padStart(4, '0')}`, name: `vela-${place}`, ...fields }),
  )
const three = (fields?: Parameters<typeof aNode>[0]) => {
  const [one, two, last] = named(3, fields)
  if (one === undefined || two === undefined || last === undefined) throw new Error('no nodes')
  return [one, two, last] as const
}
const subjectOf = ({ key, serviceId }: NodeLive) => ({ kind: 'node', node: key, serviceId }) as const
const LATE = aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 90 } })

beforeEach(() => {
  document.documentElement.removeAttribute('data-theme')
})

describe('the wall screen', () => {
  it('counts a node once if it is polled both without an id and by its id', () => {
    renderWall('/wall', { snapshot: aSnapshot([aNode({ nodeId: undefined }), aNode()]) })
    const shown = document.querySelector('.wall')?.textContent
    expect(document.querySelector('.wall-ok')?.textContent).toBe(`1${wallTexts.within(1)}`)
    expect(shown).toContain(`${wallTexts.answeredLast}1 ${wallTexts.of(1)}`)
  })

  it('shows a locked key in large letters before the first answer, and in a bar above later values', () => {
    const keys = [{ ...A_KEY, custody: 'vault', locked: true }] as const
    const { dashboard } = renderWall('/wall', { keys, snapshot: aSnapshot([aNode({ reading: undefined })]) })
    expect(document.querySelector('.wall-ok .words')?.textContent).toContain(wallTexts.lacks.unlocking.title)
    expect(bar()).toContain(shellTexts.status.locked)
    dashboard.show({ ...aSnapshot(), revision: 2 })
    expect(bar()).toContain(shellTexts.status.locked)
    expect(document.querySelector('.wall-ok .words')).toBeNull()
  })

  it('reports a silent engine once a poll is long overdue', () => {
    const { dashboard } = renderWall('/wall', {
      snapshot: aSnapshot([aNode({ nextPollMs: NOW_MS + 1_000 })]),
    })
    expect(bar()).toBeUndefined()
    dashboard.advance(120_000)
    expect(read(bar())).toContain('This screen has received no data for 2 m')
    expect(document.querySelector('.wall-link')?.textContent).toContain('Not watching')
    act(() => dashboard.alarms.publish(anAlarmsView([anAlarm({ severity: 'critical' })])))
    expect(document.querySelector('.wall-link')?.textContent).toContain('Not watching')
  })

  it('shows each alarm’s value as a readable amount, cut after 24 characters', () => {
    const word = 'A'.repeat(40)
    const alarms = [
      anAlarm({ severity: 'warning', value: { unit: 'ms', value: 4_000_000 } }),
      anAlarm({
        id: 'left',
        kind: 'status-left',
        severity: 'warning',
        value: { unit: 'status', text: word },
      }),
    ]
    renderWall('/wall', { alarms: anAlarmsView(alarms) })
    expect(textsIn('.wall-list em').map(read)).toEqual(['1 h 06 m', `${'A'.repeat(24)}…`])
  })

  it('shows a recovering alarm as recovering, not as critical', () => {
    const line = (phase: 'firing' | 'recovering') => {
      const { unmount } = renderWall('/wall', {
        alarms: anAlarmsView([
          anAlarm({ phase }),
          anAlarm({ id: 'late', severity: 'info', kind: 'gap', subject: { kind: 'screen' } }),
        ]),
      })
      const found = document.querySelector('.wall-list li')
      const seen = [
        found?.querySelector('em')?.className,
        found?.querySelector('svg')?.classList.contains('unack'),
        found?.textContent.includes(alarmTexts.sub.recovering),
      ]
      unmount()
      return seen
    }
    expect(line('firing')).toEqual(['critical', true, false])
    expect(line('recovering')).toEqual(['', false, true])
  })

  it('lists five lines with their durations, nodes without an alarm included, and counts the rest', () => {
    const odd = named(4, { reading: LATE })
    const [first] = odd.map(subjectOf)
    const alarms = ['a', 'b', 'c', 'd'].map((id) =>
      anAlarm({ id, severity: 'warning', ...(first && { subject: first }), sinceWallMs: WALL_MS - 60_000 }),
    )
    renderWall('/wall', { snapshot: aSnapshot(odd), alarms: anAlarmsView(alarms) })
    const lines = textsIn('.wall-list li').map(read)
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^vela-0.*for 1 m/)
    expect(lines[4]).toMatch(/^vela-1.*1 m 30 s$/)
    expect(document.querySelector('.wall-foot')?.textContent).toContain(wallTexts.more(2))
  })

  it.each([
    [3, 3, 6],
    [30, 30, 0],
    [1_000, 0, 0],
  ])(
    'of %d healthy nodes names %d, with %d figures in all, above the network’s figures',
    (count, names, figures) => {
      renderWall('/wall', { snapshot: aSnapshot(named(count)) })
      expect(document.querySelector('.wall-ok')?.textContent).toContain(formatCount(count))
      expect(document.querySelectorAll('.wall-nodes li')).toHaveLength(names)
      expect(document.querySelectorAll('.wall-nodes dd')).toHaveLength(figures)
      expect(document.querySelectorAll('.wall-nodes svg.mosaic')).toHaveLength(names === 0 ? 1 : 0)
      expect(document.querySelectorAll('.wall-network dd').length).toBeGreaterThan(4)
    },
  )

  it('names the failing nodes of a large fleet instead of drawing its map', () => {
    renderWall('/wall', {
      snapshot: aSnapshot([...named(1_000), ...named(1_003, { reading: LATE }).slice(1_000)]),
    })
    const list = screen.getByRole('list', { name: wallTexts.mosaic(1_003, 3) })
    expect(within(list).getAllByRole('listitem')).toHaveLength(3)
    for (const name of ['vela-1000', 'vela-1001', 'vela-1002']) within(list).getByText(name)
    expect(document.querySelector('.mosaic')).toBeNull()
  })

  it('shows the age of a node’s outdated figures, and greys them', () => {
    const [first, second] = three()
    renderWall('/wall', {
      snapshot: aSnapshot([first, { ...second, reading: aReading({ agoMs: 252_000 }) }]),
    })
    const cells = textsIn('.wall-nodes li')
    expect(cells[0]).not.toContain('as of')
    expect(read(cells[1])).toContain(wallTexts.asOf('4 m 12 s'))
    const [current, , old] = document.querySelectorAll('.wall-nodes dd')
    expect([current?.className, old?.className]).toEqual(['', 'old'])
    expect(textsIn('.wall-nodes li:first-child :is(dt, dd)').map(read)).toEqual([
      'Status',
      'ACTIVE',
      'Heartbeat',
      '4 s',
    ])
  })

  it('lists active alarms by severity, acknowledged or not, without a bar for an acknowledged one', () => {
    const nodes = three()
    const acknowledged = { wallMs: WALL_MS }
    renderWall('/wall', {
      snapshot: aSnapshot(nodes),
      alarms: anAlarmsView([
        anAlarm({ id: 'a', severity: 'info', subject: subjectOf(nodes[0]) }),
        anAlarm({ id: 'b', severity: 'warning', subject: subjectOf(nodes[1]) }),
        anAlarm({ id: 'c', severity: 'critical', subject: subjectOf(nodes[2]), acknowledged }),
        anAlarm({ id: 'd', phase: 'cleared', subject: subjectOf(nodes[0]) }),
      ]),
    })
    expect(textsIn('.wall-list b')).toEqual(['vela-2', 'vela-1', 'vela-0'])
    expect(bar()).toBeUndefined()
  })

  it('lists a node once it is overdue for its first answer, not while it awaits that', () => {
    const [one, two, late] = three({ reading: undefined, nextPollMs: NOW_MS + 5_000 })
    const { dashboard } = renderWall('/wall', {
      snapshot: aSnapshot([one, two, { ...late, nextPollMs: NOW_MS - 120_000 }]),
      alarms: anAlarmsView([]),
    })
    expect(textsIn('.wall-list b')).toEqual(['vela-2'])
    expect(textsIn('.wall-tile.zero span')).toEqual(['critical', 'warning', 'info'])
    dashboard.advance(60_000)
    expect(textsIn('.wall-list b')).toEqual(['vela-0', 'vela-1', 'vela-2'])
  })

  it('says why and for how long a node without an alarm fails', () => {
    const [one, two, down] = three()
    const failing = aFailingNode(
      { kind: 'server-error', status: 503 },
      { nodeId: down.nodeId, name: 'vela-2' },
    )
    renderWall('/wall', { snapshot: aSnapshot([one, two, failing]), alarms: anAlarmsView([]) })
    expect(textsIn('.wall-list li').map(read)).toEqual(['vela-2HTTP 503 for 6 m 12 s'])
    expect(read(document.querySelector('.wall-foot')?.textContent)).toBe(
      `2${wallTexts.withinOf(3)}${wallTexts.answered}2${wallTexts.answeredOf(3)}`,
    )
  })

  it('shows a single node if every active alarm and problem concerns it, and otherwise the list', () => {
    const [one, two, last] = three()
    const urgent = anAlarm({ id: 'a', severity: 'critical', subject: subjectOf(one) })
    const listed = (alarms: readonly ReturnType<typeof anAlarm>[], other = two, path = '/wall') => {
      const { unmount } = renderWall(path, {
        snapshot: aSnapshot([one, other, last]),
        alarms: anAlarmsView(alarms),
      })
      const names = textsIn('.wall-list b')
      unmount()
      return names
    }
    expect(listed([urgent])).toEqual([])
    const info = anAlarm({ id: 'b', severity: 'info', subject: subjectOf(last) })
    expect(listed([urgent, info])).toEqual(['vela-0', 'vela-2'])
    const late = { ...two, reading: LATE }
    expect(listed([urgent], late)).toEqual(['vela-0', 'vela-1'])
    // What is wrong with a node that this wall does not show is not its concern.
    const shown = [one, last].map(({ key }) => encodeURIComponent(key)).join(',')
    expect(listed([urgent], late, `/wall?show=${shown}`)).toEqual([])
  })

  it.each([
    [4, 'warning', 0, 4],
    [4, 'warning', 1, 5],
    [4, 'warning', 2, 3],
    [3, 'critical', 0, 3],
    [4, 'critical', 0, 1],
    [9, 'warning', 0, 1],
  ] as const)(
    'splits %d grouped %s alarms, beside %d other nodes, into %d lines',
    (count, level, odd, lines) => {
      const nodes = named(count)
      const others = named(count + odd, { reading: LATE }).slice(count)
      const [first] = nodes
      if (first === undefined) throw new Error('no node')
      const group = anAlarm({ severity: level, subject: { kind: 'service', serviceId: first.serviceId } })
      const members = nodes.map(({ key }) => ({ ...group, id: `${group.id} ${key}`, node: key }))
      renderWall('/wall', {
        snapshot: aSnapshot([...nodes, ...others]),
        alarms: anAlarmsView([{ ...group, members, memberCount: count, nodes: nodes.map(({ key }) => key) }]),
      })
      expect(document.querySelectorAll('.wall-list li')).toHaveLength(lines)
    },
  )

  it('restarts its frozen-screen warning every second', () => {
    const { dashboard } = renderWall('/wall')
    const beat = () => document.querySelector('.wall-stuck')?.className
    const first = beat()
    dashboard.advance(1_000)
    expect(beat()).not.toBe(first)
    dashboard.advance(1_000)
    expect(beat()).toBe(first)
  })

  it('says that the node in its URL is not watched', () => {
    renderWall('/wall/nobody!0x01')
    screen.getByText(wallTexts.notWatched)
  })

  it('shows a node’s outdated status with its age and without a tick', () => {
    const node = aNode({ reading: aReading({ agoMs: 252_000 }) })
    renderWall(`/wall/${node.key}`, { snapshot: aSnapshot([node]) })
    screen.getByText('Status, last known')
    screen.getByText(wallTexts.ageOld('Heartbeat'))
    screen.getByText('as of 4 m 12 s ago')
    expect(document.querySelector('.wall-word')?.classList.contains('old')).toBe(true)
    expect(document.querySelector('.wall-word .glyph-ok')).toBeNull()
  })

  it('removes the age’s rail when the reading becomes outdated between two updates', () => {
    const { dashboard } = renderWall(`/wall/${aNode().key}`)
    expect(document.querySelector('.range-rail')).not.toBeNull()
    dashboard.advance(600_000)
    expect(document.querySelector('.range-rail')).toBeNull()
  })

  it('shows the alarm of a node’s own service, without a tick beside the status that it contradicts', () => {
    const { key, serviceId } = aNode()
    const view = (id: typeof serviceId) =>
      anAlarmsView([anAlarm({ subject: { kind: 'service', serviceId: id } })], { mutedUntilWallMs: 0 })
    const { alarms, ...others } = view(serviceIdOf('https://other.example'))
    const ofOthers = [...alarms, anAlarm({ id: 'b', subject: subjectOf(aNode({ nodeId: '0x02' })) })]
    const ofAnother = renderWall(`/wall/${key}`, { alarms: { ...others, alarms: ofOthers } })
    expect(bar()).toBeUndefined()
    expect(read(document.querySelector('.wall-word')?.nextSibling?.textContent)).toBe('for 8 d 5 h')
    expect(document.querySelector('.wall-word .glyph-ok')).not.toBeNull()
    ofAnother.unmount()
    renderWall(`/wall/${key}`, { alarms: view(serviceId) })
    expect(bar()).toContain('Heartbeat too old')
    expect(document.querySelector('.wall-word .glyph-ok')).toBeNull()
    screen.getByText(wallTexts.muted('00:00:00'))
  })

  it.each([
    [10, '7 in 10 m'],
    [56, '7 in 56 m'],
    [57, '7 /h'],
  ])('counts the events of %d answered minutes as %s', async (minutes, shown) => {
    const readSeriesData = async (query: SeriesQuery): Promise<SeriesData> => {
      const { fromMs, toMs } = query
      const spans = [
        { fromMs, toMs: toMs - minutes * 60_000, kind: minutes === 10 ? 'not-watched' : 'no-answer' },
        { fromMs: toMs - minutes * 60_000, toMs, kind: 'answered' },
      ] as const
      const empty = { bars: [], unwatched: [], restarts: new Float64Array() }
      const events = { id: 'threatResponses', kind: 'bars', increase: 7, ...empty } as const
      return { ...emptySeriesData(query), answered: 1, spans, metrics: [events] }
    }
    renderWall(`/wall/${aNode().key}`, { engine: { readEvents: never, readSeriesData } })
    await waitFor(() => expect(textsIn('.wall-numbers dd').map(read)).toContain(shown))
  })

  it.each([
    ['pointermove', fireEvent.pointerMove],
    ['pointerdown', fireEvent.pointerDown],
    ['keydown', fireEvent.keyDown],
  ])('shows its controls and the pointer for 8 s after a %s', (_event, touch) => {
    const { dashboard } = renderWall('/wall')
    expect(screen.queryByRole('navigation')).toBeNull()
    touch(document.body)
    screen.getByRole('navigation', { name: 'This wall screen' })
    dashboard.advance(7_999)
    expect(wall()?.classList.contains('touched')).toBe(true)
    dashboard.advance(1)
    expect(wall()?.classList.contains('touched')).toBe(false)
  })

  it('offers the exit from full screen in full screen', () => {
    // Full screen is missing in jsdom.
    const change = (to: Element | null): void => {
      Object.assign(document, { fullscreenEnabled: true, fullscreenElement: to })
      fireEvent(document, new Event('fullscreenchange'))
    }
    const exitFullscreen = vi.fn<() => Promise<void>>(() => Promise.reject(new Error('blocked')))
    Object.assign(document, { exitFullscreen })
    change(document.body)
    onTestFinished(() => void Object.assign(document, { fullscreenEnabled: false, fullscreenElement: null }))
    renderWall('/wall')
    fireEvent.pointerMove(document.body)
    fireEvent.click(screen.getByRole('button', { name: wallTexts.bar.endFull }))
    expect(exitFullscreen).toHaveBeenCalledOnce()
    change(null)
    screen.getByRole('button', { name: wallTexts.bar.full })
  })

  it('steps through its views, and leads back to the list of nodes', () => {
    const [one, two, last] = three()
    const views = ['fleet', one.key, two.key].map(encodeURIComponent).join(',')
    renderWall(`/wall?show=${views}`, { snapshot: aSnapshot([one, two, last]) })
    fireEvent.pointerMove(document.body)
    const title = () => screen.getByRole('heading', { level: 1 }).textContent
    const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
    expect(title()).toBe(wallTexts.allNodes)
    press(wallTexts.bar.next)
    expect(title()).toBe('vela-0')
    press(wallTexts.bar.previous)
    press(wallTexts.bar.previous)
    expect(title()).toBe('vela-1')
    const leave = screen.getByRole('link', { name: wallTexts.bar.leave })
    expect(leave.getAttribute('href')).toBe('#/nodes')
    expect(screen.queryByRole('button', { name: /^Acknowledge/ })).toBeNull()
  })

  it('acknowledges the critical alarms that its button counts, and is not dimmed until then', () => {
    const alarmAct = vi.fn<EngineCalls['alarmAct']>(async () => true)
    const engine = { readEvents: never, readSeriesData: never, alarmAct }
    const [a, b] = [anAlarm({ id: 'a' }), anAlarm({ id: 'b', kind: 'status-left' })]
    const warning = anAlarm({ id: 'c', severity: 'warning' })
    const acknowledged = { ...a, id: 'd', acknowledged: { wallMs: WALL_MS } }
    const { dashboard } = renderWall('/wall?dim=00:00-00:00', {
      alarms: anAlarmsView([a, b, warning, acknowledged]),
      engine,
    })
    expect(wall()?.classList.contains('dim')).toBe(false)
    fireEvent.pointerMove(document.body)
    fireEvent.click(screen.getByRole('button', { name: wallTexts.bar.acknowledge(2) }))
    expect(alarmAct).toHaveBeenCalledExactlyOnceWith({ act: 'acknowledge', ids: ['a', 'b'] })
    dashboard.advance(8_000)
    act(() => dashboard.alarms.publish(anAlarmsView([warning])))
    expect(wall()?.classList.contains('dim')).toBe(true)
  })

  it('says since when all has been well', async () => {
    const entry: KeptEntry = { id: '1', wallMs: WALL_MS - 7_200_000, area: 'alarm', what: 'alarm-cleared' }
    const readEvents = async () => ({ entries: [entry], before: undefined })
    renderWall('/wall?time=utc', { engine: { readEvents, readSeriesData: never } })
    await screen.findByText((text) => read(text) === wallTexts.quietFor('2 h 00 m', '12:02:35'))
  })

  it('has the zone of its URL before that of the settings, and names the options that it does not know', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const settings = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, timeZone: 'utc' as const } }
    const ofSettings = renderWall('/wall?shift=off', { settings })
    expect(textsIn('.wall-time')).toEqual(['14:02:35UTC'])
    expect(document.querySelector<HTMLElement>('.wall-page')?.style.transform).toBe('translate(0px, 0px)')
    ofSettings.unmount()
    renderWall('/wall?time=local&colour=red', { settings })
    expect(textsIn('.wall-time')[0]).toMatch(/GMT\+9$/)
    expect(document.querySelector<HTMLElement>('.wall-page')?.style.transform).not.toBe('translate(0px, 0px)')
    expect(textsIn('.wall-foot span')).toEqual([wallTexts.awake.unsupported, wallTexts.odd('colour=red')])
  })

  it('has the theme of its URL until it is left, and is dimmed in its hours until somebody touches it', () => {
    const { unmount } = renderWall('/wall?dim=00:00-00:00&theme=light')
    expect(document.documentElement.getAttribute('data-theme')).toBe('light')
    expect(wall()?.classList.contains('dim')).toBe(true)
    fireEvent.pointerMove(document.body)
    expect(wall()?.classList.contains('dim')).toBe(false)
    unmount()
    expect(document.documentElement.getAttribute('data-theme')).not.toBe('light')
  })
})
