import { fireEvent, screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { WallPage } from '#features/wall/wall-page.tsx'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aReading, aSnapshot, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'
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

  it('says in large letters that it is locked, when nothing is known yet', () => {
    renderWall('/wall', {
      keys: [{ ...A_KEY, custody: 'vault', locked: true }],
      snapshot: aSnapshot([aNode({ reading: undefined })]),
    })
    expect(document.querySelector('.wall-ok .words')?.textContent).toContain(wallTexts.lacks.unlocking.title)
    expect(bar()).toContain(shellTexts.status.locked)
  })

  it('keeps what was known beside the word that it is locked', () => {
    renderWall('/wall', { keys: [{ ...A_KEY, custody: 'vault', locked: true }] })
    expect(bar()).toContain(shellTexts.status.locked)
    expect(document.querySelector('.wall-ok .words')).toBeNull()
  })

  it('says that its engine is silent when a request is long overdue', () => {
    const { dashboard } = renderWall('/wall', {
      snapshot: aSnapshot([aNode({ nextPollMs: NOW_MS + 1_000 })]),
    })
    expect(bar()).toBeUndefined()
    dashboard.advance(120_000)
    expect(bar()?.replaceAll('\u00a0', ' ')).toContain('No data from this screen’s engine for 2 m')
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
    const values = Array.from(document.querySelectorAll('.wall-list em'), ({ textContent }) => textContent)
    expect(values.map((text) => text.replaceAll('\u00a0', ' '))).toEqual(['1 h 06 m', `${'A'.repeat(24)}…`])
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

  it('names what no alarm speaks of too, since when alarms are on, and how many more there are', () => {
    const odd = Array.from({ length: 8 }, (_, place) =>
      aNode({
        nodeId: `0x0${place}`,
        key: aNode({ nodeId: `0x0${place}` }).key,
        name: `vela-${place}`,
        reading: aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 90 } }),
      }),
    )
    const [first] = odd
    if (first === undefined) throw new Error('no node')
    renderWall('/wall', {
      snapshot: aSnapshot(odd),
      alarms: anAlarmsView([
        anAlarm({
          severity: 'warning',
          subject: { kind: 'node', node: first.key, serviceId: first.serviceId },
          sinceWallMs: WALL_MS - 60_000,
        }),
      ]),
    })
    const lines = Array.from(document.querySelectorAll('.wall-list li'), ({ textContent }) =>
      textContent.replaceAll('\u00a0', ' '),
    )
    expect(lines).toHaveLength(5)
    expect(lines[0]).toMatch(/^vela-0.*for 1 m/)
    expect(lines[1]).toMatch(/^vela-1.*1 m 30 s$/)
    expect(document.querySelector('.wall-foot')?.textContent).toContain(wallTexts.more(3))
  })

  it('names every node that no alarm names, however many alarms another one has', () => {
    const nodes = ['1', '2'].map((id) =>
      aNode({
        nodeId: `0x0${id}`,
        key: aNode({ nodeId: `0x0${id}` }).key,
        name: `vela-${id}`,
        reading: aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 90 } }),
      }),
    )
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    const subject = { kind: 'node', node: first.key, serviceId: first.serviceId } as const
    renderWall('/wall', {
      snapshot: aSnapshot(nodes),
      alarms: anAlarmsView(['a', 'b', 'c'].map((id) => anAlarm({ id, severity: 'warning', subject }))),
    })
    expect(document.querySelector('.wall-list')?.textContent).toContain('vela-2')
  })

  const named = (count: number, fields: Parameters<typeof aNode>[0] = {}) =>
    Array.from({ length: count }, (_, place) => {
      const nodeId = `0x${String(place).padStart(4, '0')}`
      return aNode({ nodeId, key: aNode({ nodeId }).key, name: `vela-${place}`, ...fields })
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
    const old = aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 90 } })
    renderWall('/wall', {
      snapshot: aSnapshot([...named(1_000), ...named(1_003, { reading: old }).slice(1_000)]),
    })
    const list = screen.getByRole('list', { name: wallTexts.mosaic(1_003, 3) })
    expect(within(list).getAllByRole('listitem')).toHaveLength(3)
    for (const name of ['vela-1000', 'vela-1001', 'vela-1002']) within(list).getByText(name)
    expect(document.querySelector('.mosaic')).toBeNull()
  })

  it('says beside a node’s last known figures how old they are', () => {
    const [first, second] = [...named(1), ...named(2, { reading: aReading({ agoMs: 252_000 }) }).slice(1)]
    if (first === undefined || second === undefined) throw new Error('no nodes')
    renderWall('/wall', { snapshot: aSnapshot([first, second]) })
    const cells = Array.from(document.querySelectorAll('.wall-nodes li'), ({ textContent }) => textContent)
    expect(cells[0]).not.toContain('as of')
    expect(cells[1]?.replaceAll('\u00a0', ' ')).toContain(wallTexts.asOf('4 m 12 s'))
  })

  it('lists the worst first, also when it is acknowledged and something less is not', () => {
    const subjects = named(3).map(({ key, serviceId }) => ({ kind: 'node', node: key, serviceId }) as const)
    const [one, two, three] = subjects
    if (one === undefined || two === undefined || three === undefined) throw new Error('no nodes')
    renderWall('/wall', {
      snapshot: aSnapshot(named(3)),
      alarms: anAlarmsView([
        anAlarm({ id: 'a', severity: 'info', subject: one }),
        anAlarm({ id: 'b', severity: 'warning', subject: two }),
        anAlarm({ id: 'c', severity: 'critical', subject: three, acknowledged: { wallMs: WALL_MS } }),
      ]),
    })
    const names = Array.from(document.querySelectorAll('.wall-list b'), ({ textContent }) => textContent)
    expect(names).toEqual(['vela-2', 'vela-1', 'vela-0'])
  })

  it('counts nodes whose first answer is awaited, and names one that is overdue', () => {
    const fresh = { reading: undefined, nextPollMs: NOW_MS + 5_000 }
    const [one, two, three] = named(3, fresh)
    if (one === undefined || two === undefined || three === undefined) throw new Error('no nodes')
    renderWall('/wall', {
      snapshot: aSnapshot([one, two, { ...three, nextPollMs: NOW_MS - 120_000 }]),
      alarms: anAlarmsView([]),
    })
    const names = Array.from(document.querySelectorAll('.wall-list b'), ({ textContent }) => textContent)
    expect(names).toEqual(['vela-2'])
  })

  it('shows the node itself where all that is wrong is about it alone, and otherwise names each', () => {
    const [one, two, three] = named(3)
    if (one === undefined || two === undefined || three === undefined) throw new Error('no nodes')
    const of = ({ key, serviceId }: typeof one) => ({ kind: 'node', node: key, serviceId }) as const
    const urgent = anAlarm({ id: 'a', severity: 'critical', subject: of(one) })
    const listed = (alarms: readonly ReturnType<typeof anAlarm>[], other = two, path = '/wall') => {
      const { unmount } = renderWall(path, {
        snapshot: aSnapshot([one, other, three]),
        alarms: anAlarmsView(alarms),
      })
      const names = Array.from(document.querySelectorAll('.wall-list b'), ({ textContent }) => textContent)
      unmount()
      return names
    }
    expect(listed([urgent])).toEqual([])
    expect(listed([urgent, anAlarm({ id: 'b', severity: 'info', subject: of(three) })])).toEqual([
      'vela-0',
      'vela-2',
    ])
    const late = aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - 90 } })
    expect(listed([urgent], { ...two, ...named(2, { reading: late })[1] })).toEqual(['vela-0', 'vela-1'])
    // What is wrong with a node that this wall does not show is not its concern.
    const shown = [one, three].map(({ key }) => encodeURIComponent(key)).join(',')
    expect(listed([urgent], { ...two, ...named(2, { reading: late })[1] }, `/wall?show=${shown}`)).toEqual([])
  })

  it.each([
    [4, 4],
    [9, 1],
  ])('of a group of %d alarms shows %d lines: each while there is room', (count, lines) => {
    const nodes = named(count)
    const [first] = nodes
    if (first === undefined) throw new Error('no node')
    const group = anAlarm({ severity: 'warning', subject: { kind: 'service', serviceId: first.serviceId } })
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
    screen.getByText('Status, as last known')
    screen.getByText('as of 4 m 12 s ago')
    expect(document.querySelector('.wall-word')?.classList.contains('old')).toBe(true)
    expect(document.querySelector('.wall-word .glyph-ok')).toBeNull()
  })

  it('takes its theme from the address, and gives it back when it is left', () => {
    const { unmount } = renderWall('/wall?theme=light')
    expect(document.documentElement.getAttribute('data-theme')).toBe('light')
    unmount()
    expect(document.documentElement.getAttribute('data-theme')).not.toBe('light')
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

  it('takes turns with the views of its address, by the time alone', () => {
    const node = aNode({ name: 'vela' })
    const { dashboard } = renderWall(`/wall?show=fleet,${encodeURIComponent(node.key)}&every=5`, {
      snapshot: aSnapshot([node]),
    })
    const isNode = () => wall()?.textContent?.includes('All nodes') !== true
    const first = isNode()
    dashboard.advance(5_000)
    expect(isNode()).toBe(!first)
    dashboard.advance(5_000)
    expect(isNode()).toBe(first)
  })

  it('is darker in the hours that its address names, but not while somebody stands there', () => {
    renderWall('/wall?dim=00:00-00:00')
    expect(wall()?.classList.contains('dim')).toBe(true)
    fireEvent.pointerMove(document.body)
    expect(wall()?.classList.contains('dim')).toBe(false)
  })
})
