import { act, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '#base/time.ts'
import { ReportPage } from '#features/report/report-page.tsx'
import type { NodeLive } from '#fleet/live.ts'
import type { Summary, SummaryQuery } from '#report/summary.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { QueryApi } from '#settings/schema.ts'
import { fakeDashboard, NO_SERVER, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { watchSavedFiles } from '#test/support/saved-files.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { availabilityTexts as words } from '#texts/en-availability.ts'

beforeAll(giveLayout)

const HOSTILE = '=1+1<img src=x>'

const read = (element: HTMLElement): string => (element.textContent ?? '').replaceAll('\u00a0', ' ')

const named = (name: string, place: number, tags: readonly string[] = []): NodeLive =>
  aNode({ nodeId: `0x0${place}`, name, tags })

const GOOD: Summary = {
  answeredMs: 999 * HOUR_MS,
  noAnswerMs: HOUR_MS,
  notWatchedMs: 0,
  figures: { participation: { mean: 0.98, min: 0.5 }, threatResponses: { increase: 7 } },
  outages: [{ fromMs: WALL_MS - DAY_MS, toMs: WALL_MS - DAY_MS + HOUR_MS, failure: 'timeout', isCut: true }],
  outageCount: 1,
}
const NOTHING: Summary = {
  ...GOOD,
  answeredMs: 0,
  noAnswerMs: 0,
  notWatchedMs: DAY_MS,
  figures: {},
  outages: [],
  outageCount: 0,
}

type Reads = Readonly<Record<string, Summary | 'fails'>>

/** Renders the report on three nodes, with two hours of maintenance that ended a day ago. */
function show(reads: Reads, path = '/report', queryApis: readonly Partial<QueryApi>[] = []) {
  const asked: SummaryQuery[] = []
  const nodes = [named('vela-1', 1), named('vela-2', 2, ['eu']), named(HOSTILE, 3)]
  const maintenance = {
    id: 'w',
    reason: 'disk',
    scope: { for: 'all' as const },
    when: { kind: 'once' as const, fromMs: WALL_MS - 26 * HOUR_MS, toMs: WALL_MS - 24 * HOUR_MS },
  }
  const dashboard = fakeDashboard({
    snapshot: aSnapshot(nodes),
    server: {
      ...NO_SERVER,
      queryApis: queryApis.map((api) => ({
        name: 'Prometheus',
        scrapeMs: 15_000,
        days: 400,
        live: false,
        ...api,
      })),
    },
    settings: { ...EMPTY_SETTINGS, alarms: { rules: [], maintenance: [maintenance], builtIn: [] } },
    engine: {
      readSummary: async (query) => {
        asked.push(query)
        const answer = reads[nodes.find(({ key }) => key === query.node)?.name ?? ''] ?? GOOD
        if (answer === 'fails') throw new Error('gone')
        return answer
      },
    },
  })
  return { asked, ...renderWith(dashboard, <ReportPage />, path) }
}

it('the report lists the lowest availability first, and unwatched nodes last without a figure', async () => {
  show({ 'vela-1': { ...GOOD, noAnswerMs: 9 * HOUR_MS }, 'vela-2': NOTHING })
  const rows = (await within(await screen.findByRole('table', { name: '' })).findAllByRole('row')).slice(1)
  expect(rows.map((row) => within(row).getAllByRole('cell').map(read)[0])).toEqual([
    '99.107 %',
    '99.900 %',
    '–',
  ])
  expect(read(document.body)).toContain('7 h 59 m over the 1 h 00 m budget')
  expect(rows.map((row) => within(row).getAllByRole('cell').map(read)[1])).toEqual(['−7 h 59 m', '0 s', '–'])
  // Time that nobody watched does not count.
  const overall = screen.getByRole('group', { name: words.stats.availability })
  expect(read(overall)).toContain('99.501 %')
  // A node that exactly meets the target is not below it.
  const below = await screen.findByRole('group', { name: words.stats.below })
  expect(read(below)).toBe(`${words.stats.below}1${words.stats.belowNote(2)}`)
  // Availability, remaining budget and outages are unknown, but the unwatched time is known.
  const unwatched = within(rows[2] ?? document.body)
    .getAllByRole('cell')
    .slice(0, 6)
  expect(unwatched.map(read)).toEqual(['–', '–', '0 s', '0 s', '1 d 0 h', '–'])
})

it('the report leaves maintenance out of its queries, in whole minutes, and lists it', async () => {
  const { asked } = show({}, '/report?from=2026-11-18T00:00:00Z&to=2026-11-30T00:00:00Z')
  expect(await screen.findAllByText('disk')).toHaveLength(3)
  const minute = Math.floor(WALL_MS / 60_000) * 60_000
  expect(asked[0]?.ranges.map(({ toMs }) => toMs)).toEqual([
    Math.round((WALL_MS - 26 * HOUR_MS) / 60_000) * 60_000,
    minute,
  ])
})

it.each([
  ['/report?tag=eu', ['vela-2']],
  [`/report?nodes=${named('', 1).key}`, ['vela-1']],
  ['/report?tag=none', []],
])('%s reports on the nodes %j', async (path, names) => {
  show({}, path)
  if (names.length === 0) await screen.findByText(words.empty.title)
  for (const name of names) await screen.findByRole('heading', { level: 2, name })
  expect(screen.queryAllByRole('heading', { level: 2 })).toHaveLength(names.length)
})

it('the report shows that a node can’t be read, and still shows the others', async () => {
  show({ 'vela-1': 'fails' })
  await screen.findByText(words.unreadable)
  expect(screen.getByText(/data for 1 node could not be read/)).toBeTruthy()
  expect(screen.getAllByText(/at least/)).toHaveLength(2)
})

it('the form puts range and target in the URL, and rejects an invalid target', async () => {
  const { addresses } = show({}, '/report?from=2026-11-01T00:00:00Z&to=2026-11-02T00:00:00Z')
  const target = await screen.findByLabelText(words.form.target)
  await userEvent.clear(target)
  await userEvent.type(target, '100')
  await userEvent.click(screen.getByRole('button', { name: words.form.show }))
  screen.getByText(words.form.badTarget)
  await userEvent.clear(target)
  await fillIn(target, '99,95')
  await userEvent.click(screen.getByRole('button', { name: words.form.show }))
  expect(addresses().at(-1)).toBe(
    '/report?from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-02T00%3A00%3A00.000Z&target=99.95&source=browser',
  )
  expect(screen.queryByText(words.form.badTarget)).toBeNull()
})

const rangeField = (name: 'from' | 'to') => screen.getByLabelText<HTMLInputElement>(words.form[name]('UTC'))

it.each([
  ['month', '2026-11-01T00:00', '2026-11-20T14:02'],
  ['lastMonth', '2026-10-01T00:00', '2026-11-01T00:00'],
  ['days', '2026-10-21T14:02', '2026-11-20T14:02'],
] as const)('the button for the range “%s” fills in %s to %s', async (range, from, to) => {
  show({})
  await userEvent.click(screen.getByRole('button', { name: words.form.ranges[range] }))
  expect([rangeField('from').value, rangeField('to').value].map((text) => text.slice(0, 16))).toEqual([
    from,
    to,
  ])
})

it('the form rejects a range that ends before it starts, is too long, or begins in the future', async () => {
  const { addresses } = show({})
  for (const [from, to] of [
    ['2026-10-01T00:00', '2026-09-01T00:00'],
    ['2020-10-01T00:00', '2026-09-01T00:00'],
    ['2026-12-01T00:00', '2026-12-02T00:00'],
  ] as const) {
    fireEvent.change(rangeField('from'), { target: { value: from } })
    fireEvent.change(rangeField('to'), { target: { value: to } })
    await userEvent.click(screen.getByRole('button', { name: words.form.show }))
    screen.getByText(words.form.badRange)
    expect(addresses().at(-1)).toBe('/report')
  }
})

it('the form reports on the chosen nodes and range', async () => {
  const { addresses } = show({})
  await userEvent.selectOptions(screen.getByLabelText(words.form.nodes), 'Tagged eu (1)')
  await userEvent.click(screen.getByRole('button', { name: words.form.ranges.lastMonth }))
  await userEvent.click(screen.getByRole('button', { name: words.form.show }))
  await screen.findByRole('heading', { level: 2, name: 'vela-2' })
  expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(1)
  expect(addresses().at(-1)).toContain('?tag=eu&from=2026-10-01T00%3A00%3A00.000Z&to=2026-11-01T')
})

it.each([
  ['/report', {}, 'query-api', 0],
  ['/report?source=browser', {}, 'browser', 0],
  ['/report', { service: 'https://one.example' }, 'browser', 0],
  ['/report?source=query-api', { service: 'https://one.example' }, 'query-api', 3],
])('%s with the query API %j reads from %s, which %i nodes lack', async (path, api, source, lacking) => {
  const { asked } = show({}, path, [api])
  expect(await screen.findByLabelText(words.form.source)).toHaveProperty('value', source)
  await screen.findAllByRole('heading', { level: 2 })
  expect(asked.length > 0).toBe(source === 'browser')
  expect(screen.queryAllByText(words.noApi)).toHaveLength(lacking)
})

it('the report exports CSV and JSON, and escapes a name that a spreadsheet would run', async () => {
  const saved = watchSavedFiles()
  show({ 'vela-2': NOTHING }, '/report?target=99')
  for (const name of [words.actions.csv, words.actions.json])
    await userEvent.click(await screen.findByRole('button', { name }))
  const [csv = '', json = ''] = await Promise.all(saved.map((file) => file.text()))
  expect(csv.split('\r\n')).toHaveLength(5)
  expect(csv).toContain(`,'${HOSTILE},`)
  const [head, first, , unknown] = csv.split('\r\n').map((line) => line.split(','))
  expect(unknown?.[head?.indexOf('outages') ?? -1]).toBe('')
  const seconds = Object.fromEntries((head ?? []).map((name, place) => [name, first?.[place]]))
  expect(seconds).toMatchObject({
    answered_seconds: String(999 * 3_600),
    no_answer_seconds: '3600',
    not_watched_seconds: '0',
    maintenance_seconds: '7200',
    // The budget is 1% of 1,000 hours, and one hour of it is used.
    budget_left_seconds: '32400',
  })
  const { nodes } = JSON.parse(json)
  expect(nodes[0]).toMatchObject({
    availability: 0.999,
    figures: { network_participation_mean: 0.98, stake_deployed_first: null, threat_responses_increase: 7 },
    outages: [{ failure: 'timeout', isCut: true }],
    maintenance: [{ reason: 'disk' }],
  })
})

it('the Stop button ends the queries and shows how many nodes were read', async () => {
  const waiting: ((summary: Summary) => void)[] = []
  let asked = 0
  const nodes = Array.from({ length: 20 }, (_, place) => named(`n${place}`, place + 10))
  const readSummary = (): Promise<Summary> =>
    new Promise((done) => {
      if (asked++ < 6) done(GOOD)
      else waiting.push(done)
    })
  renderWith(fakeDashboard({ snapshot: aSnapshot(nodes), engine: { readSummary } }), <ReportPage />)
  const stop = await screen.findByRole('button', { name: words.actions.stop })
  await expect.poll(() => waiting.length).toBeGreaterThan(1)
  await userEvent.click(stop)
  await screen.findByText(/Stopped after \d+ of 20 nodes/)
  const before = asked
  for (const answer of waiting) answer(GOOD)
  await act(async () => undefined)
  expect(asked).toBe(before)
  screen.getByText(/Stopped after \d+ of 20 nodes/)
})

it('the range ends today when the page opens before the engine’s first update, and its nodes follow', async () => {
  const engine = { readSummary: async () => GOOD }
  const dashboard = fakeDashboard({ snapshot: { ...aSnapshot([]), wallMs: 0 }, engine })
  renderWith(dashboard, <ReportPage />)
  const to = screen.getByLabelText<HTMLInputElement>(/^To/).value
  expect(Math.abs(Date.parse(`${to}Z`) - Date.now())).toBeLessThan(DAY_MS)
  dashboard.show(aSnapshot([named('vela-1', 1)]))
  await screen.findByRole('heading', { level: 2, name: 'vela-1' })
})
