import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type NodeLive } from '#fleet/live.ts'
import { applyUpdate } from '#fleet/snapshot.ts'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmMember, AlarmView } from '#alarms/alarm.ts'
import type { SeriesQuery } from '#charts/charts.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { comparePath } from '#parts/compare-address.ts'
import { reportPath } from '#parts/report-address.ts'
import { openOverlay } from '#react/overlay.ts'
import { nodePath } from '#react/routes.ts'
import { Keyboard } from '#features/shell/keyboard.tsx'
import { fleetColumns, shownColumns } from '#features/fleet/fleet-columns.tsx'
import { METRICS } from '#metrics/metrics.ts'
import { FleetPage } from '#features/fleet/fleet-page.tsx'
import { anAlarm, anAlarmsView } from '#test/support/alarm-fixture.ts'
import { fakeDashboard, NO_SERVER, renderWith, type FakeDashboard } from '#test/support/fake-dashboard.tsx'
import {
  aNode,
  anEpisode,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  BASE_URL,
  emptySeriesData,
  NOW_MS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { filterTexts } from '#texts/en-filter.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formatPercent, formatSpan } from '#texts/format.ts'
import { paletteTexts } from '#texts/en-keyboard.ts'
import { fleetTexts } from '#texts/en-fleet.ts'
import { alarmTexts } from '#texts/en-alarms.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { savedViewTexts } from '#texts/en-saved-views.ts'
import { fleetOverviewTexts } from '#texts/en-fleet-overview.ts'
import { withAssessment } from '#test/support/evaluated.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { read, textsOf } from '#test/support/texts-of.ts'

const PageInApp = () => (
  <EvaluationProvider>
    <FleetPage />
  </EvaluationProvider>
)

beforeAll(giveLayout)
beforeAll(installDialog)

const named = (name: string, fields: Partial<NodeLive> = {}): NodeLive =>
  aNode({ nodeId: `0x${name.replace(/\D/g, '').padStart(2, '0')}`, name, ...fields })
const keyOf = (name: string) => named(name).key
const heartbeat = (agoS: number) => aReading({ fields: { last_heartbeat: WALL_MS / 1_000 - agoS } })

function renderFleet(nodes: readonly NodeLive[], path = '/nodes', alarms?: readonly AlarmView[]) {
  const dashboard = fakeDashboard({
    snapshot: aSnapshot(nodes),
    ...(alarms && { alarms: anAlarmsView(alarms) }),
  })
  return { ...renderWith(dashboard, <PageInApp />, path), dashboard }
}

/** Publishes an update of these nodes, 250 ms later. */
function update({ show, fleet }: FakeDashboard, nodes: readonly NodeLive[]) {
  const before = fleet.get()
  const changed = nodes.map((node) => withAssessment(node, aServiceLive()))
  const at = { revision: 2, nowMs: NOW_MS + 250, wallMs: WALL_MS + 250 }
  show(applyUpdate(before, { ...at, changed, screen: before.screen }))
}

/** The node rows, each as the texts of its cells without the selection checkbox. */
const rows = (): readonly (readonly string[])[] =>
  screen
    .getAllByRole('row')
    .slice(1)
    .filter((row) => !row.classList.contains('grp'))
    .map((row) => textsOf(within(row).getAllByRole('gridcell').slice(1)).map(read))
const names = () => rows().map((cells) => cells[1]?.split(' ')[0])

const CHOSEN = '/nodes?columns=status,condition,heartbeat,participation,reading'

describe('the node table', () => {
  it('sorts nodes by severity, then by name in natural order', () => {
    renderFleet([
      named('vela-10'),
      named('vela-2'),
      named('lyra-3', { reading: undefined, nextPollMs: NOW_MS - 600_000 }),
      named('orion-4', { reading: heartbeat(90) }),
      named('draco-5', { reading: heartbeat(300) }),
      named('norma-6', { reading: aReading({ fields: { status: 'DRAINING' } }) }),
    ])
    expect(names()).toEqual(['draco-5', 'orion-4', 'lyra-3', 'norma-6', 'vela-2', 'vela-10'])
  })

  it.each([
    [NOW_MS + 1_000, fleetToolTexts.heading.restAwaited, 1],
    [NOW_MS - 600_000, fleetToolTexts.heading.rest, 2],
  ])(
    'treats a node whose first answer is due at %i as needing attention only when overdue',
    async (nextPollMs, rest, found) => {
      renderFleet([
        ...Array.from({ length: 13 }, (_, place) => named(`vela-${place + 1}`)),
        named('lyra-30', { reading: undefined, nextPollMs }),
        named('draco-50', { reading: heartbeat(300) }),
      ])
      await screen.findByText(fleetToolTexts.heading.attentionNote(found))
      screen.getByText(rest, { selector: '.row-heading *' })
    },
  )

  it('shows the reported status, the condition and the age of the reading for each node', () => {
    renderFleet(
      [
        named('vela-7'),
        named('lyra-8', { episode: anEpisode({ kind: 'node-unknown' }), reading: undefined }),
      ],
      CHOSEN,
    )
    expect(rows()).toEqual([
      ['', 'lyra-8 0x08', 'unknown', 'Service: node not found', 'unknown', 'unknown', 'no status yet'],
      ['', 'vela-7 0x07', 'ACTIVE', 'Within limits', '4 s', '98.42 %', '2 s ago'],
    ])
    // The service does not know this node, so its condition is unknown.
    expect(screen.getByRole('img', { name: 'no data' })).toBeDefined()
  })

  it('shows for each node whether its alarm is unacknowledged, acknowledged or shelved', () => {
    const on = (name: string, fields: Partial<AlarmView>) =>
      anAlarm({
        id: name,
        subject: { kind: 'node', node: keyOf(name), serviceId: aServiceLive().id },
        ...fields,
      })
    const bad = ['vela-1', 'vela-2', 'vela-3', 'vela-4'].map((name) =>
      named(name, { reading: heartbeat(90) }),
    )
    renderFleet([...bad, named('vela-5')], '/nodes', [
      on('vela-1', {}),
      on('vela-2', { acknowledged: { wallMs: WALL_MS } }),
      on('vela-3', { shelved: { untilWallMs: WALL_MS + 1, reason: 'known' } }),
      on('vela-5', { phase: 'recovering' }),
    ])
    const marks = names().map((name, row) => [
      name,
      within(screen.getAllByRole('row')[row + 1] ?? document.body)
        .getAllByRole('img')[0]
        ?.getAttribute('aria-label'),
    ])
    expect(Object.fromEntries(marks)).toEqual({
      'vela-1': 'warning, unacknowledged',
      'vela-2': 'warning, acknowledged',
      'vela-3': 'shelved',
      'vela-4': 'warning',
      'vela-5': 'within limits',
    })
  })

  it('shows tags, and filters by the tag in the URL until that filter is cleared', async () => {
    const { addresses } = renderFleet(
      [named('vela-1', { tags: ['eu', 'gold'] }), named('vela-2', { tags: ['us'] }), named('vela-3')],
      '/nodes?tag=eu',
    )
    expect(names()).toEqual(['vela-1'])
    expect(rows()[0]?.[1]).toBe('vela-1 0x01 eu gold')
    expect(screen.getByRole('link', { name: 'gold' }).getAttribute('href')).toBe('#/nodes?tag=gold')
    await userEvent.click(await screen.findByRole('radio', { name: 'Critical' }))
    expect(addresses().at(-1)).toContain('tag=eu')
    await screen.findByText('No matching nodes with tag eu')
    await userEvent.click(screen.getByRole('button', { name: 'Tag eu: show all tags' }))
    await userEvent.click(screen.getByRole('radio', { name: 'All' }))
    expect(names()).toEqual(['vela-1', 'vela-2', 'vela-3'])
  })

  it('draws the last 24 hours of each node and advances them every 5 minutes', async () => {
    const ends = new Set<number>()
    const readSeriesData = async (query: SeriesQuery) => {
      ends.add(query.toMs)
      return { ...emptySeriesData(query), ...(query.node === keyOf('vela-1') && { notWatchedMs: 0 }) }
    }
    const snapshot = aSnapshot([named('vela-1'), named('vela-2')])
    const dashboard = fakeDashboard({ snapshot, engine: { readSeriesData } })
    renderWith(dashboard, <PageInApp />, '/nodes?columns=health')
    const { answered, notWatched } = fleetToolTexts.trend
    await waitFor(() => {
      dashboard.advance(1_000)
      const drawn = screen.getAllByRole('img', { name: /^Last 24/ }).map(({ ariaLabel }) => ariaLabel)
      expect(drawn).toEqual([answered(formatPercent(0)), notWatched])
    })
    dashboard.advance(300_000)
    await waitFor(() => expect(ends.size).toBe(2))
  })

  it('updates ages as time passes, and states the age of outdated values beside the name', () => {
    const { dashboard } = renderFleet([named('vela-7')], CHOSEN)
    dashboard.advance(3_000)
    expect(rows()[0]?.slice(4)).toEqual(['7 s', '98.42 %', '5 s ago'])
    dashboard.advance(60_000)
    expect(rows()[0]?.[1]).toContain(fleetTexts.asOf('1 m 05 s'))
  })

  it('moves a node up when its condition worsens, even without an update', () => {
    const { dashboard } = renderFleet([
      named('vela-1', { reading: aReading({ agoMs: 0 }) }),
      named('vela-2', { reading: heartbeat(55) }),
    ])
    expect(names()).toEqual(['vela-1', 'vela-2'])
    dashboard.advance(10_000)
    expect(names()).toEqual(['vela-2', 'vela-1'])
  })

  it('shows missing or unusable values as unknown, never as NaN, undefined or Infinity', () => {
    const body = '{"status":"","stake_deployed":null,"network_participation":1e99,"last_heartbeat":"x"}'
    renderFleet([named('vela-7', { reading: aReading({ body }) })])
    expect(rows()[0]?.slice(2, 6)).toEqual(['unknown', 'Status not usable', 'unknown', 'unknown'])
    expect(screen.getByRole('grid').textContent).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('shows every column, including the service, on a 1,440 px screen', () => {
    const all = fleetColumns(METRICS, true)
    expect(
      shownColumns(all, { columns: undefined }, { rem: 87, isCards: false }).map(({ id }) => id),
    ).toEqual(all.map(({ id }) => id))
  })

  it.each([
    [60, 1],
    [61, 0],
  ])('draws the map of %i nodes with %i strips', async (nodes, strips) => {
    const all = Array.from({ length: nodes }, (_, place) => named(`n-${place}`))
    renderFleet(all, '/nodes?condition=shelved')
    await screen.findByRole('listbox', { name: fleetOverviewTexts.overview.map(nodes) })
    expect(document.querySelectorAll('.fleet-overview.strip')).toHaveLength(strips)
  })

  it('opens a node when its row is clicked, and links its name to the node page', async () => {
    const { addresses } = renderFleet([named('vela-7')])
    expect(screen.getByRole('link', { name: 'vela-7' }).getAttribute('href')).toBe(
      `#${nodePath(keyOf('vela-7'))}`,
    )
    await userEvent.click(screen.getByText('ACTIVE'))
    expect(addresses().at(-1)).toBe(nodePath(keyOf('vela-7')))
  })

  it('filters by condition, puts the filter in the URL, and offers to show all nodes again', async () => {
    const { addresses } = renderFleet([named('vela-7'), named('lyra-8', { reading: heartbeat(300) })])
    await userEvent.click(await screen.findByRole('radio', { name: 'Critical' }))
    expect(names()).toEqual(['lyra-8'])
    expect(addresses().at(-1)).toBe('/nodes?condition=critical')
    await userEvent.click(screen.getByRole('radio', { name: 'Warning' }))
    expect(screen.getByText(fleetToolTexts.noMatch.warning)).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Show all nodes' }))
    expect(names()).toEqual(['lyra-8', 'vela-7'])
  })

  it('links to adding nodes when there are none', () => {
    renderFleet([])
    expect(screen.getByText('No nodes yet')).toBeDefined()
    expect(screen.getAllByRole('link', { name: 'Add nodes' })[0]?.getAttribute('href')).toBe(
      '#/settings/nodes',
    )
  })
})

describe('the node table view', () => {
  const stake = (name: string, amount: number, fields: Partial<NodeLive> = {}) =>
    named(name, { reading: aReading({ fields: { stake_deployed: amount } }), ...fields })
  const heads = () => Array.from(document.querySelectorAll('.row-heading'), (head) => read(head.textContent))

  it('cycles a column through descending, ascending and name order, below urgent nodes', async () => {
    const { addresses } = renderFleet(
      [
        stake('vela-1', 5.3),
        stake('vela-2', 300),
        // 5.25 sorts below 5.3, although 25 is greater than 3.
        stake('vela-3', 5.25),
        stake('vela-4', 1, { reading: heartbeat(300) }),
      ],
      '/nodes?columns=stake',
    )
    const heading = () => screen.getByRole('columnheader', { name: 'Stake deployed' })
    const press = () => userEvent.click(within(heading()).getByRole('button'))
    expect(heading().getAttribute('aria-sort')).toBe('none')
    await press()
    await screen.findByText(fleetToolTexts.heading.attention)
    expect(names()).toEqual(['vela-4', 'vela-2', 'vela-1', 'vela-3'])
    expect(heading().getAttribute('aria-sort')).toBe('descending')
    expect(addresses().at(-1)).toBe('/nodes?sort=-stake&columns=stake')
    expect(heads()).toEqual([
      `${fleetToolTexts.heading.attention}${fleetToolTexts.heading.attentionNote(1)}`,
      expect.stringContaining(fleetToolTexts.heading.rest),
    ])
    await press()
    expect(names()).toEqual(['vela-4', 'vela-3', 'vela-1', 'vela-2'])
    await press()
    expect(names()).toEqual(['vela-4', 'vela-1', 'vela-2', 'vela-3'])
    expect(addresses().at(-1)).toBe('/nodes?columns=stake')
  })

  it('groups nodes by tag, with node counts and mean participation in the headings', async () => {
    renderFleet(
      [
        named('vela-1', { tags: ['eu'] }),
        named('vela-2', { tags: ['us'] }),
        named('vela-3', { tags: ['eu', 'us'] }),
        named('vela-4', { reading: undefined }),
      ],
      '/nodes?group=tag',
    )
    expect(names()).toEqual(['vela-1', 'vela-3', 'vela-2', 'vela-4'])
    await screen.findByText(fleetToolTexts.heading.none)
    expect(heads().map((head) => head.replace(/ · .*/, ''))).toEqual(['eu2 nodes', 'us1 node', 'None1 node'])
    expect(heads()[0]).toContain('mean participation 98.42 %')
    expect(heads()[2]).toContain(fleetToolTexts.heading.current(0))
  })

  it('shows the chosen columns in order, and lets the user move, add, resize and reset them', async () => {
    const { addresses } = renderFleet([named('vela-1')], '/nodes?columns=stake,status')
    const columns = () => textsOf(screen.getAllByRole('columnheader').slice(1))
    expect(columns()).toEqual(['Severity', 'Node', 'Stake deployed', 'Status'])
    await userEvent.click(await screen.findByRole('button', { name: fleetToolTexts.choose.button }))
    const { up, down, width, rem, automatic, usual, densities } = fleetToolTexts.choose
    const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })
    await screen.findByRole('checkbox', { name: 'Status' })
    expect([button(up('Stake deployed')).disabled, button(down('Status')).disabled]).toEqual([true, true])
    await userEvent.click(button(down('Stake deployed')))
    await userEvent.click(screen.getByRole('checkbox', { name: 'Response time' }))
    await userEvent.click(button(up('Response time')))
    expect(columns()).toEqual(['Severity', 'Node', 'Status', 'Response time', 'Stake deployed'])
    const widen = (name: string, to: string) =>
      userEvent.selectOptions(screen.getByRole('combobox', { name: width(name) }), to)
    for (const name of ['Status', 'Stake deployed']) await widen(name, rem(12))
    expect(addresses().at(-1)).toBe('/nodes?columns=status%3A12%2CanswerTime%2Cstake%3A12')
    await widen('Status', automatic)
    await userEvent.click(screen.getByRole('checkbox', { name: 'Response time' }))
    await userEvent.click(screen.getByRole('radio', { name: densities.compact }))
    expect(addresses().at(-1)).toBe('/nodes?columns=status%2Cstake%3A12&density=compact')
    await userEvent.click(button(usual))
    expect(addresses().at(-1)).toBe('/nodes?density=compact')
    expect(button(usual).disabled).toBe(true)
  })

  it.each<[string, string[], (dashboard: FakeDashboard) => unknown]>([
    ['leaves', ['vela-2', 'vela-1'], () => userEvent.unhover(screen.getByRole('grid'))],
    ['has been still for a while', ['vela-2', 'vela-1'], ({ advance }) => advance(20_000)],
    ['is over a removed node', ['vela-2'], ({ show }) => show(aSnapshot([named('vela-2')]))],
  ])('holds the row order under the pointer until the pointer %s', async (_when, then, happen) => {
    const { dashboard } = renderFleet([
      named('vela-1', { reading: aReading({ agoMs: 0 }) }),
      named('vela-2', { reading: heartbeat(55) }),
    ])
    await userEvent.hover(screen.getByText('vela-1'))
    dashboard.advance(10_000)
    expect(names()).toEqual(['vela-1', 'vela-2'])
    expect(screen.getByText(fleetTexts.held)).toBeDefined()
    await happen(dashboard)
    expect(names()).toEqual(then)
    expect(screen.queryByText(fleetTexts.held)).toBeNull()
  })

  it.each<[string, string[], string[]?]>([
    ['sort=-service', ['vela-2', 'vela-1']],
    ['sort=-status', ['vela-2', 'vela-1']],
    ['sort=-reading', ['vela-2', 'vela-1']],
    ['q=service:spare', ['vela-2']],
    ['q=is:unacked', ['vela-1']],
    ['group=service', ['vela-1', 'vela-2'], ['api.immune.example1 node', 'spare1 node']],
    ['group=status', ['vela-1', 'vela-2'], ['ACTIVE2 nodes']],
  ])('arranges nodes of several services: %s', (query, shown, headings) => {
    const spare = aServiceLive(aService({ baseUrl: 'https://b.example', label: 'spare' }))
    const [one, two] = headings === undefined ? ['DRAINED', 'DRAINING'] : ['ACTIVE', 'ACTIVE']
    const answer = (status: string, agoMs: number) => aReading({ fields: { status }, agoMs })
    const first = named('vela-1', { reading: answer(one, 1_000) })
    const nodes = [first, named('vela-2', { serviceId: spare.id, reading: answer(two, 3_000) })]
    const snapshot = aSnapshot(nodes, [aServiceLive(), spare])
    const { key: node, serviceId } = first
    const alarms = anAlarmsView([anAlarm({ subject: { kind: 'node', node, serviceId } })])
    renderWith(fakeDashboard({ snapshot, alarms }), <PageInApp />, `/nodes?${query}`)
    expect(names()).toEqual(shown)
    if (headings) expect(heads().map((head) => head.replace(/ · .*/, ''))).toEqual(headings)
    screen.getByText('2 nodes on 2 services')
    expect(rows().map((cells) => cells[4] === 'spare')).toEqual(shown.map((name) => name === 'vela-2'))
  })

  it('selects collapsed nodes together with the others, and lists them until the view changes', async () => {
    const bad = Array.from({ length: 15 }, (_, place) => named(`n-${place + 1}`, { reading: heartbeat(300) }))
    renderFleet([...bad, named('n-99')])
    await userEvent.click(screen.getByRole('checkbox', { name: fleetTexts.select.all }))
    await screen.findByText(fleetToolTexts.selection.count(16))
    const more = () => screen.getByRole('button', { name: fleetToolTexts.heading.more(3) })
    expect(heads()).toContain(`${fleetToolTexts.heading.more(3)}3 critical`)
    await userEvent.click(more())
    expect(names()).toHaveLength(16)
    for (const name of ['Critical', 'All']) await userEvent.click(screen.getByRole('radio', { name }))
    more()
  })
})

describe('the table filter', () => {
  const NODES = [
    named('vela-1', { tags: ['eu'] }),
    named('vela-2', { tags: ['us'] }),
    named('lyra-3', { reading: heartbeat(90) }),
  ]
  const box = () => screen.findByRole('combobox', { name: filterTexts.label })

  it('applies while typing, updates the URL, counts matches, and clears by button or Escape', async () => {
    const { addresses } = renderFleet(NODES)
    await fillIn(await box(), 'vela -tag:us')
    expect(names()).toEqual(['vela-1'])
    expect(addresses().at(-1)).toBe('/nodes?q=vela+-tag%3Aus')
    screen.getByText(filterTexts.count(1, 3))
    await userEvent.click(screen.getByRole('button', { name: filterTexts.clear }))
    expect(document.activeElement).toBe(await box())
    await fillIn(await box(), 'vela -tag:us')
    await userEvent.keyboard('{Escape}{Escape}')
    expect(names()).toEqual(['lyra-3', 'vela-1', 'vela-2'])
    expect(addresses().at(-1)).toBe('/nodes')
  })

  it('matches nodes with the chosen tag once they are old enough for an age term', async () => {
    const { dashboard } = renderFleet(NODES, '/nodes?tag=eu&q=age%3E8s+vela')
    await screen.findByText(fleetToolTexts.noneFound)
    dashboard.advance(11_000)
    expect(names()).toEqual(['vela-1'])
  })

  it('suggests completions and accepts them by key or by click', async () => {
    renderFleet(NODES)
    const input = await box()
    await userEvent.type(input, 'ta')
    const list = () => within(screen.getByRole('listbox', { name: filterTexts.suggestions }))
    const options = () => textsOf(list().getAllByRole('option'))
    expect(options()).toEqual(['tag:Tag'])
    await userEvent.keyboard('{ArrowDown}')
    expect(input.getAttribute('aria-activedescendant')).toBe(list().getByRole('option').id)
    fireEvent.keyDown(input, { key: 'Enter', isComposing: true })
    expect(options()).toEqual(['tag:Tag'])
    await userEvent.keyboard('{Enter}')
    expect(options()).toEqual(['eu', 'us'])
    // Typing on unselects a suggestion, so Enter applies what was typed.
    await userEvent.keyboard('{ArrowDown}u')
    expect(input.getAttribute('aria-activedescendant')).toBeNull()
    await userEvent.keyboard('{Backspace}')
    await userEvent.pointer({ keys: '[MouseLeft]', target: list().getByRole('option', { name: 'us' }) })
    expect(input).toHaveProperty('value', 'tag:us')
    expect(names()).toEqual(['vela-2'])
    expect(screen.queryByRole('listbox', { name: filterTexts.suggestions })).toBeNull()
  })

  it.each(['{Escape}', '{Tab}'])('closes its suggestions on %s and keeps the other terms', async (key) => {
    renderFleet(NODES)
    const input = await box()
    await fillIn(input, ' vela')
    await userEvent.type(input, 'ta', { initialSelectionStart: 0, initialSelectionEnd: 0 })
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await userEvent.keyboard(key)
    expect(screen.queryByRole('listbox', { name: filterTexts.suggestions })).toBeNull()
    expect(input).toHaveProperty('value', 'tag: vela')
  })

  it('reports which term it can’t apply and why, and applies the others', async () => {
    renderFleet(NODES)
    const input = await box()
    await fillIn(input, 'vela stake>lots')
    expect(names()).toEqual(['vela-1', 'vela-2'])
    expect(input.getAttribute('aria-invalid')).toBe('true')
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      filterTexts.problem({ kind: 'bad-number', term: 'stake>lots', field: 'stake', from: 5, to: 15 }),
    )
  })

  it('reports when no node matches and offers to show all nodes', async () => {
    const { addresses } = renderFleet(NODES, '/nodes?q=orion&tag=none')
    await screen.findByText(fleetToolTexts.noneFound)
    await userEvent.click(screen.getByRole('button', { name: fleetToolTexts.showAll }))
    expect(names()).toHaveLength(3)
    expect(addresses().at(-1)).toBe('/nodes')
    // The field shows the filter in effect, not one that is over.
    await userEvent.click(await box())
    expect(await box()).toHaveProperty('value', '')
  })
})

describe('the fleet overview', () => {
  const EIGHT = Array.from({ length: 8 }, (_, place) =>
    named(`vela-${place + 1}`, {
      tags: [place < 5 ? 'eu' : 'us'],
      ...(place === 2 && { reading: heartbeat(300) }),
      ...(place === 6 && { reading: undefined }),
    }),
  )
  const words = fleetOverviewTexts.overview
  const figuresIn = (network: HTMLElement) => (name: string) =>
    textsOf(within(network).getAllByRole('group'))
      .map(read)
      .find((text) => text.startsWith(name))

  it.each([
    [12, 'a 1'],
    [13, `${words.everyNode(13)} 13`],
  ])('groups the map by tag only up to 12 tags (here: %i)', async (tags, title) => {
    renderFleet(
      Array.from({ length: tags }, (_, place) =>
        named(`vela-${place + 1}`, { tags: [String.fromCodePoint(97 + place)] }),
      ),
    )
    const map = await screen.findByRole('listbox', { name: words.map(tags) })
    expect(map.querySelector('text')?.textContent).toContain(title)
  })

  it('counts a node once when it is polled both without an ID and by ID', async () => {
    renderFleet([...EIGHT, aNode({ nodeId: undefined }), aNode()])
    const panel = await screen.findByRole('region', { name: words.label })
    expect(panel.textContent).toContain(`7 ${words.of(9)}`)
  })

  it('shows fleet-wide metrics and how many nodes they cover', async () => {
    renderFleet(EIGHT)
    const network = await screen.findByRole('region', { name: fleetOverviewTexts.network.label })
    const figure = figuresIn(network)
    expect(figure('Total stake deployed')).toBe(
      `Total stake deployed8,750,000${fleetOverviewTexts.network.coverage({ nodes: 7, old: 0, of: 8 }, '2 s')}`,
    )
    expect(figure('Participation')).toContain('98.42 %')
    within(network).getByRole('img', { name: /^Nodes by age: under 15\ss: 6, .*3\sm or more: 1$/ })
  })

  it('shows fleet-wide metrics as unknown at once when all nodes fail, beside the last total', async () => {
    const { dashboard } = renderFleet(EIGHT)
    const network = await screen.findByRole('region', { name: fleetOverviewTexts.network.label })
    expect(figuresIn(network)('Participation')).toContain('98.42 %')
    const failing = { episode: anEpisode({ kind: 'unreachable', hop: 'service' }) }
    update(
      dashboard,
      EIGHT.map((node) => ({ ...node, ...failing })),
    )
    expect(figuresIn(network)('Participation')).toContain('unknown0 of 8 nodes')
    expect(figuresIn(network)('Total stake deployed')).toBe(
      'Total stake deployedunknown0 of 8 nodes · last 8,750,000, up to 2 s old',
    )
  })

  it('charts fleet metrics from before the page opened and shows how many nodes they cover', async () => {
    const hour = 3_600_000
    const line = (id: string, millions: readonly number[]) => ({
      id,
      atMs: Float64Array.from(millions, (_, place) => WALL_MS - (3 * hour * (6 - place)) / 6),
      of: 8,
      value: Float64Array.from(millions, (each) => each * 1e6),
      nodes: [6, 7] as const,
    })
    const lines = [
      line('stake', [6, 6, 7, Number.NaN, 7, 8, 8]),
      line('participation', [1, 1, Number.NaN, Number.NaN, 1, 1, 1]),
    ]
    const read3h = async () => ({ fromMs: WALL_MS - 3 * hour, toMs: WALL_MS, lines })
    const dashboard = fakeDashboard({ snapshot: aSnapshot(EIGHT), engine: { readNetworkSeries: read3h } })
    renderWith(dashboard, <PageInApp />, '/nodes')
    const texts = fleetOverviewTexts.network
    const drawn = await screen.findByRole('img', { name: /Last 3\sh: 6\sM to 8\sM/ })
    // The line breaks where the value is unknown.
    expect(drawn.querySelector('path')?.getAttribute('d')?.match(/M/g)).toHaveLength(2)
    const group = screen.getByRole('group', { name: 'Total stake deployed' })
    expect(group.textContent).toContain(texts.courseOver(6, 7))
    // Five known points are too few for a trend.
    expect(screen.getAllByRole('img', { name: /^Last 3\sh/ })).toHaveLength(1)
  })

  it('queries the earlier figures again a minute after the query API failed', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const asked = vi.fn<typeof fetch>(() => Promise.reject(new TypeError('down')))
    vi.stubGlobal('fetch', asked)
    const server: ServerConfig = {
      ...NO_SERVER,
      services: [aService()],
      queryApis: [{ name: 'Prometheus', scrapeMs: 15_000, days: 30, live: false }],
    }
    const readNetworkSeries = async () => ({ fromMs: WALL_MS - 60_000, toMs: WALL_MS, lines: [] })
    const dashboard = fakeDashboard({ snapshot: aSnapshot(EIGHT), server, engine: { readNetworkSeries } })
    renderWith(dashboard, <PageInApp />, '/nodes')
    await act(() => vi.advanceTimersByTimeAsync(59_000))
    expect(asked).toHaveBeenCalledOnce()
    await act(() => vi.advanceTimersByTimeAsync(60_000))
    expect(asked).toHaveBeenCalledTimes(2)
  })
})

describe('the node grid', () => {
  const five = ['vela-1', 'vela-2', 'vela-3', 'vela-4', 'vela-5']
  const many = Array.from({ length: 2_000 }, (_, place) => named(`n-${place}`))
  const cards = () => screen.getAllByRole('gridcell').filter(({ id }) => id !== '')

  it('appears when selected, updates the URL, and sorts nodes by severity like the table', async () => {
    const { addresses, dashboard } = renderFleet([
      ...five.map((name) => named(name)),
      named('orion-9', { reading: heartbeat(300) }),
    ])
    await userEvent.click(await screen.findByRole('radio', { name: fleetToolTexts.layout.grid }))
    await waitFor(() => expect(cards()).toHaveLength(6))
    expect(addresses().at(-1)).toBe('/nodes?layout=grid')
    expect(cards().map((card) => read(card.textContent).split(' ')[0])).toEqual(['orion-9', ...five])
    expect(read(cards()[0]?.textContent)).toContain('5 m 00 s')
    screen.getByRole('option', { name: 'Status, A to Z' })
    const sort = screen.getByRole('combobox', { name: fleetToolTexts.sort.label })
    await userEvent.selectOptions(sort, 'Stake deployed, lowest first')
    expect(addresses().at(-1)).toBe('/nodes?sort=stake&layout=grid')
    dashboard.advance(60_000)
    expect(read(cards()[0]?.textContent)).toContain(fleetTexts.asOf('1 m 02 s'))
  })

  it('places each card under its group heading', async () => {
    const nodes = [named('vela-1', { tags: ['eu'] }), named('vela-2', { tags: ['us'] })]
    renderFleet(nodes, '/nodes?layout=grid&group=tag')
    await waitFor(() => expect(cards()).toHaveLength(2))
    const lines = screen.getAllByRole('row').map(({ textContent }) => textContent)
    expect(lines.map((text) => /^(eu|us|vela-.)/.exec(text)?.[0])).toEqual(['eu', 'vela-1', 'us', 'vela-2'])
  })

  it('supports arrow keys across rows, Home, End and Enter', async () => {
    const { addresses } = renderFleet(many.slice(0, 10), '/nodes?layout=grid')
    await waitFor(() => expect(cards()).toHaveLength(10))
    const focused = () => read(document.activeElement?.textContent).split(' ')[0]
    cards()[0]?.focus()
    // At a width of 68 characters, a row has five cards.
    await userEvent.keyboard('{ArrowRight}{ArrowDown}')
    expect(focused()).toBe('n-6')
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}')
    expect(focused()).toBe('n-4')
    await userEvent.keyboard('{ArrowDown}')
    expect(focused()).toBe('n-9')
    await userEvent.keyboard('{Home}{ArrowUp}{ArrowLeft}')
    expect(focused()).toBe('n-0')
    await userEvent.keyboard('{End}{Enter}')
    expect(addresses().at(-1)).toBe(nodePath(keyOf('n-9')))
  })

  it('moves from the end of a row to the end of a shorter row', async () => {
    const groups = Array.from('xxxxxyyzzzzz', (tag, place) => named(`n-${place}`, { tags: [tag] }))
    renderFleet(groups, '/nodes?layout=grid&group=tag')
    await waitFor(() => expect(cards()).toHaveLength(12))
    const last = cards()[6]
    cards()[4]?.focus()
    await userEvent.keyboard('{ArrowDown}')
    expect(document.activeElement).toBe(last)
  })

  it('selects cards by checkbox or Shift+Space range, and toggles one with Space', async () => {
    const user = userEvent.setup()
    renderFleet(many.slice(0, 8), '/nodes?layout=grid')
    await waitFor(() => expect(cards()).toHaveLength(8))
    const selected = () => cards().filter((card) => card.getAttribute('aria-selected') === 'true').length
    await user.click(screen.getByRole('checkbox', { name: fleetTexts.select.one('n-0') }))
    expect(selected()).toBe(1)
    act(() => cards()[3]?.focus())
    await user.keyboard('{Shift>} {/Shift}')
    expect(selected()).toBe(4)
    await user.keyboard(' ')
    expect(selected()).toBe(3)
    await screen.findByText(fleetToolTexts.selection.count(3))
  })
})

describe('comparing selected nodes', () => {
  const words = fleetToolTexts.selection
  const select = async (count: number): Promise<ReturnType<typeof renderFleet>> => {
    const rendered = renderFleet(Array.from({ length: 7 }, (_, place) => named(`vela-${place + 1}`)))
    const boxes = screen.getAllByRole('checkbox').slice(1, count + 1)
    for (const box of boxes) await userEvent.click(box)
    await screen.findByText(words.count(count))
    return rendered
  }
  const button = () => screen.getByRole('button', { name: words.compare })

  it.each([
    [1, words.compareTooFew],
    [7, words.compareTooMany(6)],
  ])('is disabled with a reason for %i selected', async (count, reason) => {
    await select(count)
    expect(button()).toHaveProperty('disabled', true)
    expect(document.getElementById(button().getAttribute('aria-describedby') ?? '')?.textContent).toBe(reason)
  })

  it.each([2, 6])('opens comparison and report of %i selected, until cleared', async (count) => {
    const { addresses } = await select(count)
    await userEvent.click(button())
    const chosen = Array.from({ length: count }, (_, place) => keyOf(`vela-${place + 1}`))
    expect(addresses().at(-1)).toBe(comparePath(chosen))
    await userEvent.click(screen.getByRole('button', { name: availabilityTexts.link }))
    expect(addresses().at(-1)).toBe(reportPath(chosen))
    await userEvent.click(screen.getByRole('button', { name: words.clear }))
    expect(screen.queryByRole('region', { name: words.label })).toBeNull()
  })
})

describe('selected nodes', () => {
  const SETTINGS: Settings = {
    ...EMPTY_SETTINGS,
    services: [aService()],
    nodes: ['1', '2', '3', '4'].map((id) => ({
      id: `0x0${id}`,
      name: `vela-${id}`,
      tags: [],
      service: BASE_URL,
    })),
  }
  const words = fleetToolTexts.selection

  type SelectableOptions = {
    readonly settings?: Settings
    readonly server?: ServerConfig
    readonly readAlarmMembers?: () => Promise<readonly AlarmMember[]>
  }

  function renderSelectable(
    alarms?: readonly AlarmView[],
    { settings = SETTINGS, server = NO_SERVER, ...calls }: SelectableOptions = {},
  ) {
    const alarmAct = vi.fn<(act: AlarmAct) => Promise<boolean>>(async () => true)
    const dashboard = fakeDashboard({
      settings,
      server,
      snapshot: aSnapshot(['1', '2', '3', '4'].map((id) => named(`vela-${id}`))),
      engine: { alarmAct, ...calls },
      saved: [],
      ...(alarms && { alarms: anAlarmsView(alarms) }),
    })
    renderWith(
      dashboard,
      <EvaluationProvider>
        <PageInApp />
        <Keyboard />
      </EvaluationProvider>,
      '/nodes',
    )
    const boxes = () => screen.getAllByRole('checkbox', { name: /^Select vela/ })
    const saved = () => dashboard.configuration.get().settings.nodes
    const pick = async (...places: readonly number[]) => {
      for (const place of places) await userEvent.click(boxes()[place] ?? document.body)
    }
    return { dashboard, alarmAct, boxes, pick, saved }
  }

  it('can be selected by checkbox, by Shift range, with Space, and all at once', async () => {
    const { boxes, pick } = renderSelectable()
    await userEvent.click(boxes()[0] ?? document.body)
    await screen.findByText(words.count(1))
    const user = userEvent.setup()
    await user.keyboard('{Shift>}')
    await user.click(boxes()[2] ?? document.body)
    screen.getByText(words.count(3))
    // A range selects, even one that ends at a selected node.
    await user.click(boxes()[0] ?? document.body)
    await user.keyboard('{/Shift}')
    screen.getByText(words.count(3))
    const all = screen.getByRole('checkbox', { name: fleetTexts.select.all })
    expect(all).toHaveProperty('indeterminate', true)
    await user.click(all)
    screen.getByText(words.count(4))
    await user.click(all)
    expect(screen.queryByRole('region', { name: words.label })).toBeNull()
    screen.getAllByRole('row')[1]?.focus()
    await user.keyboard(' ')
    await pick(1)
    await screen.findByText(words.count(2))
    // A filter that hides a node deselects it.
    await fillIn(await screen.findByRole('combobox', { name: filterTexts.label }), 'vela-1')
    await screen.findByText(words.count(1))
  })

  describe('in the command palette', () => {
    afterEach(() => {
      act(() => openOverlay(undefined))
    })
    const offered = async (query: string): Promise<readonly string[]> => {
      await userEvent.keyboard('{Control>}k{/Control}')
      const box = await screen.findByRole('combobox', { name: paletteTexts.title })
      act(() => box.focus())
      await fillIn(box, query)
      const list = screen.queryByRole('listbox', { name: paletteTexts.results })
      return list === null ? [] : textsOf(within(list).queryAllByRole('option')).map(read)
    }

    it('have commands with their count, including one that removes them', async () => {
      const { pick, saved } = renderSelectable()
      await pick(0, 1)
      await screen.findByText(words.count(2))
      const found = await offered('on this page')
      expect(found.toSorted()).toEqual(
        [
          words.compare,
          words.addTag,
          words.removeTag,
          words.setInterval,
          words.remove(2),
          paletteTexts.pages.report,
          words.clear,
        ]
          .map((label) => `${label}${words.count(2)}`)
          .toSorted(),
      )
      await userEvent.clear(screen.getByRole('combobox', { name: paletteTexts.title }))
      await userEvent.keyboard(`${words.remove(2)}{Enter}`)
      expect(saved().map(({ id }) => id)).toEqual(['0x03', '0x04'])
      // The removal also clears the selection.
      expect(await offered('on this page')).toEqual([])
    })
  })

  const tagFirstTwo = async (options?: SelectableOptions) => {
    const rendered = renderSelectable(undefined, options)
    await rendered.pick(0, 1)
    await userEvent.click(await screen.findByRole('button', { name: words.addTag }))
    await userEvent.type(screen.getByRole('textbox', { name: words.tag }), 'eu{Enter}')
    return { ...rendered, tags: () => rendered.saved().map((node) => node.tags ?? []) }
  }

  it('get a tag beside their others, lose one tag, and have their tags back on undo', async () => {
    const nodes = SETTINGS.nodes.map((node, at) => ({ ...node, tags: at === 0 ? ['eu', 'us'] : ['us'] }))
    const { dashboard, tags } = await tagFirstTwo({ settings: { ...SETTINGS, nodes } })
    expect(tags()).toEqual([['eu', 'us'], ['us', 'eu'], ['us'], ['us']])
    expect(dashboard.toasts.get()[0]?.text).toBe(words.tagged('eu', true, 1))
    const { saveSettings } = dashboard
    vi.spyOn(dashboard, 'saveSettings').mockImplementation((next) => !saveSettings(next))
    await userEvent.click(screen.getByRole('button', { name: words.removeTag }))
    const field = screen.getByRole('textbox', { name: words.tag })
    await userEvent.type(field, 'u s{Enter}')
    screen.getByText(formTexts.nodes.problems['bad-tag'])
    await userEvent.clear(field)
    await userEvent.type(field, 'us{Enter}')
    expect(tags()).toEqual([['eu'], ['eu'], ['us'], ['us']])
    screen.getByText(settingsTexts.savedHereOnly, { selector: '.selection-bar *' })
    act(() => {
      for (const { undo } of dashboard.toasts.get().toReversed()) undo?.()
    })
    expect(tags()).toEqual(nodes.map((node) => node.tags))
  })

  it('get no tag where the server configuration sets the node', async () => {
    const server = { ...NO_SERVER, services: [aService()], nodes: SETTINGS.nodes.slice(0, 1) }
    const { dashboard, tags } = await tagFirstTwo({
      server,
      settings: { ...SETTINGS, nodes: SETTINGS.nodes.slice(1) },
    })
    expect(tags()).toEqual([['eu'], [], []])
    expect(dashboard.toasts.get()[0]?.text).toBe(words.tagged('eu', true, 1))
    screen.getByText(words.configured(1))
  })

  it('get a poll interval within bounds together, starting with the one they share', async () => {
    const { dashboard, pick, saved } = renderSelectable()
    await pick(0, 1)
    const open = async () => {
      await userEvent.click(await screen.findByRole('button', { name: words.setInterval }))
      return screen.getByRole<HTMLInputElement>('textbox', { name: words.interval })
    }
    const field = await open()
    await userEvent.type(field, '0.2')
    const dialog = within(screen.getByRole('dialog', { name: words.setInterval }))
    expect(dialog.getByRole('button', { name: words.setInterval })).toHaveProperty('disabled', true)
    expect(dialog.getByText(/Between 1\ss and/)).toBeDefined()
    await userEvent.clear(field)
    await userEvent.type(field, '90{Enter}')
    const intervals = () => saved().map(({ pollIntervalMs }) => pollIntervalMs)
    expect(intervals()).toEqual([90_000, 90_000, undefined, undefined])
    expect(dashboard.toasts.get().at(-1)?.text).toBe(words.intervalSet(formatSpan(90_000), 2))
    const again = await open()
    expect(again.value).toBe('90')
    await userEvent.clear(again)
    await userEvent.keyboard('{Enter}')
    act(() => dashboard.toasts.get().at(-1)?.undo?.())
    expect(intervals()).toEqual([90_000, 90_000, undefined, undefined])
    await pick(2)
    expect((await open()).value).toBe('')
  })

  it('are removed together and return to their positions on undo', async () => {
    const { dashboard, pick, saved } = renderSelectable()
    await pick(1, 2)
    await userEvent.click(await screen.findByRole('button', { name: words.remove(2) }))
    expect(saved().map(({ name }) => name)).toEqual(['vela-1', 'vela-4'])
    act(() => dashboard.toasts.get().at(-1)?.undo?.())
    expect(saved().map(({ name }) => name)).toEqual(['vela-1', 'vela-2', 'vela-3', 'vela-4'])
  })

  it('have their alarms shelved together and unshelved on undo, with a message if that fails', async () => {
    const subject = (name: string) =>
      ({ kind: 'node', node: keyOf(name), serviceId: aServiceLive().id }) as const
    const { dashboard, alarmAct, pick } = renderSelectable([
      anAlarm({ id: 'one', subject: subject('vela-1') }),
      anAlarm({ id: 'two', subject: subject('vela-2') }),
      anAlarm({ id: 'other', subject: subject('vela-4') }),
      anAlarm({ id: 'over', phase: 'cleared', subject: subject('vela-1') }),
    ])
    await pick(0, 1)
    await userEvent.click(await screen.findByRole('button', { name: words.shelve(2) }))
    await userEvent.type(screen.getByRole('textbox'), 'planned{Enter}')
    expect(alarmAct).toHaveBeenCalledWith(
      expect.objectContaining({ act: 'shelve', ids: ['one', 'two'], untilWallMs: WALL_MS + 3_600_000 }),
    )
    await waitFor(() => expect(dashboard.toasts.get()).toHaveLength(1))
    alarmAct.mockResolvedValue(false)
    act(() => dashboard.toasts.get()[0]?.undo?.())
    expect(alarmAct).toHaveBeenLastCalledWith({ act: 'unshelve', ids: ['one', 'two'] })
    await waitFor(() => expect(dashboard.toasts.get().at(-1)?.text).toBe(alarmTexts.done.failed))
  })

  it('have their own alarms of a group shelved, even those missing from the alarm list', async () => {
    const all = ['vela-4', 'vela-3', 'vela-2', 'vela-1'].map((name): AlarmMember => ({
      ...anAlarm(),
      id: `of ${name}`,
      node: keyOf(name),
    }))
    const { alarmAct, pick } = renderSelectable(
      [anAlarm({ id: 'group', memberCount: 4, members: all.slice(0, 2) })],
      { readAlarmMembers: async () => all },
    )
    await pick(0, 3)
    await userEvent.click(await screen.findByRole('button', { name: words.shelve(2) }))
    await userEvent.type(screen.getByRole('textbox'), 'planned{Enter}')
    expect(alarmAct).toHaveBeenCalledWith(expect.objectContaining({ ids: ['of vela-4', 'of vela-1'] }))
  })
})

describe('saved views', () => {
  const open = async (path: string, views: Settings['views'] = [], ofServer: Settings['views'] = []) => {
    const user = userEvent.setup()
    const dashboard = fakeDashboard({
      snapshot: aSnapshot([named('node 1'), named('node 2')]),
      settings: { ...EMPTY_SETTINGS, views },
      server: { ...NO_SERVER, views: ofServer },
      saved: [],
    })
    renderWith(dashboard, <PageInApp />, path)
    await user.click(await screen.findByRole('button', { name: fleetToolTexts.views.button }))
    const inside = within(await screen.findByRole('dialog', { name: savedViewTexts.title }))
    return { user, dashboard, inside, views: () => dashboard.configuration.get().settings.views }
  }

  it('can be saved under a name, updated, and undone', async () => {
    const { user, dashboard, inside, views } = await open('/nodes?q=node~1&sort=-stake')
    await fillIn(inside.getByRole('textbox', { name: savedViewTexts.name }), ' Large stakes ')
    await user.click(inside.getByRole('button', { name: savedViewTexts.save }))
    expect(views()).toEqual([{ name: 'Large stakes', query: 'q=node%7E1&sort=-stake' }])
    await screen.findByRole('button', { name: fleetToolTexts.views.named('Large stakes') })
    inside.getByText(savedViewTexts.shown, { exact: false })
    await user.click(inside.getByRole('button', { name: savedViewTexts.update }))
    expect(views()).toHaveLength(1)
    act(() => {
      for (const { undo } of dashboard.toasts.get().toReversed()) undo?.()
    })
    expect(views()).toEqual([])
  })

  it('have a link, and can be renamed to an unused name or removed', async () => {
    const { user, inside, views } = await open('/nodes', [
      { name: 'EU', query: 'tag=eu' },
      { name: 'Stakes', query: 'sort=-stake' },
    ])
    expect(inside.getByRole('link', { name: 'EU' }).getAttribute('href')).toBe('#/nodes?tag=eu')
    await user.click(inside.getByRole('button', { name: savedViewTexts.renameThis('EU') }))
    const name = inside.getByRole('textbox', { name: savedViewTexts.newName('EU') })
    await user.clear(name)
    await fillIn(name, 'stakes')
    await user.keyboard('{Enter}')
    inside.getByText(savedViewTexts.taken)
    await user.clear(name)
    await fillIn(name, 'Europe')
    await user.click(inside.getByRole('button', { name: savedViewTexts.rename }))
    await user.click(inside.getByRole('button', { name: savedViewTexts.remove('Stakes') }))
    expect(views()).toEqual([{ name: 'Europe', query: 'tag=eu' }])
    await user.click(inside.getByRole('link', { name: 'Europe' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it('from the server configuration can be opened but not changed', async () => {
    const { inside } = await open('/nodes', [], [{ name: 'Wall', query: 'layout=grid' }])
    inside.getByRole('link', { name: 'Wall' })
    inside.getByText(savedViewTexts.fromServer)
    expect(inside.queryByRole('button', { name: savedViewTexts.remove('Wall') })).toBeNull()
    expect(inside.queryByRole('button', { name: savedViewTexts.renameThis('Wall') })).toBeNull()
  })
})
