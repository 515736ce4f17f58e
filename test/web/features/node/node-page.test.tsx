import { act, fireEvent, screen, within, waitFor } from '@testing-library/react'
import { NO_SERVICE_RULES, type ScopedRule, EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { builtInTexts } from '#texts/en-built-in.ts'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { EngineApi, Exchange } from '#engine/bridge.ts'
import type { SeriesQuery } from '#charts/charts.ts'
import { nodeKeyFromText, type NodeLive, type ServiceLive } from '#fleet/live.ts'
import { pageCommands } from '#react/page-commands.ts'
import { PROOF_PROFILES } from '#proof/proof-profile.ts'
import { nodePath } from '#react/routes.ts'
import { NodePage } from '#features/node/node-page.tsx'
import { fakeDashboard, NO_SERVER, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import {
  aFailingNode,
  aNode,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  BASE_URL,
  emptySeriesData,
  NODE_ID,
  NOW_MS,
  RECORD_FIELDS,
  WALL_MS,
} from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { descriptionOf, read, textsOf } from '#test/support/texts-of.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { nodeOwnTexts } from '#texts/en-node-own.ts'
import { nodeTexts } from '#texts/en-node.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { reportPath } from '#parts/report-address.ts'

beforeAll(async () => {
  installDialog()
  giveLayout()
  // The page loads these lazily; preloading them keeps tests from waiting for the disk.
  await Promise.all([import('#ui/chart/strip-chart.tsx'), import('#features/node/node-history.tsx')])
})

const anExchange = (fields: Partial<Exchange> = {}): Exchange => ({
  startedWallMs: WALL_MS - 2_000,
  url: `http://127.0.0.1:7420/proxy/x/node/status?node_id=${NODE_ID}`,
  requestHeaders: { Authorization: `Bearer ${'ab'.repeat(64)}` },
  status: 200,
  contentType: 'application/json',
  date: undefined,
  body: JSON.stringify(RECORD_FIELDS),
  bodyCut: false,
  ...fields,
})

type Options = FakeOptions & {
  readonly service?: ServiceLive
  readonly exchange?: Exchange
  readonly path?: string
  readonly startedWallMs?: number
  readonly readSeriesData?: EngineApi['readSeriesData']
  readonly readEvents?: EngineApi['readEvents']
}

async function renderNode(
  node: NodeLive,
  {
    service = aServiceLive(),
    exchange,
    path,
    startedWallMs,
    readSeriesData: lanes = async (query) => emptySeriesData(query),
    readEvents = async () => ({ entries: [], before: undefined }),
    ...more
  }: Options = {},
) {
  const readSeriesData = vi.fn<EngineApi['readSeriesData']>(lanes)
  const lookAt = vi.fn<EngineApi['lookAt']>(async () => {})
  const dashboard = fakeDashboard({
    snapshot: aSnapshot([node], [service], startedWallMs === undefined ? {} : { startedWallMs }),
    engine: { readSeriesData, lookAt, readEvents, lastExchange: async () => exchange },
    ...more,
  })
  const result = renderWith(dashboard, <NodePage nodeKey={node.key} />, path ?? nodePath(node.key))
  await screen.findByRole('region', { name: /^History of the node/ })
  return { ...result, dashboard, readSeriesData, lookAt }
}

const hero = () => screen.getByRole('region', { name: nodeTexts.hero.label })
const cell = (place: number) => read(hero().children[place]?.textContent)
const facts = () => read(screen.getByRole('region', { name: 'Last good answer' }).textContent)

describe('editing a node in place', () => {
  const settings: Settings = {
    ...EMPTY_SETTINGS,
    services: [aService()],
    nodes: [{ id: NODE_ID, name: 'vela', tags: [], service: BASE_URL, pollIntervalMs: 90_000 }],
  }
  const saved: Settings[] = []
  const saveSettings = (next: Settings): boolean => saved.push(next) > 0

  it('renames it, tags it, removes its name, and closes on Escape', async () => {
    await renderNode(aNode(), { settings, saveSettings })
    await userEvent.click(await screen.findByRole('button', { name: nodeOwnTexts.rename }))
    expect(document.activeElement).toBe(screen.getByLabelText('Name'))
    await userEvent.clear(screen.getByLabelText('Name'))
    await fillIn(screen.getByLabelText('Name'), ' lyra  2 ')
    await userEvent.type(screen.getByLabelText('Tags'), 'eu')
    await userEvent.keyboard('{Enter}')
    expect(saved.at(-1)?.nodes).toEqual([
      { id: NODE_ID, name: 'lyra 2', tags: ['eu'], service: BASE_URL, pollIntervalMs: 90_000 },
    ])
    await userEvent.click(screen.getByRole('button', { name: nodeOwnTexts.rename }))
    await userEvent.clear(screen.getByLabelText('Name'))
    await userEvent.keyboard('{Enter}')
    expect(saved.at(-1)?.nodes[0]).not.toHaveProperty('name')
    await userEvent.click(screen.getByRole('button', { name: nodeOwnTexts.rename }))
    await userEvent.keyboard('{Escape}')
    expect(screen.queryByLabelText('Name')).toBeNull()
  })

  it('sets a missing limit', async () => {
    await renderNode(aNode(), { settings, saveSettings })
    await userEvent.click(within(hero()).getByRole('button', { name: 'Stake: no limit' }))
    const below = await screen.findByLabelText('Stake below')
    await userEvent.type(below, 'much{Enter}')
    expect(descriptionOf(below)).toContain(fieldProblemText({ kind: 'not-a-number' }))
    await userEvent.clear(below)
    await userEvent.type(below, '1000{Enter}')
    expect(saved.at(-1)?.rules).toMatchObject([
      { for: 'node', node: NODE_ID, limits: { stakeBelow: '1000' } },
    ])
    expect(screen.queryByLabelText('Stake below')).toBeNull()
  })

  it('opens at the tags from the palette, and does not save an invalid one', async () => {
    await renderNode(aNode(), { settings, saveSettings })
    await waitFor(() => expect(pageCommands()).not.toEqual([]))
    const count = saved.length
    const command = pageCommands().find(({ label }) => label === nodeOwnTexts.editTags)
    if (command !== undefined && 'run' in command) act(command.run)
    await userEvent.keyboard('2nd{Enter}')
    screen.getByText(formTexts.nodes.problems['bad-tag'])
    expect(saved).toHaveLength(count)
  })

  it('is not offered for a node of the server configuration', async () => {
    const server = { ...NO_SERVER, services: [aService()], nodes: [{ id: NODE_ID, tags: [] }] }
    await renderNode(aNode(), { server })
    await screen.findByRole('region', { name: nodeOwnTexts.title })
    expect(screen.queryByRole('button', { name: nodeOwnTexts.rename })).toBeNull()
  })

  it('cannot be given a limit that the server configuration sets', async () => {
    const limits = { stakeBelow: '9' }
    const server = {
      ...NO_SERVER,
      rules: [{ for: 'node' as const, service: BASE_URL, node: NODE_ID, units: {}, limits }],
    }
    await renderNode(aNode(), { settings, saveSettings, server })
    await userEvent.click(within(hero()).getByRole('button', { name: 'Stake: no limit' }))
    const field = await screen.findByLabelText<HTMLInputElement>('Stake below')
    expect([field.disabled, field.value]).toEqual([true, '9'])
  })

  it('is offered in the command palette', async () => {
    await renderNode(aNode(), { settings, saveSettings })
    await waitFor(() =>
      expect(pageCommands().map(({ label }) => label)).toEqual([
        nodeOwnTexts.rename,
        nodeOwnTexts.editTags,
        ...['Stake deployed', 'Participation', 'Heartbeat age', 'Response time'].map(nodeOwnTexts.setLimit),
      ]),
    )
  })
})

describe('a node that answers', () => {
  it('shows its reported status, since when, and the age of the last answer', async () => {
    const { dashboard } = await renderNode(aNode())
    expect(cell(0)).toContain('Status, as reportedACTIVE')
    expect(cell(0)).toContain('for 8 d 5 h, since 12 Nov 09:02:35 (first seen by this browser)')
    expect(cell(0)).toContain('Last answer 2 s ago, HTTP 200 in 184 ms')
    expect(cell(1)).toContain('4s')
    expect(cell(2)).toContain(nodeTexts.hero.within(6, 8))
    dashboard.advance(7_000)
    expect(cell(0)).toContain('Last answer 9 s ago')
    expect(cell(1)).toContain('11s')
  })

  it('shows the assumed heartbeat unit only if no unit is configured', async () => {
    const atMs = { last_heartbeat: WALL_MS - 6_000 }
    const node = aNode({ reading: aReading({ fields: atMs }) })
    const guessed = await renderNode(node)
    expect(cell(1)).toContain(nodeTexts.hero.heartbeatUnit('ms'))
    guessed.unmount()
    const told: ScopedRule = {
      from: { kind: 'service', by: 'config' },
      units: { heartbeat: 'ms' },
      limits: {},
    }
    await renderNode(node, {
      service: aServiceLive(aService(), { rules: { ...NO_SERVICE_RULES, service: [told] } }),
    })
    expect(cell(1)).not.toContain(nodeTexts.hero.heartbeatUnit('ms'))
  })

  it('tells the engine that it is being viewed, and not again after each answer', async () => {
    const { dashboard, lookAt } = await renderNode(aNode())
    const { key } = aNode()
    expect(lookAt).toHaveBeenCalledWith([key])
    lookAt.mockClear()
    dashboard.show(aSnapshot([aNode({ answered: 241 })]))
    expect(lookAt).not.toHaveBeenCalled()
  })

  it('announces the heartbeat age at most once a minute', async () => {
    const { dashboard } = await renderNode(aNode())
    const spoken = () => read(within(hero()).getByText(/^about/).textContent)
    const first = spoken()
    dashboard.advance(20_000)
    expect(spoken()).toBe(first)
    dashboard.advance(60_000)
    expect(spoken()).not.toBe(first)
  })

  it('raises the heartbeat severity to warning and then critical as the heartbeat ages', async () => {
    const service = aServiceLive(aService({ pollIntervalMs: 3_600_000 }))
    const { dashboard } = await renderNode(aNode(), { service })
    const figure = () => hero().querySelector('.hero-value')?.className
    expect(figure()).toBe('hero-value')
    dashboard.advance(57_000)
    expect(figure()).toBe('hero-value warning')
    expect(cell(2)).toContain(nodeTexts.hero.outside(1, 6, 8))
    dashboard.advance(120_000)
    expect(figure()).toBe('hero-value critical')
    expect(within(hero()).getByText('Heartbeat too old')).toBeDefined()
  })

  it('shows all record fields with exact values', async () => {
    await renderNode(aNode(), { exchange: anExchange() })
    const record = (await screen.findByRole('button', { name: nodeHistoryTexts.record.copy })).closest(
      'section',
    )
    for (const name of Object.keys(RECORD_FIELDS)) expect(record?.textContent).toContain(`"${name}"`)
    expect(record?.textContent).toContain('"stake_deployed": 1250000')
    expect(facts()).toContain('1,250,000')
    expect(facts()).toContain('1,204,882')
    expect(facts()).toContain('98.42 %sent as 0.9842, read as a ratio')
    expect(facts()).toContain('Polls240 answered, 0 failedNext pollin 13 s')
    expect(facts()).not.toContain('while not watched')
  })

  it('shows the request with its signature shortened', async () => {
    await renderNode(aNode(), { exchange: anExchange() })
    const request = await lastRequest()
    await within(request).findByText('HTTP 200')
    expect(request.textContent).toContain('Bearer abababab…ababab')
    expect(request.textContent).not.toContain('ab'.repeat(20))
    expect(request.textContent).not.toContain(nodeHistoryTexts.exchange.body)
  })

  it.each([
    [new RegExp(`^${nodeTexts.copyId}`), NODE_ID],
    [nodeHistoryTexts.record.copy, JSON.stringify(RECORD_FIELDS)],
  ])('has a button %s that copies all of it', async (name, text) => {
    const user = userEvent.setup()
    vi.stubGlobal('isSecureContext', true)
    await renderNode(aNode(), { exchange: anExchange() })
    await user.click(await screen.findByRole('button', { name }))
    expect(await navigator.clipboard.readText()).toBe(text)
  })
})

it('a node page compares all services that report the node, its own service first', async () => {
  const other = aServiceLive(aService({ baseUrl: 'https://other.example' }))
  const snapshot = aSnapshot([aNode({ serviceId: other.id }), aNode()], [other, aServiceLive()])
  await renderNode(aNode(), { snapshot })
  const table = await screen.findByRole('table', { name: nodeHistoryTexts.services.title })
  const heads = textsOf(within(table).getAllByRole('columnheader'))
  expect(heads).toEqual([nodeHistoryTexts.services.value, 'api.immune.example', 'other.example'])
})

describe('changed critical rules', () => {
  it('are listed only if they apply to the node', async () => {
    const builtIn: Settings['alarms']['builtIn'] = [
      { rule: 'unreachable', scope: { for: 'all' }, severity: 'info' },
      { rule: 'unreachable', scope: { for: 'tag', tag: 'eu' }, off: true },
      { rule: 'status-left', scope: { for: 'tag', tag: 'us' }, off: true },
    ]
    const settings = { ...EMPTY_SETTINGS, alarms: { rules: [], maintenance: [], builtIn } }
    await renderNode(aNode({ tags: ['eu'] }), { settings })
    const changed = await screen.findByRole('region', { name: builtInTexts.onNode })
    expect(textsOf(within(changed).getAllByRole('paragraph'))).toEqual(['No usable answer: disabled'])
    within(changed).getByRole('link', { name: builtInTexts.show })
  })

  it('have no section on the page when there are none', async () => {
    await renderNode(aNode())
    await screen.findByRole('region', { name: 'Notes' })
    expect(screen.queryByRole('region', { name: builtInTexts.onNode })).toBeNull()
  })
})

describe('the last answer tabs', () => {
  it('follow arrow keys, Home and End, and reference the visible panel', async () => {
    await renderNode(aNode(), { exchange: anExchange() })
    const tab = (name: string) => screen.getByRole('tab', { name })
    await screen.findByRole('tabpanel', { name: 'Raw record' })
    const both = ['Raw record', 'Last request'] as const
    act(() => tab('Raw record').focus())
    for (const [key, shown, hidden] of [
      ['{ArrowRight}', both[1], both[0]],
      ['{ArrowRight}', both[0], both[1]],
      ['{ArrowLeft}', both[1], both[0]],
      ['{Home}', both[0], both[1]],
      ['{End}', both[1], both[0]],
    ] as const) {
      await userEvent.keyboard(key)
      expect(document.activeElement).toBe(tab(shown))
      const panel = screen.getByRole('tabpanel', { name: shown })
      expect(tab(shown).getAttribute('aria-controls')).toBe(panel.id)
      expect([shown, hidden].map((name) => tab(name).getAttribute('aria-selected'))).toEqual([
        'true',
        'false',
      ])
      expect([shown, hidden].map((name) => tab(name).tabIndex)).toEqual([0, -1])
    }
  })
})

/** Opens the tab that replaces the record with the last request. */
async function lastRequest(): Promise<HTMLElement> {
  await userEvent.click(await screen.findByRole('tab', { name: 'Last request' }))
  return screen.getByRole('region', { name: 'Last request' })
}

describe('a node without a current answer', () => {
  const down = { kind: 'server-error', status: 503, answer: 'busy' } as const

  it('keeps its last values, marked as outdated, while ages keep counting', async () => {
    const { dashboard } = await renderNode(aFailingNode(down))
    expect(cell(0)).toContain('Status, last knownACTIVE')
    expect(cell(0)).toContain('as of 13:56:23, 6 m 12 s ago')
    expect(cell(0)).toContain('Currently unknown.')
    expect(hero().querySelector('.hero-state')?.className).toContain('old')
    expect(cell(1)).toContain(nodeTexts.hero.ageOld('Heartbeat'))
    expect(cell(1)).toContain('6min16s')
    expect(cell(1)).toContain(nodeTexts.hero.ageAtLastAnswer('Heartbeat', '4 s'))
    expect(cell(2)).toContain('7 of 8 unknown')
    expect(within(hero()).getByText('HTTP 503')).toBeDefined()
    dashboard.advance(1_000)
    expect(cell(1)).toContain('6min17s')
  })

  it('keeps the last record and shows the failed answer as the last request', async () => {
    const exchange = anExchange({ startedWallMs: WALL_MS - 5_000, status: 503, body: '<h1>down\u202E</h1>' })
    await renderNode(aFailingNode(down), { exchange })
    const request = await lastRequest()
    expect(await within(request).findByText('HTTP 503')).toBeDefined()
    expect(request.textContent).toContain('<h1>downU+202E</h1>')
    await userEvent.click(screen.getByRole('tab', { name: 'Raw record' }))
    const record = screen.getByRole('region', { name: 'Raw record' })
    expect(record.textContent).toContain(`13:56:23${nodeHistoryTexts.record.kept}`)
    expect(record.textContent).toContain('"status": "ACTIVE"')
    expect(within(record).queryByRole('button')).toBeNull()
  })

  const { noAnswer, noContentType, emptyBody, bodyCut, moreLines } = nodeHistoryTexts.exchange
  it.each<[string, Partial<Exchange>, readonly string[]]>([
    ['had no answer', { status: undefined }, [`Answer${noAnswer}`]],
    ['got an empty body', { contentType: undefined, body: '' }, [noContentType, emptyBody]],
    ['got a cut body', { body: 'x\n'.repeat(44), bodyCut: true }, [bodyCut(88), moreLines(5)]],
  ])('says that the last request %s', async (_what, fields, told) => {
    await renderNode(aFailingNode(down), { exchange: anExchange({ status: 503, ...fields }) })
    const request = await lastRequest()
    for (const text of told) expect(request.textContent).toContain(text)
  })

  it('shows in each row of the chart how old its values are, and not when they changed', async () => {
    const node = aFailingNode(down)
    const { dashboard } = await renderNode({ ...node, episode: undefined, reading: aReading() })
    await screen.findByText(/^changed/)
    dashboard.show(aSnapshot([node]))
    expect(screen.getAllByText(/^6 m 12 s old$/).length).toBeGreaterThan(4)
    expect(screen.queryByText(/^changed/)).toBeNull()
  })

  it('replaces the last request by the one that failed', async () => {
    const { dashboard } = await renderNode(aNode(), { exchange: anExchange() })
    await within(await lastRequest()).findByText('HTTP 200')
    Object.assign(dashboard.engine, { lastExchange: async () => anExchange({ status: 503, body: 'busy' }) })
    dashboard.show(aSnapshot([aFailingNode(down, { failed: 1 })]))
    const failed = screen.getByRole('region', { name: 'Last request' })
    expect(await within(failed).findByText('HTTP 503')).toBeDefined()
  })

  it('becomes outdated as time passes without an answer', async () => {
    const { dashboard } = await renderNode(aNode())
    dashboard.advance(25_000)
    expect(cell(0)).toContain('(no newer answer yet)')
    dashboard.advance(20_000)
    expect(cell(0)).toContain('Status, last known')
    expect(cell(2)).toContain('8 of 8 unknown')
  })

  it('shows placeholders before its first answer', async () => {
    await renderNode(aFailingNode(down, { reading: undefined }))
    expect(cell(0)).toContain('No status yet')
    expect(cell(1)).toContain('–')
    expect(screen.getByText(nodeHistoryTexts.record.none)).toBeDefined()
  })

  it('shows whether its first poll is pending or in flight', async () => {
    const first = await renderNode(aNode({ reading: undefined, answered: 0 }))
    expect(cell(0)).toContain(nodeTexts.hero.notAsked)
    first.unmount()
    await renderNode(aNode({ reading: undefined, answered: 0, inFlight: true }))
    expect(cell(0)).toContain(nodeTexts.hero.beingAsked)
  })
})

describe('an unusual record', () => {
  it('with an unknown status word is info, and shows look-alike letters as code points', async () => {
    await renderNode(aNode({ reading: aReading({ fields: { status: 'ACT\u0406VE' } }) }))
    expect(within(hero()).getByRole('img', { name: 'info' })).toBeDefined()
    expect(cell(0)).toContain(nodeTexts.hero.newWord)
    expect(cell(0)).toContain('U+0406')
    expect(within(hero()).getByText('Status meaning not set')).toBeDefined()
    expect(cell(2)).toContain(nodeTexts.hero.outside(1, 6, 8))
  })

  it('shows hidden characters as code points everywhere', async () => {
    const node = aNode({
      name: 've\u200Bla',
      reading: aReading({ fields: { status: 'A\u202EB\u0000', 'odd\u2066name': 1 } }),
    })
    const { container } = await renderNode(node)
    expect(container.textContent).toContain('veU+200Bla')
    expect(cell(0)).toContain('AU+202EBU+0000')
    expect(facts()).toContain('oddU+2066name')
    for (const hidden of ['\u200b', '\u202e', '\u2066', '\u0000'])
      expect(container.textContent).not.toContain(hidden)
  })

  it('shows and copies every digit of a stake beyond double precision, and rounds it in the chart', async () => {
    const user = userEvent.setup()
    vi.stubGlobal('isSecureContext', true)
    const body = JSON.stringify(RECORD_FIELDS).replace('1250000', '9007199254740993.5')
    await renderNode(aNode({ reading: aReading({ body }) }))
    expect(facts()).toContain('9,007,199,254,740,993.5')
    await user.click(screen.getByRole('button', { name: nodeHistoryTexts.facts.copyStake }))
    expect(await navigator.clipboard.readText()).toBe('9007199254740993.5')
    expect(facts()).toContain(nodeHistoryTexts.chart.rounded)
    expect(await screen.findByText('9.01E15')).toBeDefined()
  })

  it('shows participation sent as a percentage, and how the unit was detected', async () => {
    const detected = { participation: { unit: 'percent', readings: 50 } } as const
    await renderNode(aNode({ reading: aReading({ fields: { network_participation: 98.42 } }) }), {
      service: aServiceLive(undefined, { rules: { ...NO_SERVICE_RULES, detected } }),
    })
    expect(facts()).toContain(
      '98.42 %sent as 98.42, read as a percentage: detected from at least 50 readings',
    )
  })

  it('applies configured units and status words, and shows extra fields', async () => {
    const reading = aReading({ fields: { status: 'DRAINING' } })
    const extraFields = [{ name: 'region\u202e', valueText: '"eu"' }]
    const rule: ScopedRule = {
      from: { kind: 'tag', tag: 'eu', by: 'config' },
      units: {
        stakeDecimals: 6,
        stakeSymbol: 'IMN',
        statusWords: [{ word: 'DRAINING', means: 'bad' }],
      },
      limits: {},
    }
    await renderNode(
      aNode({ tags: ['eu'], reading: { ...reading, record: { ...reading.record, extraFields } } }),
      {
        service: aServiceLive(undefined, { rules: { ...NO_SERVICE_RULES, tags: [rule] } }),
      },
    )
    expect(facts()).toContain('1.25 IMN')
    expect(facts()).toContain('sent as 1250000, read with 6 decimals: set for tag eu in the server')
    expect(facts()).toContain('regionU+202E"eu"')
    expect(cell(0)).not.toContain(nodeTexts.hero.newWord)
    expect(cell(2)).toContain('Status bad')
  })

  it('reports participation outside its range as not charted', async () => {
    await renderNode(aNode({ reading: aReading({ fields: { network_participation: 250 } }) }))
    expect(facts()).toContain('250 is out of range and not charted')
  })

  it('marks a truncated proof with its length and fingerprint in the facts and in the record', async () => {
    const fields = { cryptographic_proof: `0x${'9c'.repeat(2_000)}` }
    await renderNode(aNode({ reading: aReading({ fields }) }))
    const mark = /… \(4,002 characters, fingerprint [\da-f]{16}\)/
    expect(facts()).toMatch(new RegExp(`0x9c9c${mark.source}`))
    const record = screen.getByRole('region', { name: nodeHistoryTexts.record.title })
    expect(record.textContent).toMatch(new RegExp(`9c"${mark.source}`))
  })

  it('uses its valid fields and names each missing or invalid one', async () => {
    const fields = { last_heartbeat: undefined, cryptographic_proof: 'zz', threat_responses_executed: -1 }
    await renderNode(aNode({ reading: aReading({ fields }) }))
    expect(cell(0)).toContain('ACTIVE')
    expect(cell(1)).toContain(nodeTexts.hero.ageUnusable('Heartbeat'))
    expect(facts()).toContain('last_heartbeat is missing')
    expect(facts()).toContain('cryptographic_proof is not 0x followed by hex digits')
    expect(facts()).toContain('threat_responses_executed is negative')
    expect(within(hero()).getByText('Record has unusable fields')).toBeDefined()
  })

  const { noProofProfile, proofNext, coversAll } = nodeHistoryTexts.facts
  const VERIFIED = { kind: 'verified' } as const
  const MISMATCH = { kind: 'wrong', reason: 'mismatch' } as const
  const LACKING = { kind: 'not-checked', reason: 'member', at: 'height' } as const
  const PARTIAL = { scheme: 'ed25519', template: '{raw.status}', key: { from: 'fixed', hex: '0'.repeat(64) } }
  const notSigned = 'cryptographic_proof is not a signature of this record by the node’s key'
  const notCovered = 'The signature is valid, but does not cover node_id, stake_deployed,'
  const noHeight = 'Reason: the record lacks the field height that the proof covers.'
  it.each([
    [undefined, undefined, 'Not checked', noProofProfile, 'not checked', 'Proof not checked'],
    ['record-v1', undefined, 'Not checked', proofNext, 'not checked', 'Proof not checked'],
    ['record-v1', VERIFIED, 'Verified', coversAll('node-id'), 'within limits', 'Proof verified'],
    [PARTIAL, VERIFIED, 'Verified', notCovered, 'within limits', 'Proof verified'],
    ['record-v1', MISMATCH, 'Wrong', notSigned, 'critical', 'Proof wrong'],
    ['record-v1', LACKING, 'Not checked', noHeight, 'warning', 'Proof can’t be checked'],
  ] as const)(
    'with proof profile %j and verdict %j shows “%s”',
    async (proof, verdict, word, why, shape, check) => {
      const service = aServiceLive(aService(proof === undefined ? {} : { proof }))
      const reading = { ...aReading(), ...(verdict && { proof: verdict }) }
      await renderNode(aNode({ reading }), { service })
      expect(facts()).toContain(`${word}${why}`)
      const line = within(hero()).getByText(check).closest('li') ?? hero()
      expect(within(line).getByRole('img').getAttribute('aria-label')).toBe(shape)
    },
  )

  it.each([
    [{ from: 'member', name: 'node_key', encoding: 'hex', nodeId: { hash: 'none' } }, 'the node’s key'],
    [{ from: 'fixed', hex: '0'.repeat(64) }, 'the service’s key'],
  ])('with a proof by the key %j says that %s signed every field', async (key, whose) => {
    const service = aServiceLive(aService({ proof: { ...PROOF_PROFILES['record-v1'], key } }))
    await renderNode(aNode({ reading: { ...aReading(), proof: { kind: 'verified' } } }), { service })
    expect(facts()).toContain(`Every field shown is signed by ${whose}.`)
  })

  it('drops the verified mark from a proof while the service does not answer for the node', async () => {
    const service = aServiceLive(aService({ proof: 'record-v1' }))
    const reading = { ...aReading(), proof: { kind: 'verified' } as const }
    const glyph = () => screen.getByText('Verified').closest('.finding')?.querySelector('svg')?.classList
    const { unmount } = await renderNode(aNode({ reading }), { service })
    expect(glyph()).toContain('glyph-done')
    unmount()
    await renderNode(aFailingNode({ kind: 'node-unknown' }, { reading }), { service })
    expect(glyph()).toContain('glyph-none')
  })

  it('shows no age for a heartbeat in the future', async () => {
    await renderNode(aNode({ reading: aReading({ fields: { last_heartbeat: WALL_MS / 1_000 + 250 } }) }))
    expect(cell(1)).toContain('4 m 11 s in the future')
    expect(hero().querySelector('.hero-value')?.textContent).toBe('–')
  })

  it('shows how often and when a counter restarted', async () => {
    const counter = { increase: 49, unwatched: 12, restarts: 2, lastRestartWallMs: WALL_MS - 125_000 }
    await renderNode(aNode({ counters: { threatResponses: counter } }))
    expect(facts()).toContain('+49 since watching began+12 while not watched2 restarts, last at 14:00:30')
  })

  it('from a cache shows its age on arrival', async () => {
    await renderNode(aNode({ reading: aReading({ cachedForS: 90 }) }))
    expect(facts()).toContain('From a cache1 m 30 s old on arrival')
  })

  it('never shows NaN, Infinity, undefined or an object as text', async () => {
    const body = '{"stake_deployed":1e999,"network_participation":-0,"last_heartbeat":1e300,"status":{}}'
    const { container } = await renderNode(aNode({ reading: aReading({ body }) }))
    expect(container.textContent).not.toMatch(/NaN|Infinity|undefined|\[object/)
  })
})

describe('the time axis', () => {
  const range = () => screen.findByRole('combobox', { name: nodeHistoryTexts.range.legend })
  const choose = async (value: string) => userEvent.selectOptions(await range(), value)
  const lastQuery = (readSeriesData: {
    readonly mock: { readonly calls: readonly (readonly [SeriesQuery])[] }
  }) =>
    // A query that looks for the start of the history has one bar for the whole range.
    readSeriesData.mock.calls
      .map(([query]) => query)
      .findLast(({ fromMs, toMs, barMs }) => barMs < toMs - fromMs)

  it('offers every range, and shows a short history from its start', async () => {
    const { readSeriesData } = await renderNode(aNode(), { startedWallMs: WALL_MS - 120_000 })
    const bar = (await range()).closest('.flow')
    if (!(bar instanceof HTMLElement)) throw new Error('no bar')
    const shown = textsOf(within(bar).getAllByRole('option')).map(read)
    expect(shown).toEqual(['15 m', '1 h', '6 h', '24 h', '7 d', '30 d', '90 d', nodeHistoryTexts.range.dates])
    expect(within(bar).queryAllByRole('button')).toHaveLength(5)
    const report = within(bar).getByRole('link', { name: availabilityTexts.link })
    expect(report.getAttribute('href')).toBe(`#${reportPath([aNode().key])}`)
    const query = lastQuery(readSeriesData)
    expect((query?.toMs ?? 0) - (query?.fromMs ?? 0)).toBe(120_000)
    screen.getByText(read(nodeHistoryTexts.range.recorded('2 m')))
  })

  it('does not mention the recorded time when it covers the chosen range', async () => {
    await renderNode(aNode(), { startedWallMs: WALL_MS - 86_400_000 })
    expect(screen.queryByText(/recorded so far/)).toBeNull()
  })

  it('starts when a node that was added later was first watched', async () => {
    const addedMs = WALL_MS - 240_000
    const { readSeriesData } = await renderNode(aNode(), {
      startedWallMs: WALL_MS - 30 * 86_400_000,
      readSeriesData: async (query) => ({
        ...emptySeriesData(query),
        spans: [
          ...(query.fromMs < addedMs
            ? [{ fromMs: query.fromMs, toMs: Math.min(query.toMs, addedMs), kind: 'not-watched' as const }]
            : []),
          { fromMs: Math.max(query.fromMs, addedMs), toMs: query.toMs, kind: 'answered' },
        ],
      }),
    })
    await waitFor(() => expect(lastQuery(readSeriesData)?.fromMs).toBe(addedMs))
    expect(readSeriesData.mock.calls.length).toBeLessThan(12)
  })

  it('keeps the chosen range in the URL', async () => {
    const node = aNode()
    const { addresses, readSeriesData } = await renderNode(node, { startedWallMs: WALL_MS - 7_200_000 })
    await choose('1h')
    expect(addresses().at(-1)).toBe(`${nodePath(node.key)}?range=1h`)
    const query = lastQuery(readSeriesData)
    expect((query?.toMs ?? 0) - (query?.fromMs ?? 0)).toBe(3_600_000)
  })

  it('reads the range from the URL, and falls back to the shortest if it is invalid', async () => {
    const node = aNode()
    const first = await renderNode(node, { path: `${nodePath(node.key)}?range=24h`, startedWallMs: 0 })
    expect(lastQuery(first.readSeriesData)?.barMs).toBe(1_800_000)
    first.unmount()
    const second = await renderNode(node, { path: `${nodePath(node.key)}?range=9y`, startedWallMs: 0 })
    expect(lastQuery(second.readSeriesData)?.barMs).toBe(15_000)
  })

  it('advances in whole columns, stops when paused, and steps back and forth', async () => {
    const { dashboard, readSeriesData } = await renderNode(aNode(), { startedWallMs: WALL_MS - 7_200_000 })
    const to = () => (lastQuery(readSeriesData)?.toMs ?? 0) - WALL_MS
    const start = to()
    expect(screen.getByRole('button', { name: 'Later' })).toHaveProperty('disabled', true)
    expect(start).toBeGreaterThanOrEqual(0)
    expect(start).toBeLessThan(5_000)
    dashboard.advance(60_000)
    expect(to()).toBe(start + 60_000)
    await userEvent.click(screen.getByRole('button', { name: nodeHistoryTexts.range.live }))
    expect(screen.getByRole('button', { name: nodeHistoryTexts.range.paused })).toBeTruthy()
    dashboard.advance(60_000)
    expect(to()).toBe(start + 60_000)
    await userEvent.click(screen.getByRole('button', { name: 'Earlier' }))
    expect(to()).toBe(start + 60_000 - 450_000)
    await userEvent.click(screen.getByRole('button', { name: 'Later' }))
    await userEvent.click(screen.getByRole('button', { name: 'Later' }))
    expect(screen.getByRole('button', { name: nodeHistoryTexts.range.live })).toBeTruthy()
    expect(to()).toBe(start + 120_000)
  })

  it('copies a link to the visible range, and lists notes that concern no single node', async () => {
    const user = userEvent.setup()
    vi.stubGlobal('isSecureContext', true)
    const note = { id: '1', wallMs: WALL_MS - 60_000, area: 'operator', what: 'note' } as const
    const entries = [{ ...note, facts: { note: 'hall 2 is dark' } }]
    await renderNode(aNode(), { readEvents: async () => ({ entries, before: undefined }) })
    await user.click(screen.getByRole('button', { name: new RegExp(nodeHistoryTexts.range.copyLink) }))
    expect(await navigator.clipboard.readText()).toMatch(/[?&]from=2026-.*&to=2026-/)
    const history = within(screen.getByRole('region', { name: /^History of the node/ }))
    await user.click(history.getByText(nodeHistoryTexts.chart.showTable))
    expect(history.getByText(/hall 2 is dark/)).toBeDefined()
  })

  it('shows a range chosen by date, and explains why an invalid one is rejected', async () => {
    const { readSeriesData, addresses } = await renderNode(aNode(), { startedWallMs: WALL_MS - 7_200_000 })
    await choose('dates')
    const from = screen.getByLabelText('From (UTC)')
    const to = screen.getByLabelText('To (UTC)')
    const fill = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } })
    for (const [name, first, end] of [
      [nodeHistoryTexts.stretch.yesterday, '19', '20'],
      [nodeHistoryTexts.stretch.week, '14', '21'],
    ] as const) {
      await userEvent.click(screen.getByRole('button', { name }))
      for (const [field, day] of [
        [from, first],
        [to, end],
      ] as const)
        expect(field).toHaveProperty('value', `2026-11-${day}T00:00`)
    }
    fill(from, '2026-11-20T03:00')
    fill(to, '2026-11-20T03:00')
    await userEvent.click(screen.getByRole('button', { name: 'Show' }))
    expect(screen.getByText(nodeHistoryTexts.stretch.turnedRound)).toBeDefined()
    fill(from, '2126-11-20T03:00')
    expect(screen.getByText(nodeHistoryTexts.stretch.inFuture, { exact: false })).toBeDefined()
    fill(from, '')
    expect(screen.getByText(nodeHistoryTexts.stretch.notATime, { exact: false })).toBeDefined()
    fill(from, '2019-11-20T02:00')
    expect(screen.getByText(/^At most .* at once/)).toBeDefined()
    fill(from, '2026-11-20T02:00')
    await userEvent.click(screen.getByRole('button', { name: 'Show' }))
    expect(lastQuery(readSeriesData)).toMatchObject({
      fromMs: Date.UTC(2026, 10, 20, 2),
      toMs: Date.UTC(2026, 10, 20, 3),
    })
    expect(decodeURIComponent(addresses().at(-1) ?? '')).toContain(
      '?range=15m&from=2026-11-20T02:00:00.000Z&to=2026-11-20T03:00:00.000Z',
    )
  })

  it('zooms into a dragged range, and resets on double-click', async () => {
    const { readSeriesData } = await renderNode(aNode(), { startedWallMs: WALL_MS - 7_200_000 })
    const whole = lastQuery(readSeriesData)
    const drag = async () => {
      const slider = await screen.findByRole('slider')
      fireEvent.pointerDown(slider, { clientX: 300, button: 0, pointerId: 1 })
      fireEvent.pointerMove(slider, { clientX: 500, buttons: 1, pointerId: 1 })
      fireEvent.pointerUp(slider, { clientX: 500, pointerId: 1 })
    }
    await drag()
    const closer = lastQuery(readSeriesData)
    expect(closer?.fromMs).toBeGreaterThan(whole?.fromMs ?? 0)
    expect(closer?.toMs).toBeLessThan(whole?.toMs ?? 0)
    await drag()
    expect(lastQuery(readSeriesData)?.fromMs).toBeGreaterThan(closer?.fromMs ?? 0)
    for (const before of [closer, whole]) {
      fireEvent.doubleClick(await screen.findByRole('slider'))
      expect(lastQuery(readSeriesData)).toEqual(before)
    }
  })

  it('reads the samples again after an answer, but not each second', async () => {
    const { dashboard, readSeriesData } = await renderNode(aNode())
    const before = readSeriesData.mock.calls.length
    dashboard.advance(1_000)
    dashboard.advance(1_000)
    expect(readSeriesData.mock.calls.length).toBe(before)
    dashboard.show(aSnapshot([aNode({ answered: 241 })]))
    await waitFor(() => expect(readSeriesData.mock.calls.length).toBeGreaterThan(before))
  })

  it('reports that samples can’t be read, and still shows the status', async () => {
    await renderNode(aNode(), { readSeriesData: () => Promise.reject(new Error('lost')) })
    expect(await screen.findByText(nodeHistoryTexts.chart.failed, { exact: false })).toBeDefined()
    expect(cell(0)).toContain('ACTIVE')
  })
})

describe('the page of an unwatched node', () => {
  it('links to the node list', () => {
    const dashboard = fakeDashboard()
    renderWith(dashboard, <NodePage nodeKey={nodeKeyFromText('nobody')} />)
    expect(screen.getByText('This node is not watched here')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Show all nodes' }).getAttribute('href')).toBe('#/nodes')
  })

  it('shows that it is waiting while no node is known yet', () => {
    renderWith(fakeDashboard({ snapshot: aSnapshot([]) }), <NodePage nodeKey={nodeKeyFromText('x')} />)
    expect(screen.getByRole('status', { name: 'Waiting for the first nodes' })).toBeDefined()
  })

  it('shows the node as soon as it is watched', async () => {
    const node = aNode()
    const dashboard = fakeDashboard({
      snapshot: aSnapshot([]),
      engine: {
        readSeriesData: async (query) => emptySeriesData(query),
        lastExchange: async () => undefined,
      },
    })
    renderWith(dashboard, <NodePage nodeKey={node.key} />)
    dashboard.show({ ...aSnapshot([node]), nowMs: NOW_MS })
    expect(await screen.findByRole('region', { name: nodeTexts.hero.label })).toBeDefined()
    await screen.findByRole('region', { name: /^History of the node/ })
  })
})

describe('the operator’s notes', () => {
  const watched = (notes?: string): Settings => ({
    ...EMPTY_SETTINGS,
    services: [aService()],
    nodes: [{ id: NODE_ID, tags: ['eu'], ...(notes !== undefined && { notes }) }],
  })
  const own = () => within(screen.getByRole('region', { name: 'Notes' }))

  it('appear as plain text, with links to the node’s settings and tag', async () => {
    await renderNode(aNode({ tags: ['eu'] }), { settings: watched('rack 4\n<b>Ann</b> \u202eeno') })
    own().getByText('rack 4')
    own().getByText(/<b>Ann<\/b>/)
    own().getByText('U+202E')
    const settings = own().getByRole('link', { name: 'Units, limits and notes' }).getAttribute('href') ?? ''
    expect(decodeURIComponent(settings)).toBe(`#/settings/units?for=node ${BASE_URL} ${NODE_ID}`)
    expect(own().getByRole('link', { name: 'eu' }).getAttribute('href')).toBe('#/nodes?tag=eu')
  })
})
