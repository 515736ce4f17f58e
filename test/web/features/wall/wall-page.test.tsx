import { fireEvent, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { WallPage } from '#features/wall/wall-page.tsx'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { aNode, aReading, aSnapshot, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'
import { wallTexts } from '#texts/en-wall.ts'
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
    expect(document.querySelector('.wall-word .g-ok')).toBeNull()
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
