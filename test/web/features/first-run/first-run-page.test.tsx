import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { ok } from '#base/result.ts'
import type { EngineApi, TestDraft } from '#engine/bridge.ts'
import { FirstRunPage } from '#features/first-run/first-run-page.tsx'
import { SettingsPage } from '#features/settings/settings-page.tsx'
import type { TestStep } from '#monitor/connection-test.ts'
import { EMPTY_SNAPSHOT } from '#fleet/snapshot.ts'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { parseServerConfig } from '#settings/documents.ts'
import type { ServerConfig, Settings } from '#settings/schema.ts'
import type { KeyFileProblem } from '#protocol/key-kinds.ts'
import type { Dashboard } from '#react/dashboard.ts'
import type { Inspected, InspectedKey, SignerAdmin } from '#signer/api.ts'
import {
  A_KEY,
  granted,
  A_REPORT,
  fakeDashboard,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import { aReading, aService, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { descriptionOf } from '#test/support/texts-of.ts'
import { valueOf } from '#test/support/value-of.ts'
import { shortKey } from '#parts/shown-key.tsx'
import { firstRunTexts, formTexts } from '#texts/en-first-run.ts'
import { keyFormatTexts, keyFileProblem } from '#texts/en-key-formats.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { transferTexts } from '#texts/en-transfer.ts'

const DEMO_URL = 'http://127.0.0.1:7421'
const OWN_URL = 'https://api.example.net'

const server = (document: Readonly<Record<string, unknown>>): ServerConfig =>
  valueOf(parseServerConfig({ version: 1, ...document }))

const DEMO = server({
  canAddServices: true,
  demo: {
    service: { baseUrl: DEMO_URL, label: 'Demo' },
    nodes: [
      { id: '0x7f3a', name: 'vela-007' },
      { id: '0x1b22', name: 'vela-008' },
    ],
  },
})
const PLAIN = server({ canAddServices: true })

const REACHED: readonly TestStep[] = [
  { name: 'reached', state: 'ok', latencyMs: 3 },
  { name: 'readable', state: 'ok', latencyMs: 3 },
  { name: 'clocks', state: 'ok', offset: { lowMs: -100, highMs: 100 } },
]
const SKIPPED = (['key', 'signature', 'nodes', 'record'] as const).map((name): TestStep => ({
  name,
  state: 'skipped',
}))
const passed = (fields?: Readonly<Record<string, unknown>>): readonly TestStep[] => [
  { name: 'key', state: 'ok', publicKey: A_KEY.publicKey },
  { name: 'signature', state: 'ok', latencyMs: 4 },
  { name: 'nodes', state: 'ok', found: 2, asked: 2, untested: 0 },
  { name: 'record', state: 'ok', record: aReading({ ...(fields && { fields }) }).record, fields: 7 },
]

/** An engine whose connection test passes; it signs only if the draft says so. */
function testing(drafts: TestDraft[] = [], signed = passed()): Pick<EngineApi, 'runConnectionTest'> {
  return {
    runConnectionTest: (draft, report) => {
      drafts.push(draft)
      for (const step of [...REACHED, ...(draft.sign ? signed : SKIPPED)]) report(step)
      return Promise.resolve()
    },
  }
}

const reporting = (...steps: readonly TestStep[]): Pick<EngineApi, 'runConnectionTest'> => ({
  runConnectionTest: async (_draft, report) => steps.forEach((step) => report(step)),
})

const INSPECTED: InspectedKey = {
  kind: 'openssh',
  family: 'plain',
  publicKey: A_KEY.publicKey,
  fingerprint: '0123 4567 89ab cdef',
}

const willing: Partial<SignerAdmin> = {
  configure: () => Promise.resolve(),
  configureDraft: () => Promise.resolve(),
  makeKey: async (_label, _place, services) => ({ ok: true, value: granted(A_KEY, services) }),
  inspectKey: () => Promise.resolve({ outcome: 'key', key: INSPECTED }),
  keepInspected: async (_key, _label, _place, services) => ({ ok: true, value: granted(A_KEY, services) }),
  dropInspected: () => Promise.resolve(),
  removeKey: () => Promise.resolve({ ok: true, value: undefined }),
}

function setUp(options: FakeOptions = {}) {
  const user = userEvent.setup()
  const saved: Settings[] = []
  const onDone = vi.fn<(path?: string) => void>()
  const dashboard = fakeDashboard({
    server: DEMO,
    keys: [],
    engine: testing(),
    signer: willing,
    allowService: async () => ok(undefined),
    saved,
    refreshKeys: () => Promise.resolve(),
    ...options,
  })
  const rendered = renderWith(dashboard, <FirstRunPage onDone={onDone} />)
  return { user, saved, onDone, dashboard, ...rendered }
}

/** A server that gives `answer` for each service when the test calls the entry in `answers`. */
function answering(answer: Awaited<ReturnType<Dashboard['allowService']>>) {
  const answers: (() => void)[] = []
  const allowService: Dashboard['allowService'] = async () =>
    new Promise((resolve) => {
      answers.push(() => resolve(answer))
    })
  return { answers, allowService }
}

const start = () => screen.getByRole('button', { name: 'Start watching' })
const address = () => screen.getByRole('textbox', { name: 'Base URL' })
const nodes = () => screen.getByRole('textbox', { name: 'Nodes' })
const step = (title: string) => {
  const row = screen.getByText(title).closest('li')
  if (row === null) throw new Error(`${title} is no step`)
  return within(row)
}

describe('with the demo', () => {
  it('takes one click from an empty browser to the first node', async () => {
    const order: string[] = []
    const { user, saved, onDone } = setUp({
      signer: {
        ...willing,
        makeKey: (label) => {
          order.push(`make ${label}`)
          return Promise.resolve({ ok: true, value: A_KEY })
        },
      },
      refreshKeys: () => {
        order.push('refresh')
        return Promise.resolve()
      },
    })
    await user.click(start())
    expect(onDone).toHaveBeenCalledExactlyOnceWith(`/nodes/${nodeKeyOf(serviceIdOf(DEMO_URL), '0x7f3a')}`)
    expect(order).toEqual(['make Generated key', 'refresh'])
    expect(saved).toHaveLength(1)
    expect(saved[0]?.services.map(({ baseUrl }) => baseUrl)).toEqual([DEMO_URL])
    expect(saved[0]?.nodes).toEqual([
      { id: '0x7f3a', name: 'vela-007', service: DEMO_URL, tags: [] },
      { id: '0x1b22', name: 'vela-008', service: DEMO_URL, tags: [] },
    ])
  })

  it('selects the user’s own service once its address is typed', async () => {
    setUp()
    expect(screen.getByRole('radio', { name: firstRunTexts.service.own })).toHaveProperty('checked', false)
    await fillIn(address(), OWN_URL)
    expect(screen.getByRole('radio', { name: firstRunTexts.service.own })).toHaveProperty('checked', true)
  })

  it('tests the demo at once, without a key and without signing', async () => {
    const drafts: TestDraft[] = []
    setUp({ engine: testing(drafts), signer: {} })
    await screen.findByText(firstRunTexts.service.demoAside.reached)
    expect(drafts.every(({ sign }) => !sign)).toBe(true)
    step('Service reached').getByRole('img', { name: 'passed' })
    step(connectionTestTexts.names.key).getByText(/tested once there is a key/i)
  })

  it('shows why the demo does not answer, and still lets the user start', async () => {
    const failure = { kind: 'unreachable', hop: 'service', detail: 'refused' } as const
    const { user, onDone } = setUp({ engine: reporting({ name: 'reached', state: 'failed', failure }) })
    await screen.findByText(firstRunTexts.service.demoAside.failed)
    step('The service refuses connections').getByText(/Start the service.*\(net\/unreachable\)/)
    await user.click(start())
    expect(onDone).toHaveBeenCalledOnce()
  })

  it('copies a report of what the test found, without the signature', async () => {
    const signature = '3c'.repeat(64)
    const { user } = setUp({
      snapshot: aSnapshot([]),
      engine: reporting(...REACHED, {
        name: 'signature',
        state: 'failed',
        failure: { kind: 'unauthorized', answer: `no ${signature.slice(0, 40)}` },
        exchange: {
          startedWallMs: WALL_MS,
          url: `${DEMO_URL}/node/status?node_id=0x7f3a`,
          requestHeaders: { Authorization: `Bearer ${signature}`, 'X-Node-Key': A_KEY.publicKey },
          status: 401,
          contentType: 'application/json',
          date: undefined,
          body: `{"detail":"refused ${signature}"}`,
          bodyCut: false,
        },
      }),
    })
    vi.stubGlobal('isSecureContext', true)
    await user.click(await screen.findByRole('button', { name: 'Copy report' }))
    await screen.findByRole('button', { name: 'Copied' })
    const text = await navigator.clipboard.readText()
    expect(text).toContain('Problem: Signature rejected (401) (auth/401)')
    expect(text).toContain(`Service: Demo, ${DEMO_URL}`)
    expect(text).toContain('Nodes: 0x7f3a, 0x1b22')
    expect(text).toContain('offset +0.00 s ± 0.10 s (service minus this computer)')
    expect(text).toContain('Headers sent: Authorization, X-Node-Key')
    expect(text).toContain('Body: {"detail":"refused [removed]"}')
    expect(text).not.toContain('3c3c3c3c')
    expect(text).toContain('This report contains no private key and no signature.')
  })

  it.each([
    [undefined, 3, '3 s ago by this computer’s clock only: the service’s time can’t be read'],
    [undefined, -60, 'unknown: 1 m 00 s in the future, so the clocks disagree'],
    [{ lowMs: -8_000, highMs: 8_000 }, 3, '3 s ± 8 s ago'],
    [{ lowMs: -16_000, highMs: 16_000 }, 3, 'uncertain, ± 16 s'],
    [{ lowMs: -100, highMs: 100 }, 3, '3 s ago'],
  ])('shows how well it knows the first heartbeat’s age: %o, %d s', async (offset, agoS, said) => {
    const beaten = passed({ last_heartbeat: WALL_MS / 1_000 - agoS })
    const clocks: TestStep = { name: 'clocks', state: 'ok', offset }
    const engine = reporting(...REACHED.slice(0, 2), clocks, ...beaten)
    setUp({ keys: [A_KEY], snapshot: aSnapshot([]), engine })
    const answer = within(await screen.findByRole('region', { name: /first answer/ }))
    const text = answer.getByText('Heartbeat').parentElement?.textContent?.replaceAll(/[\u202f\u00a0]/g, ' ')
    expect(text).toBe(`Heartbeat${said}`)
  })

  it('ignores a second click while it is starting', async () => {
    let finish = () => {}
    const makeKey = vi.fn<SignerAdmin['makeKey']>(
      () => new Promise((done) => (finish = () => done({ ok: true, value: A_KEY }))),
    )
    const { user, saved } = setUp({ signer: { ...willing, makeKey } })
    await user.click(start())
    await user.click(screen.getByRole('button', { name: 'Starting' }))
    expect(makeKey).toHaveBeenCalledOnce()
    await act(async () => finish())
    expect(saved).toHaveLength(1)
  })

  it('shows an error and does not continue when the key can’t be made', async () => {
    const { user, saved, onDone } = setUp({
      signer: { ...willing, makeKey: () => Promise.reject(new Error('gone')) },
    })
    await user.click(start())
    screen.getByText(firstRunTexts.blocked['make-failed'], { exact: false })
    expect([saved, onDone.mock.calls]).toEqual([[], []])
    expect(start().getAttribute('aria-disabled')).toBeNull()
  })

  it('shows the first answer once a key exists, with hidden characters made visible', async () => {
    setUp({
      keys: [A_KEY],
      engine: testing([], passed({ status: 'AC\u202eTIVE', last_heartbeat: 1_795_183_351 })),
    })
    const answer = await screen.findByRole('region', { name: 'vela-007, first answer' })
    within(answer).getByText('U+202E')
    expect(answer.textContent).toContain('98.42')
    expect(answer.textContent).toContain('1,250,000')
    expect(answer.textContent).toMatch(/Heartbeat4\s?s ago/)
  })

  it('shows only the newest of several keys, which is the one that signs', () => {
    const older = { ...A_KEY, publicKey: `01${A_KEY.publicKey.slice(2)}` }
    setUp({ keys: [older, A_KEY], snapshot: EMPTY_SNAPSHOT, engine: testing() })
    expect(screen.getByText(shortKey(A_KEY))).toBeDefined()
    expect(screen.queryByText(shortKey(older))).toBeNull()
  })

  it('shows no heartbeat age before the engine’s first update', async () => {
    setUp({ keys: [A_KEY], snapshot: EMPTY_SNAPSHOT, engine: testing() })
    const answer = await screen.findByRole('region', { name: /first answer/ })
    expect(answer.textContent).toContain('Heartbeat–')
    expect(answer.textContent).not.toContain('ago')
  })
})

describe('with the user’s own service', () => {
  it('runs no test while the user types a URL', async () => {
    const drafts: TestDraft[] = []
    const { user } = setUp({ server: PLAIN, engine: testing(drafts) })
    await user.type(address(), 'api.example.net')
    expect(drafts).toEqual([])
  })

  it('sends the service to the server when the field loses focus, and then tests it', async () => {
    const drafts: TestDraft[] = []
    const allowService = vi.fn<Dashboard['allowService']>(async () => ok(undefined))
    const { user } = setUp({ server: PLAIN, engine: testing(drafts), allowService })
    await fillIn(address(), 'api.example.net/')
    await user.tab()
    await screen.findByText('Clocks agree')
    expect(allowService).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ baseUrl: OWN_URL, via: 'proxy' }),
    )
    expect(drafts).toEqual([
      expect.objectContaining({ sign: false, nodes: [{ service: OWN_URL, tags: [] }] }),
    ])
  })

  it('makes the key, shows how to register it, tests with it, and starts', async () => {
    const drafts: TestDraft[] = []
    const configureDraft = vi.fn<SignerAdmin['configureDraft']>(() => Promise.resolve())
    const { user, onDone, saved } = setUp({
      server: PLAIN,
      engine: testing(drafts),
      signer: { ...willing, configureDraft },
    })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: firstRunTexts.key.makeNow }))
    screen.getByText(`npm run reference -- keys add ${A_KEY.publicKey}`)
    await waitFor(() => expect(drafts.at(-1)?.sign).toBe(true))
    expect(configureDraft).toHaveBeenCalledWith(
      drafts.at(-1)?.draftId,
      expect.objectContaining({ baseUrl: OWN_URL }),
    )
    await user.click(start())
    expect(onDone).toHaveBeenCalledExactlyOnceWith(`/nodes/${nodeKeyOf(serviceIdOf(OWN_URL), undefined)}`)
    expect(saved[0]?.nodes).toEqual([{ service: OWN_URL, tags: [] }])
  })

  it('runs only the newest test, whatever order the server’s answers arrive in', async () => {
    const drafts: TestDraft[] = []
    const { answers, allowService } = answering({ ok: true, value: undefined })
    const { user } = setUp({ server: PLAIN, engine: testing(drafts), allowService })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: firstRunTexts.key.makeNow }))
    await waitFor(() => expect(answers).toHaveLength(2))
    await act(async () => answers[1]?.())
    await screen.findByText('Signature accepted')
    await act(async () => answers[0]?.())
    expect(drafts.map(({ sign }) => sign)).toEqual([true])
    step('Signature accepted').getByRole('img', { name: 'passed' })
  })

  it('drops a test without an error when the URL changes before the server answers', async () => {
    const drafts: TestDraft[] = []
    const { answers, allowService } = answering({ ok: false, error: { kind: 'not-allowed' } })
    const { user } = setUp({ server: PLAIN, engine: testing(drafts), allowService })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: 'Test' }))
    await user.type(address(), '/v2')
    await act(async () => {
      for (const answer of answers) answer()
    })
    expect(drafts).toEqual([])
    expect(screen.queryByText(formTexts.address.noProxy, { exact: false })).toBeNull()
  })

  it('does not start without a URL, and marks the field until the user types', async () => {
    const { user, saved } = setUp({ server: PLAIN })
    await user.click(start())
    screen.getByText(firstRunTexts.blocked.address)
    expect(address().getAttribute('aria-invalid')).toBe('true')
    expect(descriptionOf(address())).toContain(formTexts.address.problems.empty)
    expect(saved).toEqual([])
    await user.type(address(), 'h')
    expect(address().getAttribute('aria-invalid')).toBeNull()
  })

  it.each([
    ['https://api.example.net/node/status', 'whole-endpoint'],
    ['https://me:pw@api.example.net', 'has-user'],
    ['https://api.example.net?x=1', 'has-query'],
  ] as const)('shows what is wrong with %s before it is submitted', async (text, problem) => {
    setUp({ server: PLAIN })
    await fillIn(address(), text)
    expect(descriptionOf(address())).toContain(formTexts.address.problems[problem])
  })

  it('explains how to add the service when the server takes services only from its file', async () => {
    const { user, saved, onDone } = setUp({
      server: PLAIN,
      allowService: () =>
        Promise.resolve({ ok: false, error: { kind: 'not-allowed', answer: 'file\u202eonly' } }),
    })
    await fillIn(address(), OWN_URL)
    await user.click(start())
    screen.getByText(formTexts.allow['not-allowed'], { exact: false })
    screen.getByText('{"baseUrl":"https://api.example.net"}')
    screen.getByText('U+202E')
    expect([saved, onDone.mock.calls]).toEqual([[], []])
  })

  it('connects directly, without a choice, when the server can’t add a service', async () => {
    const drafts: TestDraft[] = []
    const { user, onDone } = setUp({
      server: server({}),
      engine: testing(drafts),
      allowService: () => Promise.resolve({ ok: false, error: { kind: 'not-allowed' } }),
    })
    expect(screen.queryByRole('radio', { name: 'Directly' })).toBeNull()
    await fillIn(address(), OWN_URL)
    await user.click(start())
    expect(drafts[0]?.service.via).toBe('direct')
    expect(onDone).toHaveBeenCalledOnce()
  })

  it.each([
    ['the URL', () => userEvent.type(address(), '/v2')],
    ['how to connect', () => userEvent.click(screen.getByRole('radio', { name: 'Directly' }))],
  ])('clears the test result when the user changes %s', async (_what, change) => {
    const { user } = setUp({ server: PLAIN })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: 'Test' }))
    await screen.findByText('Clocks agree')
    step('Clocks agree').getByRole('img', { name: 'passed' })
    await change()
    step('Clocks agree').getByRole('img', { name: 'not reached' })
  })

  it('drops the selected signing profile when the URL changes', async () => {
    const engine = reporting({ name: 'signature', state: 'failed', failure: { kind: 'unauthorized' } })
    const moved = `${OWN_URL}/v2`
    const keys = [granted(A_KEY, [{ baseUrl: OWN_URL }, { baseUrl: moved }])]
    const { user, saved } = setUp({ server: PLAIN, keys, engine })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: 'Test' }))
    await user.selectOptions(await screen.findByLabelText('Signing profile'), 'jwt-eddsa')
    await user.type(address(), '/v2')
    await user.click(start())
    expect(saved[0]?.services).toMatchObject([{ baseUrl: moved, profile: 'bearer-v1' }])
  })

  it('shows an error when the test itself breaks off', async () => {
    const engine = { runConnectionTest: () => Promise.reject(new Error('worker gone')) }
    const { user } = setUp({ server: PLAIN, engine })
    await fillIn(address(), OWN_URL)
    await user.click(screen.getByRole('button', { name: 'Test' }))
    await screen.findByText(connectionTestTexts.broken)
  })
})

describe('the key', () => {
  const bringOwn = async (user: ReturnType<typeof userEvent.setup>) =>
    user.click(screen.getByRole('radio', { name: firstRunTexts.key.bring }))
  const seedField = (): HTMLInputElement => screen.getByLabelText('Or paste it')
  const pasteOwn = async (user: ReturnType<typeof userEvent.setup>) => {
    await bringOwn(user)
    await user.click(seedField())
    await user.paste('x')
  }
  const keepButton = () => screen.getByRole('button', { name: keyFormatTexts.keep })
  const refusing =
    (problem: KeyFileProblem): SignerAdmin['inspectKey'] =>
    () =>
      Promise.resolve({ outcome: 'refused', problem })

  it('is read from a paste that never enters the field or the page', async () => {
    const read: string[] = []
    const { user } = setUp({
      signer: {
        ...willing,
        inspectKey: (source) => {
          if (!(source instanceof Blob)) read.push(new TextDecoder().decode(source))
          return Promise.resolve({ outcome: 'key', key: INSPECTED })
        },
      },
    })
    await bringOwn(user)
    await user.click(seedField())
    const field = seedField()
    await user.paste('9d61b19deffd5a60')
    expect(field.value).toBe('')
    expect(read).toEqual(['9d61b19deffd5a60'])
    screen.getByText(A_KEY.publicKey)
    expect(document.body.innerHTML).not.toContain('9d61b19d')
  })

  it.each(['{Enter}', 'button'])('is cleared from the field when the user submits it by %s', async (way) => {
    const { user } = setUp({
      signer: { ...willing, inspectKey: refusing({ reason: 'wrong-length' }) },
    })
    await bringOwn(user)
    await user.type(seedField(), 'abcd')
    expect(seedField().type).toBe('password')
    if (way === 'button') await user.click(screen.getByRole('button', { name: formTexts.key.read }))
    else await user.type(seedField(), way)
    expect(seedField().value).toBe('')
    screen.getByText(keyFileProblem({ reason: 'wrong-length' }))
  })

  it('is handed to the signer as an unread file', async () => {
    const sources: unknown[] = []
    const { user } = setUp({
      signer: {
        ...willing,
        inspectKey: (source) => {
          sources.push(source)
          return Promise.resolve({ outcome: 'key', key: INSPECTED })
        },
      },
    })
    await bringOwn(user)
    const file = new File([new Uint8Array(32)], 'seed.bin')
    await user.upload(screen.getByLabelText('Key file'), file)
    expect(sources).toEqual([file])
  })

  it('comes from the last chosen file, whatever order the files are read in', async () => {
    const answers: ((inspected: Inspected) => void)[] = []
    const { user } = setUp({
      signer: { ...willing, inspectKey: async () => new Promise((resolve) => answers.push(resolve)) },
    })
    await bringOwn(user)
    const [large, small] = ['large.key', 'small.key'].map((name) => new File(['x'], name))
    fireEvent.change(screen.getByLabelText('Key file'), { target: { files: [large] } })
    fireEvent.change(screen.getByLabelText('Key file'), { target: { files: [small] } })
    await waitFor(() => expect(answers).toHaveLength(2))
    await act(async () => answers[1]?.({ outcome: 'key', key: INSPECTED }))
    await act(async () => answers[0]?.({ outcome: 'dropped' }))
    screen.getByText(INSPECTED.publicKey)
  })

  it.each<[KeyFileProblem, RegExp]>([
    [{ reason: 'empty' }, /empty/],
    [{ reason: 'unknown' }, /32 bytes in hex or base64/],
    [{ reason: 'wrong-type', found: 'rsa' }, /RSA key.*Ed25519 key/],
    [{ reason: 'wrong-type', found: 'words' }, /Never enter it anywhere but in the wallet/],
    [{ reason: 'public-half-differs', kind: 'jwk' }, /JSON Web Key.*does not match/],
    [{ reason: 'truncated', kind: 'pkcs8' }, /truncated/],
    [{ reason: 'other-cipher', kind: 'encrypted-openssh' }, /ssh-keygen -p -Z aes256-ctr/],
  ])('shows what is wrong when the signer refuses it: %j', async (problem, message) => {
    const { user } = setUp({ signer: { ...willing, inspectKey: refusing(problem) } })
    await pasteOwn(user)
    screen.getByText(message)
  })

  it.each([
    ['not-kept', formTexts.key.problems['not-kept']],
    ['too-many', formTexts.key.problems['too-many']],
    ['dropped', formTexts.key.problems.dropped],
  ] as const)('shows why it was not saved: %s', async (error, message) => {
    const keepInspected = vi.fn<SignerAdmin['keepInspected']>(async () => ({ ok: false, error }))
    const { user } = setUp({ signer: { ...willing, keepInspected } })
    await pasteOwn(user)
    await user.click(keepButton())
    screen.getByText(message)
  })

  it('shows its kind, public key and fingerprint, and is then saved in the chosen place', async () => {
    const keepInspected = vi.fn<SignerAdmin['keepInspected']>(async () => ok(A_KEY))
    const { user } = setUp({ signer: { ...willing, keepInspected } })
    await pasteOwn(user)
    screen.getByText('Detected: an OpenSSH private key.')
    screen.getByText(A_KEY.publicKey)
    screen.getByText('0123 4567 89ab cdef')
    expect(keepInspected).not.toHaveBeenCalled()
    await user.click(screen.getByRole('radio', { name: 'For this session' }))
    await user.click(keepButton())
    expect(keepInspected).toHaveBeenCalledExactlyOnceWith(
      A_KEY.publicKey,
      firstRunTexts.key.broughtLabel,
      { custody: 'session' },
      [expect.objectContaining({ baseUrl: DEMO_URL })],
    )
  })

  it('blocks the start when it was read but not saved, and focus moves to its Save button', async () => {
    const { user } = setUp({ server: PLAIN })
    await fillIn(address(), OWN_URL)
    await pasteOwn(user)
    await screen.findByText('Detected: an OpenSSH private key.')
    await user.click(start())
    await screen.findByText(firstRunTexts.blocked.key)
    await waitFor(() => expect(document.activeElement).toBe(keepButton()))
  })

  it('can’t be saved on the device if it is a chain key, and a read-only key is recommended', async () => {
    const inspectKey: SignerAdmin['inspectKey'] = () =>
      Promise.resolve({ outcome: 'key', key: { ...INSPECTED, kind: 'solana', family: 'chain' } })
    const { user } = setUp({ signer: { ...willing, inspectKey } })
    await pasteOwn(user)
    screen.getByText('Detected: a Solana key.')
    screen.getByText(keyFormatTexts.chain, { exact: false })
    expect(screen.queryByRole('radio', { name: 'On this device' })).toBeNull()
  })

  it('is dropped by the signer when the user discards it', async () => {
    const dropInspected = vi.fn<SignerAdmin['dropInspected']>(() => Promise.resolve())
    const { user } = setUp({ signer: { ...willing, dropInspected } })
    await pasteOwn(user)
    await user.click(screen.getByRole('button', { name: keyFormatTexts.drop }))
    expect(dropInspected).toHaveBeenCalledOnce()
    seedField()
  })

  it('is dropped by the signer when the page closes', async () => {
    const dropInspected = vi.fn<SignerAdmin['dropInspected']>(() => Promise.resolve())
    const { user, unmount } = setUp({ signer: { ...willing, dropInspected } })
    await pasteOwn(user)
    unmount()
    expect(dropInspected).toHaveBeenCalledOnce()
  })

  it('needs the passphrase of a protected file, and clears the field after a wrong one', async () => {
    const given: string[] = []
    const openInspected: SignerAdmin['openInspected'] = (passphrase) => {
      const text = new TextDecoder().decode(passphrase)
      given.push(text)
      return Promise.resolve(
        text === 'right'
          ? { outcome: 'key', key: { ...INSPECTED, kind: 'encrypted-openssh' } }
          : { outcome: 'refused', problem: { reason: 'wrong-passphrase', kind: 'encrypted-openssh' } },
      )
    }
    const inspectKey: SignerAdmin['inspectKey'] = () =>
      Promise.resolve({ outcome: 'needs-passphrase', kind: 'encrypted-openssh' })
    const { user } = setUp({ signer: { ...willing, inspectKey, openInspected } })
    await pasteOwn(user)
    const field = (): HTMLInputElement => screen.getByLabelText(keyFormatTexts.passphrase)
    await user.type(field(), 'wrong{Enter}')
    expect(field().value).toBe('')
    expect(descriptionOf(field())).toContain(
      keyFileProblem({ reason: 'wrong-passphrase', kind: 'encrypted-openssh' }),
    )
    await fillIn(field(), 'right')
    await user.click(screen.getByRole('button', { name: keyFormatTexts.open }))
    expect(given).toEqual(['wrong', 'right'])
    screen.getByText('Detected: an OpenSSH private key with a passphrase.')
  })

  it('is not shown if the user discards it while it is opened', async () => {
    const opened: ((inspected: Inspected) => void)[] = []
    const { user } = setUp({
      signer: {
        ...willing,
        inspectKey: async () => ({ outcome: 'needs-passphrase', kind: 'encrypted-openssh' }),
        openInspected: async () => new Promise((resolve) => opened.push(resolve)),
      },
    })
    await pasteOwn(user)
    await user.type(screen.getByLabelText(keyFormatTexts.passphrase), 'right{Enter}')
    await user.click(screen.getByRole('button', { name: keyFormatTexts.drop }))
    await act(async () => opened[0]?.({ outcome: 'key', key: INSPECTED }))
    expect(screen.queryByText(INSPECTED.publicKey)).toBeNull()
  })

  it('shows an error when the signer does not answer', async () => {
    const { user } = setUp({ signer: { ...willing, inspectKey: () => Promise.reject(new Error('gone')) } })
    await pasteOwn(user)
    screen.getByText(/does not answer. Reload this page/)
  })

  it('is removed when the user discards it after saving', async () => {
    const removeKey = vi.fn<SignerAdmin['removeKey']>(() => Promise.resolve({ ok: true, value: undefined }))
    const { user } = setUp({ signer: { ...willing, removeKey } })
    await pasteOwn(user)
    await user.click(keepButton())
    await user.click(screen.getByRole('button', { name: formTexts.key.undo }))
    expect(removeKey).toHaveBeenCalledExactlyOnceWith(A_KEY.publicKey)
    seedField()
  })

  it('is removed when the user starts with another one instead', async () => {
    const removeKey = vi.fn<SignerAdmin['removeKey']>(() => Promise.resolve({ ok: true, value: undefined }))
    const { user } = setUp({ signer: { ...willing, removeKey } })
    await pasteOwn(user)
    await user.click(keepButton())
    await user.click(screen.getByRole('radio', { name: firstRunTexts.key.makeDemo }))
    await user.click(start())
    expect(removeKey).toHaveBeenCalledExactlyOnceWith(A_KEY.publicKey)
  })

  it('comes with a warning and workarounds on plain http', () => {
    setUp({ report: { ...A_REPORT, cryptography: 'javascript' } })
    screen.getByRole('heading', { name: formTexts.insecure.title })
    screen.getByText(/^ssh -L/)
    screen.getByText(/In memory only/)
  })

  it('comes with a warning when the signer can reach the network', () => {
    setUp({ report: { ...A_REPORT, network: 'possible' } })
    screen.getByRole('heading', { name: formTexts.openNetwork.title })
  })
})

describe('the nodes field', () => {
  it('rejects a file that is not UTF-8, and says how to save it', async () => {
    const { user } = setUp()
    const before = nodes().textContent
    const file = new File([Buffer.from('id;name\n0x1;Zürich', 'latin1')], 'nodes.csv')
    await user.upload(screen.getByLabelText(formTexts.nodes.chooseFile), file)
    const problem = await screen.findByText(formTexts.nodes.fileProblems['other-encoding'])
    expect(nodes().textContent).toBe(before)
    await user.upload(screen.getByLabelText(formTexts.nodes.chooseFile), new File(['0x1'], 'nodes.csv'))
    await waitFor(() => expect(problem.isConnected).toBe(false))
  })

  it('lists bad lines with what is wrong, and keeps the good ones', async () => {
    const { user, saved } = setUp()
    await user.clear(nodes())
    await fillIn(nodes(), '0x1 one\nvela\n0x2\n0x1 again\n\u202e0xZZ')
    expect(nodes().getAttribute('aria-invalid')).toBe('true')
    expect(descriptionOf(nodes())).toMatch(/2 nodes.*3 lines ignored/)
    screen.getByText(/an id begins with 0x/, { selector: 'li:nth-child(1)' })
    screen.getByText(formTexts.nodes.problems.repeated, { exact: false })
    screen.getByText('U+202E')
    await user.click(start())
    expect(saved[0]?.nodes.map(({ id, name }) => [id, name])).toEqual([
      ['0x1', 'one'],
      ['0x2', undefined],
    ])
  })

  it('selects a bad line when the user clicks its number', async () => {
    const { user } = setUp()
    await user.clear(nodes())
    await fillIn(nodes(), '0x1\nnope\n0x2')
    await user.click(screen.getByRole('button', { name: 'Line 2' }))
    const area = nodes()
    if (!(area instanceof HTMLTextAreaElement)) throw new Error('the nodes are no text area')
    expect(area.value.slice(area.selectionStart, area.selectionEnd)).toBe('nope')
    expect(document.activeElement).toBe(area)
  })

  it('blocks the start when every line is bad', async () => {
    const { user, saved } = setUp()
    await user.clear(nodes())
    await fillIn(nodes(), 'vela')
    await user.click(start())
    screen.getByText(firstRunTexts.blocked.nodes, { exact: false })
    expect(saved).toEqual([])
  })

  it('stands for the key’s default node when left empty', async () => {
    const { user, saved } = setUp()
    await user.clear(nodes())
    screen.getByText(/Empty: the default node/)
    await user.click(start())
    expect(saved[0]?.nodes).toEqual([{ service: DEMO_URL, tags: [] }])
  })

  it('is filled from a file', async () => {
    const { user } = setUp()
    await user.upload(
      screen.getByLabelText('Choose or drop a file'),
      new File(['name,id\nvela,0x5'], 'nodes.csv', { type: 'text/csv' }),
    )
    await waitFor(() => expect(nodes()).toHaveProperty('value', 'name,id\nvela,0x5'))
    screen.getByText(/^1 node\./)
  })

  it('assigns each node to the service it names, once the user adds a service not set up yet', async () => {
    const complained = vi.spyOn(console, 'error')
    const { user, saved } = setUp()
    await user.upload(
      screen.getByLabelText(formTexts.nodes.chooseFile),
      new File([`id,service\n0x5,\n0x6,${OWN_URL}/\n0x7,test`], 'nodes.csv'),
    )
    await user.click(await screen.findByRole('button', { name: formTexts.nodes.addServiceOf(OWN_URL) }))
    screen.getByText(formTexts.nodes.serviceByUrl)
    expect(descriptionOf(nodes())).toMatch(/^2 nodes\./)
    await user.click(start())
    expect(saved[0]?.services.map(({ baseUrl, via }) => [baseUrl, via])).toEqual([
      [DEMO_URL, 'proxy'],
      [OWN_URL, 'proxy'],
    ])
    expect(saved[0]?.nodes.map(({ id, service }) => [id, service])).toEqual([
      ['0x5', DEMO_URL],
      ['0x6', OWN_URL],
    ])
    // React logs an error when a service is listed twice.
    expect(complained).not.toHaveBeenCalled()
  })
})

describe('with an existing configuration', () => {
  const given = server({
    services: [{ baseUrl: OWN_URL, label: 'main\u202enet' }],
    nodes: [{ id: '0x1', name: 'one' }, { id: '0x2' }],
  })

  it('asks only for the key, and saves nothing that the server provides', async () => {
    const { user, saved, onDone } = setUp({ server: given })
    expect(screen.queryByRole('textbox', { name: 'Base URL' })).toBeNull()
    expect(screen.queryByRole('textbox', { name: 'Nodes' })).toBeNull()
    screen.getByText(/2 nodes, already configured/)
    screen.getByText('U+202E')
    await user.click(start())
    expect(saved).toEqual([])
    expect(onDone).toHaveBeenCalledExactlyOnceWith(`/nodes/${nodeKeyOf(serviceIdOf(OWN_URL), '0x1')}`)
  })

  it('makes the key for every service that names no key, except those the user unchecks', async () => {
    const makeKey = vi.fn<SignerAdmin['makeKey']>(willing.makeKey)
    const names = ['one', 'two', 'three']
    const own = { baseUrl: 'https://own.example', label: 'own', key: 'ab'.repeat(32) }
    const services = [...names.map((label) => ({ baseUrl: `https://${label}.example`, label })), own]
    const config = server({ services, nodes: [{ id: '0x1' }] })
    const { user } = setUp({ server: config, signer: { ...willing, makeKey } })
    await user.click(screen.getByRole('checkbox', { name: 'two', checked: true }))
    await user.click(start())
    expect(makeKey.mock.lastCall?.[2]?.map(({ label }) => label)).toEqual(['one', 'three'])
  })

  it('offers signing profiles after a 401, tests the selected one at once, and saves it', async () => {
    const drafts: TestDraft[] = []
    const rejected: readonly TestStep[] = [
      { name: 'key', state: 'ok', publicKey: A_KEY.publicKey },
      { name: 'signature', state: 'failed', failure: { kind: 'unauthorized' } },
    ]
    const engine: Pick<EngineApi, 'runConnectionTest'> = {
      runConnectionTest: async (draft, report) =>
        testing(drafts, draft.service.profile === 'jwt-eddsa' ? passed() : rejected).runConnectionTest(
          draft,
          report,
        ),
    }
    const { user, saved } = setUp({ server: given, keys: [granted(A_KEY, given.services)], engine })
    const profile = await screen.findByRole('combobox', { name: 'Signing profile' })
    screen.getByRole('button', { name: 'Find a working profile' })
    await user.selectOptions(profile, 'jwt-eddsa')
    await screen.findByText(/first answer/)
    await user.click(start())
    expect(saved.at(-1)?.services).toMatchObject([{ baseUrl: OWN_URL, profile: 'jwt-eddsa' }])
    expect(saved.at(-1)?.nodes).toEqual([])
  })

  it('uses the key in this browser by default', async () => {
    const drafts: TestDraft[] = []
    const makeKey = vi.fn<SignerAdmin['makeKey']>()
    const { user, onDone } = setUp({
      keys: [A_KEY],
      engine: testing(drafts),
      signer: { ...willing, makeKey },
    })
    screen.getByRole('radio', { name: firstRunTexts.key.existing, checked: true })
    await waitFor(() => expect(drafts.at(-1)?.sign).toBe(true))
    await user.click(start())
    expect(makeKey).not.toHaveBeenCalled()
    expect(onDone).toHaveBeenCalledOnce()
  })

  it('reuses a service of the settings that has no nodes left', async () => {
    const settings = { ...EMPTY_SETTINGS, services: [aService({ pollIntervalMs: 60_000 })] }
    const { user, saved } = setUp({ server: PLAIN, settings })
    await user.type(nodes(), '0x9')
    await user.click(start())
    expect(saved[0]?.services.map(({ pollIntervalMs }) => pollIntervalMs)).toEqual([60_000])
    expect(saved[0]?.nodes).toEqual([{ id: '0x9', service: aService().baseUrl, tags: [] }])
  })

  it('links to the page that restores a backup', () => {
    const link = setUp().getByRole('link', { name: firstRunTexts.restoreLink })
    renderWith(fakeDashboard(), <SettingsPage />, link.getAttribute('href')?.replace('#', ''))
    screen.getByLabelText(transferTexts.files.restore)
  })

  it('shows an error when the server’s configuration can’t be read', () => {
    setUp({ problem: 'config-unreadable' })
    screen.getByRole('heading', { name: /The server configuration can’t be read/ })
  })
})
