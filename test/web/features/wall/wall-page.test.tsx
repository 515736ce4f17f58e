import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WallPage } from '#features/wall/wall-page.tsx'
import type { SeriesData, SeriesQuery } from '#charts/charts.ts'
import type { NodeLive } from '#fleet/live.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aReading, aSnapshot, emptySeriesData, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'
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
/** Three of them. */
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

describe('a wall screen', () => {
  it('counts a node once that is asked without an id and by its id', () => {
    renderWall('/wall', { snapshot: aSnapshot([aNode({ nodeId: undefined }), aNode()]) })
    const shown = document.querySelector('.wall')?.textContent
    expect(document.querySelector('.wall-ok')?.textContent).toBe(`1${wallTexts.within(1)}`)
    expect(shown).toContain(`${wallTexts.answeredLast}1 ${wallTexts.of(1)}`)
  })

  it('says in large letters that it is locked, when nothing is known yet, and else beside what is', () => {
    const keys = [{ ...A_KEY, custody: 'vault', locked: true }] as const
    const { dashboard } = renderWall('/wall', { keys, snapshot: aSnapshot([aNode({ reading: undefined })]) })
    expect(document.querySelector('.wall-ok .words')?.textContent).toContain(wallTexts.lacks.unlocking.title)
    expect(bar()).toContain(shellTexts.status.locked)
    dashboard.show({ ...aSnapshot(), revision: 2 })
    expect(bar()).toContain(shellTexts.status.locked)
    expect(document.querySelector('.wall-ok .words')).toBeNull()
  })

  it('says that its engine is silent when a request is long overdue', () => {
    const { dashboard } = renderWall('/wall', {
      snapshot: aSnapshot([aNode({ nextPollMs: NOW_MS + 1_000 })]),
    })
    expect(bar()).toBeUndefined()
    dashboard.advance(120_000)
    expect(read(bar())).toContain('This screen has received no data for 2 m')
    expect(document.querySelector('.wall-link')?.textContent).toContain('Not watching')
  })

  it('lists what is wrong with its value as a person writes it, and no more of a long one than fits', () => {
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

  it('shows an alarm that recovers as that, and not as one that is critical now', () => {
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

  it('names what no alarm speaks of too, however many alarms a node has, since when they are on, and how many more there are', () => {
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
    'of %d quiet nodes names %d, with %d figures in all, and the network’s figures',
    (count, names, figures) => {
      renderWall('/wall', { snapshot: aSnapshot(named(count)) })
      expect(document.querySelector('.wall-ok')?.textContent).toContain(formatCount(count))
      expect(document.querySelectorAll('.wall-nodes li')).toHaveLength(names)
      expect(document.querySelectorAll('.wall-nodes dd')).toHaveLength(figures)
      expect(document.querySelectorAll('.wall-nodes svg.mosaic')).toHaveLength(names === 0 ? 1 : 0)
      expect(document.querySelectorAll('.wall-network dd').length).toBeGreaterThan(4)
    },
  )

  it('of many nodes names those that fail in the place of a map', () => {
    renderWall('/wall', {
      snapshot: aSnapshot([...named(1_000), ...named(1_003, { reading: LATE }).slice(1_000)]),
    })
    const list = screen.getByRole('list', { name: wallTexts.mosaic(1_003, 3) })
    expect(within(list).getAllByRole('listitem')).toHaveLength(3)
    for (const name of ['vela-1000', 'vela-1001', 'vela-1002']) within(list).getByText(name)
    expect(document.querySelector('.mosaic')).toBeNull()
  })

  it('says beside a node’s last known figures how old they are', () => {
    const [first, second] = three()
    renderWall('/wall', {
      snapshot: aSnapshot([first, { ...second, reading: aReading({ agoMs: 252_000 }) }]),
    })
    const cells = textsIn('.wall-nodes li')
    expect(cells[0]).not.toContain('as of')
    expect(read(cells[1])).toContain(wallTexts.asOf('4 m 12 s'))
  })

  it('lists the worst first, also when it is acknowledged and something less is not', () => {
    const nodes = three()
    const acknowledged = { wallMs: WALL_MS }
    renderWall('/wall', {
      snapshot: aSnapshot(nodes),
      alarms: anAlarmsView([
        anAlarm({ id: 'a', severity: 'info', subject: subjectOf(nodes[0]) }),
        anAlarm({ id: 'b', severity: 'warning', subject: subjectOf(nodes[1]) }),
        anAlarm({ id: 'c', severity: 'critical', subject: subjectOf(nodes[2]), acknowledged }),
      ]),
    })
    expect(textsIn('.wall-list b')).toEqual(['vela-2', 'vela-1', 'vela-0'])
  })

  it('counts nodes whose first answer is awaited, and names one that is overdue', () => {
    const [one, two, late] = three({ reading: undefined, nextPollMs: NOW_MS + 5_000 })
    renderWall('/wall', {
      snapshot: aSnapshot([one, two, { ...late, nextPollMs: NOW_MS - 120_000 }]),
      alarms: anAlarmsView([]),
    })
    expect(textsIn('.wall-list b')).toEqual(['vela-2'])
  })

  it('shows the node itself where all that is wrong is about it alone, and otherwise names each', () => {
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
    [4, 'warning', 4],
    [4, 'critical', 1],
    [9, 'warning', 1],
  ] as const)('a group of %d %s alarms has %d lines: each while there is room', (count, level, lines) => {
    const nodes = named(count)
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    const group = anAlarm({ severity: level, subject: { kind: 'service', serviceId: first.serviceId } })
    const members = nodes.map(({ key }) => ({ ...group, id: `${group.id} ${key}`, node: key }))
    renderWall('/wall', {
      snapshot: aSnapshot(nodes),
      alarms: anAlarmsView([{ ...group, members, memberCount: count, nodes: nodes.map(({ key }) => key) }]),
    })
    expect(document.querySelectorAll('.wall-list li')).toHaveLength(lines)
  })

  it('begins the sign that it stands still anew each second', () => {
    const { dashboard } = renderWall('/wall')
    const beat = () => document.querySelector('.wall-stuck')?.className
    const first = beat()
    dashboard.advance(1_000)
    expect(beat()).not.toBe(first)
    dashboard.advance(1_000)
    expect(beat()).toBe(first)
  })

  it('names a node of its address that nobody watches', () => {
    renderWall('/wall/nobody!0x01')
    screen.getByText(wallTexts.notWatched)
  })

  it('shows a node’s last values as old, with their age, and no tick beside the word', () => {
    const node = aNode({ reading: aReading({ agoMs: 252_000 }) })
    renderWall(`/wall/${node.key}`, { snapshot: aSnapshot([node]) })
    screen.getByText('Status, last known')
    screen.getByText('as of 4 m 12 s ago')
    expect(document.querySelector('.wall-word')?.classList.contains('old')).toBe(true)
    expect(document.querySelector('.wall-word .glyph-ok')).toBeNull()
  })

  it('of one node shows its service’s alarm too, with no tick beside a word that the alarm contradicts', () => {
    const { key, serviceId } = aNode()
    const alarms = anAlarmsView([anAlarm({ subject: { kind: 'service', serviceId } })], {
      mutedUntilWallMs: 0,
    })
    renderWall(`/wall/${key}`, { alarms })
    expect(bar()).toContain('Heartbeat too old')
    expect(document.querySelector('.wall-word .glyph-ok')).toBeNull()
    screen.getByText(wallTexts.muted('00:00:00'))
  })

  it('counts events per hour only where the node answered the whole hour', async () => {
    const readSeriesData = async (query: SeriesQuery): Promise<SeriesData> => {
      const { fromMs, toMs } = query
      const spans = [
        { fromMs, toMs: toMs - 600_000, kind: 'no-answer' },
        { fromMs: toMs - 600_000, toMs, kind: 'answered' },
      ] as const
      return { ...emptySeriesData(query), answered: 1, spans }
    }
    renderWall(`/wall/${aNode().key}`, { engine: { readEvents: never, readSeriesData } })
    await screen.findByText('in 10 m')
  })

  it('has controls and a pointer for eight seconds after a touch', () => {
    const { dashboard } = renderWall('/wall')
    expect(screen.queryByRole('navigation')).toBeNull()
    fireEvent.pointerMove(document.body)
    screen.getByRole('navigation', { name: 'This wall screen' })
    dashboard.advance(7_999)
    expect(wall()?.classList.contains('touched')).toBe(true)
    dashboard.advance(1)
    expect(wall()?.classList.contains('touched')).toBe(false)
  })

  it('offers the way out of full screen when its controls appear in it', () => {
    // Full screen is missing in jsdom.
    Object.assign(document, { fullscreenEnabled: true, fullscreenElement: document.body })
    onTestFinished(() => void Object.assign(document, { fullscreenEnabled: false, fullscreenElement: null }))
    renderWall('/wall')
    fireEvent.pointerMove(document.body)
    screen.getByRole('button', { name: wallTexts.bar.endFull })
  })

  it('has the theme of its address until it is left, and is darker in its hours while nobody stands there', () => {
    const { unmount } = renderWall('/wall?dim=00:00-00:00&theme=light')
    expect(document.documentElement.getAttribute('data-theme')).toBe('light')
    expect(wall()?.classList.contains('dim')).toBe(true)
    fireEvent.pointerMove(document.body)
    expect(wall()?.classList.contains('dim')).toBe(false)
    unmount()
    expect(document.documentElement.getAttribute('data-theme')).not.toBe('light')
  })
})
