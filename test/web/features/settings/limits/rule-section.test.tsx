import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DocumentSection } from '#features/settings/data/document-section.tsx'
import { RuleSection } from '#features/settings/limits/rule-section.tsx'
import { Messages } from '#features/shell/messages.tsx'
import { clearKept, keepCopy, noteUndo } from '#platform/kept-settings.ts'
import { NO_SERVICE_RULES, EMPTY_SETTINGS, type ScopedRule } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Dashboard } from '#react/dashboard.ts'
import { useLocation } from '#react/location.ts'
import { fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import {
  aNode,
  aReading,
  aService,
  aServiceLive,
  aSnapshot,
  BASE_URL,
  NODE_ID,
} from '#test/support/fleet-fixture.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { descriptionOf, read } from '#test/support/texts-of.ts'
import { nodeOwnTexts } from '#texts/en-node-own.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import { ruleTexts, documentTexts } from '#texts/en-rules.ts'
import { settingsTexts } from '#texts/en-settings.ts'

installDialog()
beforeEach(() => clearKept())

const SETTINGS: Settings = {
  ...EMPTY_SETTINGS,
  services: [aService({ label: 'mainnet' })],
  nodes: [{ id: NODE_ID, name: 'vela', tags: ['eu'] }],
}
const detected = {
  participation: { unit: 'percent', readings: 50 },
  heartbeatPeriod: { periodMs: 30_000, readings: 32 },
} as const
const ofTag: ScopedRule = {
  from: { kind: 'tag', tag: 'eu', by: 'browser' },
  units: {},
  limits: { answerTimeAboveMs: 2_000 },
}

function setUp(options: FakeOptions = {}) {
  const saved: Settings[] = []
  const reading = aReading({ fields: { status: 'DRAINING', region: 'eu' } })
  const dashboard = fakeDashboard({
    settings: SETTINGS,
    snapshot: aSnapshot(
      [aNode({ reading, tags: ['eu'] })],
      [aServiceLive(undefined, { rules: { ...NO_SERVICE_RULES, tags: [ofTag], detected } })],
    ),
    saved,
    ...options,
  })
  return { dashboard, saved, user: userEvent.setup() }
}
const field = (name: string) => screen.getByRole('textbox', { name })
const choice = (name: string) => screen.getByRole('combobox', { name })
const hintOf = (element: HTMLElement): string => read(descriptionOf(element))

describe('the units and limits section', () => {
  it.each([
    ['95 %', 0.95],
    ['0.95 %', 0.0095],
  ])('asks which percentage 0.95 means, and saves the answer: %s', async (meant, participationBelow) => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <RuleSection />)
    await fillIn(field(ruleTexts.fields.participationBelow), '0.95')
    await user.click(screen.getByRole('button', { name: meant }))
    expect(screen.queryByText(ruleTexts.percentDoubt)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(saved.at(-1)?.rules[0]?.limits).toEqual({ participationBelow })
  })

  it('disables fields set by the server, and shows and keeps this browser’s own values', async () => {
    const theirs = {
      for: 'service' as const,
      service: BASE_URL,
      units: {
        participation: 'percent' as const,
        statusWords: [{ word: 'DRAINING', means: 'bad' as const }],
      },
      limits: { stakeBelow: '1000' },
    }
    const own = {
      ...theirs,
      units: { participation: 'ratio' as const, statusWords: [{ word: 'DRAINING', means: 'good' as const }] },
      limits: { stakeBelow: '7' },
    }
    const { dashboard, saved, user } = setUp({
      settings: { ...SETTINGS, rules: [own] },
      server: { version: 1, services: [], nodes: [], rules: [theirs], canAddServices: false },
    })
    renderWith(dashboard, <RuleSection />)
    screen.getByText(ruleTexts.fromServer)
    const stake = field(ruleTexts.fields.stakeBelow)
    expect([
      stake,
      choice(ruleTexts.fields.participation),
      choice(ruleTexts.fields.word('DRAINING')),
    ]).toMatchObject(['1000', 'percent', 'bad'].map((value) => ({ value, disabled: true })))
    expect(hintOf(stake)).toContain(ruleTexts.fixed)
    expect(hintOf(stake)).toContain(ruleTexts.ownKept('7'))
    expect(hintOf(choice(ruleTexts.fields.participation))).toContain(
      ruleTexts.ownKept(ruleTexts.fields.participationNames.ratio),
    )
    await user.type(field(ruleTexts.fields.participationBelow), '90')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(saved.at(-1)?.rules).toEqual([{ ...own, limits: { stakeBelow: '7', participationBelow: 0.9 } }])
  })

  it('shows each value in effect with its source, and saves changes for the service', async () => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <RuleSection />)
    expect(hintOf(choice(ruleTexts.fields.participation))).toBe(
      'In effect: percentage, 0 to 100, detected from at least 50 readings.',
    )
    expect(hintOf(field(ruleTexts.fields.heartbeatPeriod))).toBe(
      'In effect: 30 s, detected from at least 32 readings. “detect”: measured from the heartbeats.',
    )
    expect(hintOf(field(ruleTexts.fields.heartbeatWarning))).toBe('In effect: 2 m, default.')
    expect(hintOf(field(ruleTexts.fields.heartbeatCritical))).toBe('In effect: 6 m, default.')
    expect(hintOf(field(ruleTexts.fields.extraFields))).toBe('Seen in records: region.')
    await user.selectOptions(choice(ruleTexts.fields.participation), 'ratio, 0 to 1')
    await fillIn(field(ruleTexts.fields.participationBelow), '97.5')
    await user.selectOptions(choice(ruleTexts.fields.word('DRAINING')), ruleTexts.fields.meanings.warning)
    await fillIn(field(ruleTexts.fields.newWord), 'IDLE ')
    await user.click(screen.getByRole('button', { name: ruleTexts.fields.addWord }))
    await user.selectOptions(screen.getByRole('combobox', { name: /IDLE/ }), 'good')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(saved.at(-1)?.rules).toEqual([
      {
        for: 'service',
        service: BASE_URL,
        units: {
          participation: 'ratio',
          statusWords: [
            { word: 'DRAINING', means: 'warning' },
            { word: 'IDLE ', means: 'good' },
          ],
        },
        limits: { participationBelow: 0.975 },
      },
    ])
    screen.getByText(settingsTexts.saved)
  })

  it('saves rules for a tag and for a node, but not while a field is invalid', async () => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <RuleSection />)
    await fillIn(field('Stake below'), 'unsaved')
    await user.selectOptions(choice(ruleTexts.scope), 'every node with tag eu')
    expect(field('Stake below')).toHaveProperty('value', '')
    // The tag’s only node belongs to one service, so the value in effect is known.
    expect(hintOf(choice(ruleTexts.fields.participation))).toContain('In effect: percentage')
    expect(hintOf(field(ruleTexts.fields.answerTime))).toBe('In effect: 2 s, set for tag eu.')
    const { participationBelow, participationAbove } = ruleTexts.fields
    expect([participationBelow, participationAbove].map((name) => hintOf(field(name)))).toEqual([
      'In effect: 90.00 %, default.',
      'In effect: no limit, default.',
    ])
    screen.getByText('1 node.')
    expect(screen.getByRole('link', { name: nodeOwnTexts.toTag }).getAttribute('href')).toBe('#/nodes?tag=eu')
    await fillIn(field('Stake below'), 'much')
    await fillIn(field('Stake decimals'), '40')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(saved).toEqual([])
    expect(hintOf(field('Stake below'))).toContain(fieldProblemText({ kind: 'not-a-number' }))
    expect(hintOf(field('Stake decimals'))).toContain('Between 0 and 36.')
    for (const name of ['Stake below', 'Stake decimals']) await user.clear(field(name))
    await fillIn(field('Stake below'), '1,000')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await user.selectOptions(choice(ruleTexts.scope), 'node vela of mainnet')
    await user.type(field(ruleTexts.fields.stakeSymbol), 'IMN')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(saved.at(-1)?.rules).toEqual([
      { for: 'tag', tag: 'eu', units: {}, limits: { stakeBelow: '1000' } },
      { for: 'node', service: BASE_URL, node: NODE_ID, units: { stakeSymbol: 'IMN' }, limits: {} },
    ])
  })

  it('shows no value in effect for a tag whose nodes belong to several services', async () => {
    const other = aService({ baseUrl: 'https://other.example' })
    const nodes = [aNode(), aNode({ serviceId: serviceIdOf(other.baseUrl) })]
    const { dashboard, user } = setUp({
      snapshot: aSnapshot(
        nodes.map((node) => ({ ...node, tags: ['eu'] })),
        [aServiceLive(), aServiceLive(other)],
      ),
    })
    renderWith(dashboard, <RuleSection />)
    expect(hintOf(field(ruleTexts.fields.answerTime))).toContain('In effect')
    await user.selectOptions(choice(ruleTexts.scope), 'every node with tag eu')
    expect(hintOf(field(ruleTexts.fields.answerTime))).not.toContain('In effect')
  })

  it('shows the scope that a link names, even after another was chosen from the list', async () => {
    const ToTag = () => {
      const [, navigate] = useLocation()
      return <button onClick={() => navigate('/settings/units?for=tag%20eu')}>to tag</button>
    }
    const { dashboard, user } = setUp()
    renderWith(
      dashboard,
      <>
        <RuleSection />
        <ToTag />
      </>,
    )
    await user.selectOptions(choice(ruleTexts.scope), 'node vela of mainnet')
    await user.click(screen.getByRole('button', { name: 'to tag' }))
    expect(screen.getByRole('option', { selected: true, name: /tag eu$/ })).toBeDefined()
  })

  it('links a node to its page and tags, and saves its notes unless they are too long', async () => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <RuleSection />)
    await user.selectOptions(choice(ruleTexts.scope), 'node vela of mainnet')
    const own = within(screen.getByRole('region', { name: 'This node' }))
    const key = nodeKeyOf(serviceIdOf(BASE_URL), NODE_ID)
    expect(own.getByRole('link', { name: nodeOwnTexts.toNode }).getAttribute('href')).toBe(`#/nodes/${key}`)
    expect(own.getByRole('link', { name: 'eu' }).getAttribute('href')).toBe('#/settings/units?for=tag%20eu')
    const notes = own.getByRole('textbox', { name: 'Notes' })
    await user.click(notes)
    await user.paste('x'.repeat(2_001))
    expect(hintOf(notes)).toBe(`${nodeOwnTexts.hint(2001, 2000)} ${nodeOwnTexts.tooLong(2000)}`)
    expect(own.getByRole('button', { name: 'Save notes' })).toHaveProperty('disabled', true)
    await user.type(notes, '{Backspace}')
    expect(own.getByRole('button', { name: 'Save notes' })).toHaveProperty('disabled', false)
    await user.clear(notes)
    await user.type(notes, 'rack 4{Enter}ask Ann')
    await user.click(own.getByRole('button', { name: 'Save notes' }))
    expect(saved.at(-1)?.nodes).toEqual([
      { id: NODE_ID, name: 'vela', tags: ['eu'], notes: 'rack 4\nask Ann' },
    ])
    own.getByText(settingsTexts.saved)
  })
})

it('the message about an unknown status word saves the meaning the user picks', async () => {
  const { dashboard, saved, user } = setUp()
  renderWith(dashboard, <Messages path="/nodes" node={undefined} briefly={false} />)
  await user.click(screen.getByRole('button', { name: ruleTexts.say.warning }))
  expect(saved.at(-1)?.rules[0]?.units.statusWords).toEqual([{ word: 'DRAINING', means: 'warning' }])
})

describe('the settings document section', () => {
  const file = (document: unknown) =>
    new File([typeof document === 'string' ? document : JSON.stringify(document)], 'x.json')

  it('lists changes in words, and restores the settings from before an older one', async () => {
    const restoreSettings = vi.fn<Dashboard['restoreSettings']>(() => true)
    const before: Settings = { ...EMPTY_SETTINGS, history: { ...EMPTY_SETTINGS.history, samplesDays: 3 } }
    noteUndo(before)
    noteUndo({ ...SETTINGS, display: { ...SETTINGS.display, theme: 'dark' } })
    const { dashboard, user } = setUp({ restoreSettings })
    renderWith(dashboard, <DocumentSection />)
    screen.getByText('Changed display: theme')
    const [newest, older] = screen.getAllByRole('button', { name: /^(Undo|Undo back to here)$/ })
    if (newest === undefined || older === undefined) throw new Error('no steps')
    await user.click(older)
    expect(restoreSettings).toHaveBeenCalledWith(before, expect.any(Number))
    screen.getByText(documentTexts.undone)
  })

  it('lists what an import changes and leaves out before saving it', async () => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <DocumentSection />)
    const input = screen.getByLabelText(documentTexts.import)
    await user.upload(
      input,
      file({ ...SETTINGS, version: 9, nodes: [], moods: [], display: { theme: 'dark' } }),
    )
    const dialog = await screen.findByRole('dialog')
    expect(dialog.textContent).toContain('Removed 1 node')
    expect(dialog.textContent).toContain('Changed display: theme')
    expect(dialog.textContent).toContain('moods')
    expect(saved).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Import' }))
    expect(saved.at(-1)).toMatchObject({ version: 1, nodes: [], display: { theme: 'dark' } })
  })

  it.each([['{'], ['[]'], ['7']])('rejects the file %j and saves nothing', async (text) => {
    const { dashboard, saved, user } = setUp()
    renderWith(dashboard, <DocumentSection />)
    await user.upload(screen.getByLabelText(documentTexts.import), file(text))
    await screen.findByText(documentTexts.importBad, { exact: false })
    expect(saved).toEqual([])
  })

  it('lists a damaged copy until the user removes it', async () => {
    keepCopy('{"version":99')
    const { dashboard, user } = setUp()
    renderWith(dashboard, <DocumentSection />)
    screen.getByText('13 characters')
    await user.click(screen.getByRole('button', { name: 'Remove' }))
    expect(screen.queryByText('13 characters')).toBeNull()
  })
})
