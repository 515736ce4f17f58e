import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { TestDraft } from '#engine/bridge.ts'
import { SettingsPage } from '#features/settings/settings-page.tsx'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { fieldProblemText } from '#texts/en-field-problems.ts'
import type { Dashboard } from '#react/dashboard.ts'
import type { SignerAdmin } from '#signer/api.ts'
import {
  NO_SERVER,
  A_KEY,
  fakeDashboard,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'
import { giveLayout } from '#test/support/jsdom-layout.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { descriptionOf } from '#test/support/texts-of.ts'
import { formatCount, formatSpan } from '#texts/format.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { formTexts } from '#texts/en-first-run.ts'

const SETTINGS: Settings = {
  ...EMPTY_SETTINGS,
  services: [aService({ label: 'mainnet' })],
  nodes: [
    { id: '0x1', name: 'one', service: BASE_URL, tags: ['eu'] },
    { id: '0x2', service: BASE_URL, tags: [] },
  ],
}
const OTHER_URL = 'https://other.example'
const TWO_SERVICES: Settings = {
  ...SETTINGS,
  services: [...SETTINGS.services, aService({ label: 'testnet', baseUrl: OTHER_URL })],
  nodes: [...SETTINGS.nodes, { id: '0x3', service: OTHER_URL, tags: [] }],
}

beforeAll(() => {
  installDialog()
  giveLayout()
})

function setUp(options: FakeOptions = {}, path = '/settings/services') {
  const user = userEvent.setup()
  const saved: Settings[] = []
  const dashboard = fakeDashboard({
    allowService: async () => ({ ok: true, value: undefined }),
    settings: SETTINGS,
    saved,
    refreshKeys: () => Promise.resolve(),
    ...options,
  })
  return { user, saved, dashboard, ...renderWith(dashboard, <SettingsPage />, path) }
}

const panel = (name: string) => within(screen.getByRole('region', { name }))
const section = (name: string) => within(screen.getByRole('region', { name, hidden: false }))
const field = (name: string) => screen.getByRole('textbox', { name })
const press = async (user: ReturnType<typeof userEvent.setup>, name: string, place = within(document.body)) =>
  user.click(place.getByRole('button', { name }))

const replace = async (user: ReturnType<typeof userEvent.setup>, box: HTMLElement, text: string) => {
  await user.clear(box)
  if (text !== '') await fillIn(box, text)
}

describe('the settings URL', () => {
  it.each([
    ['/settings/nowhere', true],
    ['/settings/keys', true],
    ['/settings', false],
    ['/settings/', false],
    ['/settings/Services', false],
    ['/settings/services', false],
  ])('%s shows the services, with a notice of an unknown section: %s', (path, isUnknown) => {
    setUp({}, path)
    panel('mainnet')
    const said = screen.queryByText(settingsTexts.unknownSection(settingsTexts.sections.services))
    expect(said !== null).toBe(isUnknown)
  })
})

describe('a service', () => {
  it('is sent to the dashboard’s server when the user saves it unchanged', async () => {
    const allowService = vi.fn<Dashboard['allowService']>(async () => ({ ok: true, value: undefined }))
    const { user, saved } = setUp({ allowService })
    await press(user, settingsTexts.edit, panel('mainnet'))
    await press(user, settingsTexts.save, panel('mainnet'))
    expect(allowService).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ baseUrl: SETTINGS.services[0]?.baseUrl }),
    )
    expect(saved).toHaveLength(1)
  })

  it('is saved after an edit, and the status region confirms it', async () => {
    const { user, saved } = setUp()
    // Screen readers ignore a status that arrives together with its text.
    const said = panel('mainnet').getByRole('status')
    await press(user, 'Edit', panel('mainnet'))
    await replace(user, field(settingsTexts.services.fields.poll), '2,5')
    await press(user, 'Save', panel('mainnet'))
    expect(saved).toHaveLength(1)
    expect(saved[0]?.services).toEqual([aService({ label: 'mainnet', pollIntervalMs: 2_500 })])
    expect(saved[0]?.nodes).toEqual(SETTINGS.nodes)
    expect(said.textContent).toBe(settingsTexts.saved)
  })

  it('shows whether it and its signing profile come from this browser or the server', () => {
    const profile = { v: 1, message: { kind: 'none' }, headers: {} } as const
    const theirs = aService({ label: 'theirs', baseUrl: 'https://theirs.example', profile })
    setUp({
      settings: { ...SETTINGS, services: [aService({ label: 'mainnet', profile })] },
      server: { ...NO_SERVER, services: [theirs] },
    })
    const { fromServer, own } = settingsTexts.services
    expect([
      panel('mainnet').queryAllByText(fromServer).length,
      panel('mainnet').getAllByText(own).length,
    ]).toEqual([0, 2])
    expect([
      panel('theirs').getAllByText(fromServer).length,
      panel('theirs').queryAllByText(own).length,
    ]).toEqual([2, 0])
  })

  it('keeps invalid input unsaved, and marks each wrong field until it is corrected', async () => {
    const { user, saved } = setUp()
    await press(user, 'Edit', panel('mainnet'))
    await replace(user, field('Name'), 'kept')
    await replace(user, field(settingsTexts.services.fields.poll), '0.2')
    await replace(user, field(settingsTexts.services.fields.deadline), 'soon')
    await press(user, 'Save', panel('mainnet'))
    expect(saved).toEqual([])
    expect(field('Name')).toHaveProperty('value', 'kept')
    for (const [name, message] of [
      [settingsTexts.services.fields.poll, /Between 1.s and 1.d\./],
      [settingsTexts.services.fields.deadline, fieldProblemText({ kind: 'not-a-number' })],
    ] as const) {
      expect(descriptionOf(field(name))).toMatch(message ?? /never/)
      expect(field(name).getAttribute('aria-invalid')).toBe('true')
    }
    await replace(user, field(settingsTexts.services.fields.deadline), '9')
    expect(field(settingsTexts.services.fields.deadline).getAttribute('aria-invalid')).toBeNull()
    expect(field(settingsTexts.services.fields.poll).getAttribute('aria-invalid')).toBe('true')
  })

  it('keeps unsaved edits when the page re-renders', async () => {
    const { user, dashboard } = setUp()
    await press(user, 'Edit', panel('mainnet'))
    await replace(user, field('Name'), 'half typed')
    act(() => {
      const now = dashboard.configuration.get()
      const settings: Settings = { ...now.settings, display: { ...now.settings.display, theme: 'dark' } }
      dashboard.configuration.publish({ ...now, settings, effective: effectiveConfig(now.server, settings) })
    })
    expect(field('Name')).toHaveProperty('value', 'half typed')
  })

  it('shows a warning when the browser can’t save it', async () => {
    const { user } = setUp({ saveSettings: () => false })
    await press(user, 'Edit', panel('mainnet'))
    await press(user, 'Save', panel('mainnet'))
    panel('mainnet').getByText(settingsTexts.savedHereOnly, { exact: false })
  })

  it.each([
    ['refused', formTexts.allow.title],
    ['no-answer', formTexts.allow.noAnswerTitle],
  ] as const)('is not saved with a new connection if the server’s result is %s', async (kind, title) => {
    const { user, saved } = setUp({
      settings: { ...SETTINGS, services: [aService({ label: 'mainnet', via: 'direct' })] },
      server: { ...NO_SERVER, canAddServices: true },
      allowService: () => Promise.resolve({ ok: false, error: { kind, answer: 'no\u202eway' } }),
    })
    await press(user, 'Edit', panel('mainnet'))
    await user.selectOptions(
      screen.getByRole('combobox', { name: settingsTexts.services.fields.via }),
      settingsTexts.services.fields.viaNames.proxy,
    )
    await press(user, 'Save', panel('mainnet'))
    screen.getByRole('heading', { name: title })
    screen.getByText('U+202E')
    expect(saved).toEqual([])
    expect(screen.getByRole('combobox', { name: settingsTexts.services.fields.via })).toHaveProperty(
      'value',
      'proxy',
    )
  })

  it('is added by its URL, tested, and given its first node', async () => {
    const allowService = vi.fn<Dashboard['allowService']>(async () => ({ ok: true, value: undefined }))
    const { user, saved } = setUp({ server: { ...NO_SERVER, canAddServices: true }, allowService })
    await press(user, settingsTexts.services.add)
    await fillIn(field('Base URL'), 'other.example')
    await press(user, settingsTexts.services.add, panel(settingsTexts.services.add))
    expect(allowService).toHaveBeenCalledOnce()
    expect(saved[0]?.services.map(({ baseUrl, via }) => [baseUrl, via])).toEqual([
      [BASE_URL, 'proxy'],
      ['https://other.example', 'proxy'],
    ])
    // The test asks at once whether the key may sign for the service.
    const asked = within(await screen.findByRole('dialog', { name: consentTexts.title('other.example') }))
    asked.getByText('https://other.example')
    await press(user, settingsTexts.cancel, asked)
    const next = panel('other.example')
    next.getByRole('button', { name: settingsTexts.key.bring })
    await fillIn(next.getByRole('textbox', { name: settingsTexts.nodes.addTo('other.example') }), '0xab')
    await press(user, settingsTexts.nodes.addThese(1, 0), next)
    expect(saved.at(-1)?.nodes.at(-1)).toMatchObject({ id: '0xab', service: 'https://other.example' })
    expect(next.getByRole('link', { name: settingsTexts.services.next.show }).getAttribute('href')).toBe(
      '#/nodes',
    )
  })

  it.each([
    ['', formTexts.address.problems.empty],
    [BASE_URL, settingsTexts.services.exists],
  ])('is not added with the URL %j', async (address, message) => {
    const { user, saved } = setUp()
    await press(user, settingsTexts.services.add)
    if (address !== '') await fillIn(field('Base URL'), address)
    await press(user, settingsTexts.services.add, panel(settingsTexts.services.add))
    screen.getByText(message)
    expect(saved).toEqual([])
  })

  it('is removed with its nodes only after a dialog that counts them', async () => {
    const { user, saved } = setUp()
    await press(user, 'Remove', panel('mainnet'))
    const dialog = within(screen.getByRole('dialog', { name: 'Remove mainnet?' }))
    dialog.getByText(/2 nodes will no longer be watched/)
    await press(user, 'Cancel', dialog)
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(saved).toEqual([])
    await press(user, 'Remove', panel('mainnet'))
    await press(user, 'Remove', within(screen.getByRole('dialog')))
    expect(saved[0]).toMatchObject({ services: [], nodes: [] })
  })

  it('from the server can’t be edited or removed, only copied, and the copy can be reverted', async () => {
    const server = { ...NO_SERVER, services: [aService({ label: 'theirs' })] }
    const { user, saved } = setUp({ server, settings: EMPTY_SETTINGS })
    expect(panel('theirs').queryByRole('button', { name: 'Remove' })).toBeNull()
    expect(panel('theirs').queryByRole('button', { name: settingsTexts.edit })).toBeNull()
    await press(user, settingsTexts.services.copy, panel('theirs'))
    await replace(user, field('Name'), 'mine')
    await press(user, 'Save', panel('theirs'))
    await press(user, settingsTexts.services.revert, panel('mine'))
    await press(user, settingsTexts.services.revert, within(screen.getByRole('dialog')))
    expect(saved.at(-1)?.services).toEqual([])
    panel('theirs')
  })

  it('is tested with its own nodes, and only on request', async () => {
    const drafts: TestDraft[] = []
    const { user } = setUp({
      settings: TWO_SERVICES,
      engine: {
        runConnectionTest: (draft, report) => {
          drafts.push(draft)
          report({ name: 'reached', state: 'ok', latencyMs: 3 })
          return Promise.resolve()
        },
      },
      signer: { configureDraft: () => Promise.resolve() },
    })
    expect(drafts).toEqual([])
    await press(user, 'Test', panel('mainnet'))
    await waitFor(() => expect(drafts).toHaveLength(1))
    expect(drafts).toMatchObject([{ sign: true, nodes: [{ id: '0x1' }, { id: '0x2' }] }])
  })

  it('shows a hidden character in its name as a code point', () => {
    setUp({ settings: { ...SETTINGS, services: [aService({ label: 'main\u202e' })] } })
    panel('main⟨U+202E⟩')
  })
})

const nodeWords = settingsTexts.nodes

describe('the nodes', () => {
  const table = () => within(screen.getByRole('grid', { name: 'Nodes of mainnet' }))
  const row = (name: RegExp) => table().getByRole('row', { name })
  const list = () => field(nodeWords.addTo('mainnet'))
  const undoLast = (dashboard: Dashboard) => act(() => dashboard.toasts.get().at(-1)?.undo?.())
  const openList = async (user: ReturnType<typeof userEvent.setup>) =>
    press(user, nodeWords.add, panel('Nodes of mainnet'))
  const addThem = async (user: ReturnType<typeof userEvent.setup>, added: number, changed = 0) =>
    press(user, nodeWords.addThese(added, changed))

  it('are renamed and tagged in their row, which regains focus, and Undo restores them', async () => {
    const { user, saved, dashboard } = setUp({}, '/settings/nodes')
    await user.click(row(/one/))
    expect(document.activeElement).toBe(field(nodeWords.columns.name))
    await replace(user, field(nodeWords.columns.name), ' uno  primo ')
    await replace(user, field(nodeWords.columns.tags), '#us Gold')
    await user.keyboard('{Enter}')
    expect(saved[0]?.nodes).toEqual([
      { id: '0x1', name: 'uno primo', service: BASE_URL, tags: ['us', 'gold'] },
      SETTINGS.nodes[1],
    ])
    expect(document.activeElement).toBe(row(/uno primo/))
    undoLast(dashboard)
    expect(saved[1]?.nodes).toEqual(SETTINGS.nodes)
  })

  it('are not saved with a name over 60 characters, and the field says why', async () => {
    const { user, saved } = setUp({}, '/settings/nodes')
    await user.click(row(/one/))
    await replace(user, field(nodeWords.columns.name), 'n'.repeat(61))
    table().getByText(nodeWords.nameTooLong(61, 60))
    await user.keyboard('{Enter}')
    expect(saved).toEqual([])
    expect(document.activeElement).toBe(field(nodeWords.columns.name))
    await user.keyboard('{Escape}')
    expect(document.activeElement).toBe(row(/one/))
    expect(saved).toEqual([])
  })

  it('are saved with valid tags, but not with an invalid one', async () => {
    const { user, saved } = setUp({}, '/settings/nodes')
    await user.click(row(/one/))
    await replace(user, field(nodeWords.columns.tags), 'eu 2nd')
    await press(user, settingsTexts.save, table())
    table().getByText(formTexts.nodes.problems['bad-tag'])
    expect(saved).toEqual([])
    await replace(user, field(nodeWords.columns.tags), 'eu second')
    await press(user, settingsTexts.save, table())
    expect(saved[0]?.nodes[0]).toMatchObject({ name: 'one', tags: ['eu', 'second'] })
  })

  it('get their own poll interval, which the row shows, and lose it when the field is emptied', async () => {
    const { user, saved } = setUp({}, '/settings/nodes')
    const poll = () => field(settingsTexts.services.fields.poll)
    await user.click(row(/one/))
    await replace(user, poll(), '0')
    await user.keyboard('{Enter}')
    expect(saved).toEqual([])
    expect(document.activeElement).toBe(poll())
    await replace(user, poll(), '90')
    await user.keyboard('{Enter}')
    expect(saved[0]?.nodes[0]).toMatchObject({ name: 'one', pollIntervalMs: 90_000 })
    expect(row(/one/).textContent).toContain(nodeWords.polledEvery(formatSpan(90_000)))
    await user.click(row(/one/))
    expect(poll()).toHaveProperty('value', '90')
    await user.clear(poll())
    await user.keyboard('{Enter}')
    expect(saved[1]?.nodes[0]).not.toHaveProperty('pollIntervalMs')
  })

  it('are removed by button or Delete, focus stays in the table, and Undo restores them', async () => {
    const { user, saved, dashboard } = setUp({}, '/settings/nodes')
    await user.click(table().getByRole('button', { name: nodeWords.remove('one') }))
    expect(saved[0]?.nodes).toEqual([SETTINGS.nodes[1]])
    expect(document.activeElement).toBe(row(/0x2/))
    undoLast(dashboard)
    expect(saved[1]?.nodes).toEqual(SETTINGS.nodes)
    act(() => row(/0x2/).focus())
    await user.keyboard('{Delete}')
    expect(saved[2]?.nodes).toEqual([SETTINGS.nodes[0]])
    expect(document.activeElement).toBe(row(/one/))
  })

  it('are previewed by kind and added as a list, which Undo reverts', async () => {
    const { user, saved, dashboard } = setUp({}, '/settings/nodes')
    await openList(user)
    await fillIn(list(), '0x3 three #eu\n0x1 uno\nown mine\n0x2')
    const preview = within(screen.getByRole('region', { name: nodeWords.preview.label }))
    const kind = (name: 'new' | 'changed' | 'unchanged', count: number) =>
      preview.getByRole('radio', { name: nodeWords.preview.kind(nodeWords.preview.kinds[name], count) })
    expect(kind('new', 2)).toHaveProperty('checked', true)
    preview.getByRole('row', { name: /three/ })
    preview.getByRole('row', { name: /mine/ })
    await user.click(kind('changed', 1))
    preview.getByText(nodeWords.preview.name('one', 'uno'))
    await user.click(kind('unchanged', 1))
    preview.getByRole('row', { name: /0x2/ })
    // Nothing is saved before the user confirms.
    expect(saved).toEqual([])
    await addThem(user, 2, 1)
    expect(saved[0]?.nodes).toEqual([
      { id: '0x1', name: 'uno', service: BASE_URL, tags: ['eu'] },
      SETTINGS.nodes[1],
      { id: '0x3', name: 'three', service: BASE_URL, tags: ['eu'] },
      { name: 'mine', service: BASE_URL, tags: [] },
    ])
    expect(screen.queryByRole('textbox', { name: nodeWords.addTo('mainnet') })).toBeNull()
    undoLast(dashboard)
    expect(saved[1]?.nodes).toEqual(SETTINGS.nodes)
  })

  it('are added from the valid lines, while a bad line stays in the list with its reason', async () => {
    const { user, saved } = setUp({}, '/settings/nodes')
    await openList(user)
    await fillIn(list(), 'nope\n'.repeat(12))
    screen.getByText(formTexts.nodes.more(4))
    await user.clear(list())
    await fillIn(list(), 'nope one\n0x4\n0x4')
    const { kind, kinds } = nodeWords.preview
    for (const one of [kinds.new, kinds.repeated, kinds.invalid])
      screen.getByRole('radio', { name: kind(one, 1) })
    await user.clear(list())
    await fillIn(list(), 'nope one\n0x4')
    await addThem(user, 1)
    expect(saved[0]?.nodes.map(({ id, name }) => name ?? id)).toEqual(['one', '0x2', '0x4'])
    expect(list()).toHaveProperty('value', 'nope one\n')
    screen.getByRole('button', { name: formTexts.nodes.line(1) })
    expect(
      screen.getAllByText(formTexts.nodes.problems['no-prefix'], { exact: false }).length,
    ).toBeGreaterThan(0)
  })

  it('from a file are added to those that the user has typed', async () => {
    const { user } = setUp({}, '/settings/nodes')
    await openList(user)
    await fillIn(list(), '0x3')
    await user.upload(screen.getByLabelText(formTexts.nodes.chooseFile), new File(['0x4'], 'nodes.txt'))
    await waitFor(() => expect(list()).toHaveProperty('value', '0x3\n0x4'))
  })

  it('are added with a new service from the list after the user allows signing for it', async () => {
    const allowSigning = vi.fn<SignerAdmin['allowSigning']>(async () => ({ ok: true, value: A_KEY }))
    const { user, saved } = setUp({ keys: [A_KEY], signer: { allowSigning } }, '/settings/nodes')
    await openList(user)
    await fillIn(list(), 'id;name;service\n0x3;three;\n0x4;four;https://other.example')
    await press(user, formTexts.nodes.addServiceOf('https://other.example'))
    expect(saved[0]?.services.map(({ baseUrl }) => baseUrl)).toEqual([BASE_URL, 'https://other.example'])
    const asked = within(await screen.findByRole('dialog', { name: consentTexts.title('other.example') }))
    await press(user, consentTexts.allow('other.example'), asked)
    expect(allowSigning.mock.lastCall?.slice(0, 2)).toEqual([
      A_KEY.publicKey,
      expect.objectContaining({ baseUrl: 'https://other.example' }),
    ])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await addThem(user, 2)
    expect(saved.at(-1)?.nodes.slice(2)).toMatchObject([
      { name: 'three', service: BASE_URL },
      { name: 'four', service: 'https://other.example' },
    ])
  })

  it('from the server are marked and read-only, and the user can discard a local entry for one', async () => {
    const nodes = ['eight', 'nine'].map((name, index) => ({ id: `0x${index + 8}`, name, tags: [] }))
    const server = { ...NO_SERVER, services: [aService({ label: 'mainnet' })], nodes }
    const ocho = { id: '0x8', name: 'ocho', service: BASE_URL, tags: [] }
    const settings = { ...SETTINGS, nodes: [...SETTINGS.nodes, ocho] }
    const { user, saved } = setUp({ server, settings }, '/settings/nodes')
    within(row(/nine/)).getByText(nodeWords.configured)
    within(row(/eight/)).getByText(nodeWords.ownUnused)
    expect(table().queryByRole('button', { name: nodeWords.remove('nine') })).toBeNull()
    expect(table().queryByRole('button', { name: nodeWords.discard('nine') })).toBeNull()
    await user.click(row(/nine/))
    expect(field(nodeWords.columns.name)).toHaveProperty('disabled', true)
    expect(field(nodeWords.columns.name)).toHaveProperty('value', 'nine')
    expect(field(nodeWords.columns.tags)).toHaveProperty('disabled', true)
    expect(table().queryByRole('button', { name: settingsTexts.save })).toBeNull()
    await user.keyboard('{Escape}')
    await user.click(table().getByRole('button', { name: nodeWords.discard('eight') }))
    expect(saved.at(-1)?.nodes).toEqual(SETTINGS.nodes)
    within(row(/eight/)).getByText(nodeWords.configured)
  })

  it('are found by tag and name among five thousand, with only the visible rows rendered', async () => {
    const nodes = Array.from({ length: 5_000 }, (_, n) => ({
      id: `0x${(n + 1).toString(16)}`,
      name: `vela-${n}`,
      service: BASE_URL,
      tags: n % 50 === 0 ? ['gold'] : [],
    }))
    const { user } = setUp({ settings: { ...SETTINGS, nodes } }, '/settings/nodes')
    expect(table().getAllByRole('row').length).toBeLessThan(100)
    await fillIn(field(nodeWords.find), '#gold vela-4950')
    expect(table().getAllByRole('row')).toHaveLength(2)
    await replace(user, field(nodeWords.find), 'nothing')
    table().getByText(nodeWords.noneFound)
  })
})

describe('the history retention form', () => {
  it('shows the allowed range at an invalid field, and saves only valid values', async () => {
    const { user, saved } = setUp({}, '/settings/storage')
    const { retention } = transferTexts
    await replace(user, field(retention.samplesDays), '0')
    await replace(user, field(retention.budget), '5')
    await press(user, retention.save)
    expect(saved).toEqual([])
    const wrong = (name: string) =>
      field(name).closest('.field')?.querySelector('[role="status"]')?.textContent
    expect(wrong(retention.samplesDays)).toBe(
      fieldProblemText({ kind: 'out-of-range', min: 1, max: 3_650 }, formatCount),
    )
    expect(wrong(retention.budget)).toMatch(/^Between 10 and /)
    await replace(user, field(retention.samplesDays), '7')
    await replace(user, field(retention.budget), '500')
    await press(user, retention.save)
    expect(saved[0]?.history).toMatchObject({ samplesDays: 7, budgetBytes: 500_000_000 })
  })
})

describe('the key', () => {
  it('is shown with its public half, registration command, storage place and date', () => {
    setUp({}, '/settings/key')
    const key = panel('5f3c…91a2')
    key.getByText(A_KEY.publicKey)
    key.getByText(`npm run reference -- keys add ${A_KEY.publicKey}`)
    key.getByText('in this browser, not exportable')
    key.getByText('1 Nov 00:00:00 UTC')
  })

  it('is removed only after a dialog that warns of what stays on disk', async () => {
    const removeKey = vi.fn<SignerAdmin['removeKey']>(() => Promise.resolve({ ok: true, value: undefined }))
    const refreshKeys = vi.fn<Dashboard['refreshKeys']>(() => Promise.resolve())
    const { user } = setUp({ signer: { removeKey }, refreshKeys }, '/settings/key')
    await press(user, 'Remove', panel('5f3c…91a2'))
    const dialog = within(screen.getByRole('dialog', { name: 'Remove key 5f3c…91a2?' }))
    dialog.getByText(settingsTexts.key.removeText, { exact: false })
    dialog.getByText(/This is the only key/)
    expect(removeKey).not.toHaveBeenCalled()
    await press(user, 'Remove', dialog)
    expect(removeKey).toHaveBeenCalledExactlyOnceWith(A_KEY.publicKey)
    expect(refreshKeys).toHaveBeenCalledOnce()
  })

  it.each([
    ['refuses', () => Promise.resolve({ ok: false, error: 'not-removed' } as const)],
    ['is unavailable', () => Promise.reject(new Error('gone'))],
  ])('shows an error when it can’t be removed because the signer %s', async (_what, removeKey) => {
    const { user } = setUp({ signer: { removeKey } }, '/settings/key')
    await press(user, 'Remove', panel('5f3c…91a2'))
    await press(user, 'Remove', within(screen.getByRole('dialog')))
    await screen.findByText(settingsTexts.key.removeFailed, { exact: false })
  })

  it('is not removed when the user makes new keys', async () => {
    const removeKey = vi.fn<SignerAdmin['removeKey']>()
    const refreshKeys = vi.fn<Dashboard['refreshKeys']>(() => Promise.resolve())
    const signer = { makeKey: () => Promise.resolve({ ok: true, value: A_KEY } as const), removeKey }
    const { user } = setUp({ signer, refreshKeys }, '/settings/key')
    await press(user, settingsTexts.key.make)
    await press(user, settingsTexts.key.makeIt)
    await press(user, settingsTexts.key.make)
    await press(user, settingsTexts.key.makeIt)
    expect(refreshKeys).toHaveBeenCalledTimes(2)
    expect(removeKey).not.toHaveBeenCalled()
  })

  it('is made only after the user selects one of several services', async () => {
    const makeKey = vi.fn<SignerAdmin['makeKey']>(async () => ({ ok: true, value: A_KEY }))
    const { user } = setUp({ settings: TWO_SERVICES, signer: { makeKey } }, '/settings/key')
    await press(user, settingsTexts.key.make)
    await press(user, settingsTexts.key.makeIt)
    expect(makeKey).not.toHaveBeenCalled()
    await user.selectOptions(screen.getByLabelText(consentTexts.forService.legend), 'testnet')
    await press(user, settingsTexts.key.makeIt)
    expect(makeKey.mock.lastCall?.[2]?.map(({ baseUrl }) => baseUrl)).toEqual([OTHER_URL])
  })

  it('shows whether it signs requests when there are several', () => {
    const newer = { ...A_KEY, publicKey: `aa11${'0'.repeat(56)}bb22` }
    setUp({ keys: [A_KEY, newer] }, '/settings/key')
    panel('aa11…bb22').getByText('Signs requests')
    panel('5f3c…91a2').getByText('Signs only for services set to use it')
  })
})

describe('the settings page', () => {
  it('saves each display choice as soon as the user makes it', async () => {
    const { user, saved } = setUp({}, '/settings/display')
    await user.click(screen.getByRole('radio', { name: 'Dark' }))
    await user.click(screen.getByRole('radio', { name: 'High' }))
    await user.click(screen.getByRole('radio', { name: 'Local' }))
    expect(saved.at(-1)?.display).toEqual({ theme: 'dark', contrast: 'more', timeZone: 'local' })
    expect(saved.at(-1)?.services).toEqual(SETTINGS.services)
  })

  it('clears all data only after a dialog, and says if not all could be cleared', async () => {
    const forgetEverything = vi.fn<Dashboard['forgetEverything']>(() => Promise.resolve(false))
    const { user } = setUp({ forgetEverything }, '/settings/storage')
    await press(user, settingsTexts.storage.forget)
    const dialog = within(screen.getByRole('dialog'))
    dialog.getByText(settingsTexts.storage.forgetLines[1], { exact: false })
    dialog.getByText(settingsTexts.storage.forgetLines[2], { exact: false })
    await press(user, 'Close', dialog)
    expect(forgetEverything).not.toHaveBeenCalled()
    await press(user, settingsTexts.storage.forget)
    await press(user, settingsTexts.storage.forgetConfirm, within(screen.getByRole('dialog')))
    expect(forgetEverything).toHaveBeenCalledOnce()
    await screen.findByText(keyTexts.forget.partly)
  })

  it('shows the section in the URL and focuses its heading', () => {
    setUp({}, '/settings/key')
    expect(document.activeElement?.textContent).toBe('Key')
    const nav = within(screen.getByRole('navigation', { name: settingsTexts.nav }))
    expect(nav.getByRole('link', { current: 'page' }).textContent).toBe('Key')
    section('Key')
    expect(screen.queryByRole('region', { name: 'Services' })).toBeNull()
  })

  it('links to its sections, and has a menu that opens one and focuses its heading', async () => {
    const { user, addresses } = setUp()
    const nav = within(screen.getByRole('navigation', { name: settingsTexts.nav }))
    expect(nav.getByRole('list', { name: 'Monitoring' }).textContent).toBe(
      'NodesUnits and limitsNotifications',
    )
    expect(nav.getByRole('link', { name: 'Display' }).getAttribute('href')).toBe('#/settings/display')
    expect(nav.getByRole('link', { name: 'About' }).getAttribute('href')).toBe('#/about')
    const choice = screen.getByRole('combobox', { name: settingsTexts.nav })
    expect(choice).toHaveProperty('value', '#/settings/services')
    await user.selectOptions(choice, 'Nodes')
    expect(addresses().at(-1)).toBe('/settings/nodes')
    expect(document.activeElement?.textContent).toBe('Nodes')
  })
})

describe('a signed-in user', () => {
  const { session } = settingsTexts

  it('can sign out, and sees an error when that fails', async () => {
    const signOut = vi.fn<() => Promise<boolean>>(async () => false)
    const { user } = setUp({ signedIn: async () => ({ name: 'op', canSignOut: true }), signOut })
    await screen.findByText(session.signedInAs('op'))
    await press(user, session.signOut)
    expect(signOut).toHaveBeenCalledOnce()
    await screen.findByText(session.failed)
  })

  it('has no sign-out button when a proxy server handles sign-in', async () => {
    setUp({ signedIn: async () => ({ name: 'op', canSignOut: false }) })
    await screen.findByText(session.signedInAs('op'))
    expect(screen.queryByRole('button', { name: session.signOut })).toBeNull()
  })
})

describe('unsaved edits', () => {
  it('survive a visit to another section, and are gone once saved or discarded', async () => {
    const { user, dashboard, saved, unmount } = setUp()
    const at = (name: string) => renderWith(dashboard, <SettingsPage />, `/settings/${name}`)
    await press(user, 'Edit', panel('mainnet'))
    await replace(user, field('Name'), 'renamed')
    await press(user, settingsTexts.services.add)
    await fillIn(screen.getByRole('textbox', { name: /Base URL/ }), 'https://second.exam')
    unmount()
    const nodes = at('nodes')
    await press(user, nodeWords.add)
    await fillIn(field(nodeWords.addTo('mainnet')), '0x3 three')
    nodes.unmount()

    const services = at('services')
    expect(field('Name').getAttribute('value')).toBe('renamed')
    expect(screen.getByRole('textbox', { name: /Base URL/ }).getAttribute('value')).toBe(
      'https://second.exam',
    )
    expect(saved).toEqual([])
    await press(user, 'Cancel', panel(settingsTexts.services.add))
    await press(user, 'Save', panel('mainnet'))
    services.unmount()
    const nodesAgain = at('nodes')
    expect(field(nodeWords.addTo('renamed')).textContent).toContain('0x3 three')
    await press(user, settingsTexts.cancel, panel('Nodes of renamed'))
    nodesAgain.unmount()

    const last = at('services')
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
    expect(screen.queryByRole('textbox', { name: /Base URL/ })).toBeNull()
    expect(saved[0]?.services[0]?.label).toBe('renamed')
    last.unmount()
    at('nodes')
    expect(screen.queryByRole('textbox', { name: nodeWords.addTo('renamed') })).toBeNull()
  })
})

describe('a service URL that was only tried', () => {
  const tried = aService({ baseUrl: 'https://mistyped.example', via: 'proxy' })

  it('can be removed from the server’s list, unlike a service in use, and is read again when the tab is shown', async () => {
    let list = [aService({ label: 'mainnet' }), tried]
    const removeAdded = vi.fn<Dashboard['removeAdded']>(async (baseUrl) => {
      list = list.filter((service) => service.baseUrl !== baseUrl)
      return true
    })
    const { user } = setUp({ listAdded: async () => list, removeAdded })
    const found = within(await screen.findByRole('region', { name: settingsTexts.services.added.title }))
    expect(found.getAllByRole('button')).toHaveLength(1)
    await press(user, 'Remove https://mistyped.example', found)
    expect(removeAdded.mock.calls).toEqual([['https://mistyped.example']])
    await waitFor(() =>
      expect(screen.queryByRole('region', { name: settingsTexts.services.added.title })).toBeNull(),
    )
    list = [tried]
    window.dispatchEvent(new Event('visibilitychange'))
    await screen.findByRole('region', { name: settingsTexts.services.added.title })
  })

  it('stays listed with an error when the server does not remove it', async () => {
    const { user } = setUp({ listAdded: async () => [tried], removeAdded: async () => false })
    const region = within(await screen.findByRole('region', { name: settingsTexts.services.added.title }))
    await press(user, 'Remove https://mistyped.example', region)
    await region.findByText(settingsTexts.services.added.failed)
  })
})
