import { createHash, createPublicKey, verify } from 'node:crypto'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent, { type UserEvent } from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { err, ok, type Result } from '#base/result.ts'
import type { EngineApi } from '#engine/bridge.ts'
import { PRESETS, PROFILES } from '#signing/presets.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Service } from '#settings/schema.ts'
import type { AllowProblem, Dashboard } from '#react/dashboard.ts'
import { hasDrafts } from '#react/drafts.ts'
import { signingPath } from '#react/routes.ts'
import { fakeDashboard, NO_SERVER, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { ProfileSection } from '#features/settings/signing/profile-section.tsx'
import { valueOf } from '#test/support/value-of.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { profileTexts } from '#texts/en-profiles.ts'

const BASE = 'https://api.node.example/v1'
const NODE = '0xAb01'

function renderEditor(changes: Partial<Record<keyof Service, unknown>> = {}, options: FakeOptions = {}) {
  const services = [{ baseUrl: BASE, ...changes }]
  const settings = valueOf(parseSettings({ version: 1, services, nodes: [{ id: NODE }] }))
  const dashboard = fakeDashboard({ settings, saved: [], ...options })
  const saveSettings = vi.spyOn(dashboard, 'saveSettings')
  renderWith(dashboard, <ProfileSection />)
  const saved = () => saveSettings.mock.lastCall?.[0].services[0]?.profile
  return { saveSettings, saved, isDraft: () => hasDrafts(dashboard), user: userEvent.setup() }
}

const shownMessage = async (): Promise<string> =>
  (await screen.findByRole('region', { name: /^Message, \d+ byte/ })).textContent ?? ''

const startFrom = (user: UserEvent, name: RegExp): Promise<void> =>
  user.selectOptions(screen.getByLabelText('Start from'), screen.getByRole('option', { name }))

const setText = async (user: UserEvent, label: string, text: string): Promise<void> => {
  const field = screen.getByLabelText(label)
  await user.clear(field)
  await user.click(field)
  await user.paste(text)
}

it('the editor shows the profile of the service in the URL, or of the one the user selects', async () => {
  const other = 'https://other.node.example/v2'
  const settings = parseSettings({
    version: 1,
    services: [{ baseUrl: BASE }, { baseUrl: other, profile: 'rfc9421' }],
  })
  renderWith(fakeDashboard({ settings: valueOf(settings) }), <ProfileSection />, signingPath(other))
  const kind = () => screen.getByLabelText<HTMLSelectElement>(profileTexts.kind).value
  expect(kind()).toBe('rfc9421')
  await userEvent.selectOptions(screen.getByLabelText('Service'), BASE)
  expect(kind()).toBe('template')
})

it('a stored key id that was cleared stays empty', async () => {
  const { profile } = PRESETS.get('rfc9421') ?? {}
  const { keyid: _, ...message } = { keyid: '', ...profile?.message, params: ['created', 'nonce', 'alg'] }
  renderEditor({ profile: { ...profile, message } })
  expect((await screen.findByLabelText<HTMLInputElement>(profileTexts.keyid)).value).toBe('')
})

describe('message text that the signer refuses', () => {
  const profile = (template: string) => ({
    message: { kind: 'template', template },
    headers: { Authorization: 'Bearer {sig.hex}' },
  })
  const refusal = () => screen.findByRole('region', { name: consentTexts.refused.title })
  const message = () => screen.getByLabelText<HTMLTextAreaElement>(profileTexts.message)

  it.each([
    ['tag\nhttps://victim.example\n{ts.s}', 'https://victim.example', '{origin}', 'foreign-origin'],
    ['tag\n{origin}\n4102444800', '4102444800', '{ts.s}', 'fixed-time'],
  ] as const)('%j is shown with the reason, and a button fixes it', async (text, found, by, kind) => {
    const { user, saved } = renderEditor({ profile: profile(text) })
    const panel = await refusal()
    expect(panel.textContent).toContain(found)
    expect(panel.textContent).toContain(consentTexts.refused.why[kind])
    await user.click(within(panel).getByRole('button', { name: consentTexts.refused.replace(by) }))
    expect(message().value).toBe(text.replace(found, by))
    expect((await refusal()).textContent).toContain(consentTexts.refused.mended)
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(saved()).toMatchObject({ message: { template: text.replace(found, by) } }))
  })

  it('is selected in the message on a click, even when no button can fix it', async () => {
    const { user } = renderEditor({ profile: profile('tag\n{origin}\n1795183351123456\n{ts.s}') })
    const panel = await refusal()
    expect(within(panel).getAllByRole('button')).toHaveLength(1)
    await user.click(within(panel).getByRole('button', { name: consentTexts.refused.show }))
    expect(document.activeElement).toBe(message())
    const { selectionStart, selectionEnd, value } = message()
    expect(value.slice(selectionStart, selectionEnd)).toBe('1795183351123456')
  })

  it('shows no button to allow it, since allowing would change nothing', async () => {
    renderEditor({ profile: profile('tag\nhttps://victim.example\n{ts.s}') })
    await refusal()
    expect(screen.queryByRole('button', { name: consentTexts.review.open })).toBeNull()
  })

  it('is reported while the user types, before saving', async () => {
    const { user } = renderEditor()
    await shownMessage()
    expect(screen.queryByRole('region', { name: consentTexts.refused.title })).toBeNull()
    await setText(user, profileTexts.message, 'tag https://victim.example {ts.s}')
    expect((await refusal()).textContent).toContain('https://victim.example')
  })
})

describe('the example', () => {
  it('shows the exact bytes, their hash, a signature that node:crypto verifies and the request', async () => {
    renderEditor()
    const message = await shownMessage()
    expect(message.split('\n').slice(0, 5)).toEqual([
      'immune-node-auth-v1',
      'GET',
      'https://api.node.example',
      '/v1/node/status',
      'node_id=0xAb01',
    ])
    const told = (label: string) =>
      screen.getByText(label, { selector: 'dt' }).nextElementSibling?.textContent ?? ''
    expect(told('SHA-256')).toBe(createHash('sha256').update(message).digest('hex'))
    const x = Buffer.from(told('Public key'), 'hex').toString('base64url')
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
    expect(verify(null, Buffer.from(message), key, Buffer.from(told('Signature'), 'base64'))).toBe(true)
    expect(screen.getByText(profileTexts.verified)).toBeTruthy()
    const request = screen.getByRole('region', { name: 'Request' }).textContent ?? ''
    expect(request.split('\n')[0]).toBe('GET /v1/node/status?node_id=0xAb01')
    expect(request).toContain(`X-Node-Key: ${told('Public key')}`)
    expect(screen.getByText(profileTexts.throwAway, { exact: false })).toBeTruthy()
  })

  it('updates as the user types, and reports a wrong placeholder, which disables Save', async () => {
    const { user } = renderEditor()
    await setText(user, 'Message to sign', 'immune {param.node_id} {method}')
    await waitFor(async () => expect(await shownMessage()).toBe('immune 0xAb01 GET'))
    screen.getByLabelText<HTMLTextAreaElement>('Message to sign').setSelectionRange(0, 6)
    await user.click(screen.getByRole('button', { name: profileTexts.insert('{nonce.hex}') }))
    expect(screen.getByLabelText('Message to sign')).toHaveProperty(
      'value',
      '{nonce.hex} {param.node_id} {method}',
    )
    await setText(user, 'Message to sign', 'immune {nodes}')
    expect(screen.getByText(/the message: \{nodes\} is not a placeholder here/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
  })

  it('includes a shell-quoted curl command with the signature', async () => {
    const { user } = renderEditor()
    await setText(user, 'Headers', "Authorization: Bearer {sig.hex}\nX-Of: it's")
    const command = (await screen.findByText(/^curl --header.*X-Of/)).textContent ?? ''
    expect(command).toMatch(/^curl --header 'Authorization: Bearer [0-9a-f]{128}' /)
    expect(command).toContain(String.raw`'X-Of: it'\''s'`)
    expect(command).toContain(` 'https://api.node.example/v1/node/status?node_id=0xAb01'`)
  })
})

describe('a profile', () => {
  it.each([...PRESETS].filter(([id]) => id !== 'bearer-v1'))(
    '%s is saved by its id',
    async (id, { profile }) => {
      const { user, saved, isDraft } = renderEditor()
      await startFrom(user, new RegExp(`\\(${id}, `))
      expect(isDraft()).toBe(true)
      expect(screen.getByLabelText('Profile name')).toHaveProperty('value', profile.title)
      await user.click(screen.getByRole('button', { name: 'Save' }))
      await waitFor(() => expect([saved(), isDraft()]).toEqual([id, false]))
    },
  )

  it('with unusual settings can be built entirely in the editor', async () => {
    const { user, saved } = renderEditor()
    await setText(user, 'Profile name', 'Odd service')
    await setText(user, 'Message to sign', 'odd-status|{param.node_id}|{ts.ms}|{authority}')
    await user.selectOptions(screen.getByLabelText('Hash before signing'), 'SHA-512')
    await user.selectOptions(screen.getByLabelText('node_id in the message'), 'lower case, without 0x')
    await setText(user, 'Headers', 'Authorization: Bearer {sig.base58}\nX-Node-Time: {ts.ms}')
    await setText(user, profileTexts.reuse, '20')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() =>
      expect(saved()).toEqual({
        v: 1,
        title: 'Odd service',
        validitySeconds: 60,
        nodeId: 'lower-no-0x',
        reuseSeconds: 20,
        message: {
          kind: 'template',
          template: 'odd-status|{param.node_id}|{ts.ms}|{authority}',
          prehash: 'sha-512',
        },
        headers: { Authorization: 'Bearer {sig.base58}', 'X-Node-Time': '{ts.ms}' },
      }),
    )
    expect(await shownMessage()).toMatch(/^odd-status\|ab01\|\d{13}\|api.node.example$/)
  })

  it('with custom headers goes to the server first, and is not saved if the server refuses', async () => {
    const server = { ...NO_SERVER, canAddServices: true }
    const allowService = vi.fn<Dashboard['allowService']>(async () => err({ kind: 'refused' }))
    const { user, saveSettings } = renderEditor(
      {},
      { server: { ...server, services: [], nodes: [] }, allowService },
    )
    await setText(user, 'Headers', 'Authorization: Bearer {sig.hex}\nX-Odd: {ts.s}')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(allowService).toHaveBeenCalledTimes(1))
    expect(saveSettings).not.toHaveBeenCalled()
  })

  it('keeps what is typed while it is being saved', async () => {
    const server = { ...NO_SERVER, canAddServices: true, services: [], nodes: [] }
    let answer = (): void => undefined
    const allowService = async () =>
      new Promise<Result<undefined, AllowProblem>>((done) => (answer = () => done(ok(undefined))))
    const { user, saved } = renderEditor({}, { server, allowService })
    await setText(user, 'Headers', 'Authorization: Bearer {sig.hex}\nX-Odd: {ts.s}')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await setText(user, 'Profile name', 'Later')
    await act(async () => answer())
    expect(saved()).toHaveProperty('headers.X-Odd', '{ts.s}')
    expect(screen.getByLabelText('Profile name')).toHaveProperty('value', 'Later')
  })

  it('returns to its saved state on Discard', async () => {
    const { user, isDraft } = renderEditor()
    await setText(user, 'Message to sign', 'x')
    expect(screen.getByText('Not saved yet')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Discard' }))
    expect([screen.queryByText('Not saved yet'), isDraft()]).toEqual([null, false])
    expect(screen.getByLabelText('Message to sign')).toHaveProperty(
      'value',
      PROFILES['bearer-v1']?.message.kind === 'template' ? PROFILES['bearer-v1'].message.template : '',
    )
  })

  it('shows its grade, its weakness and the CORS headers it needs', async () => {
    const { user } = renderEditor({ via: 'direct' })
    await startFrom(user, /bearer-node-id/)
    const panel = screen.getByRole('region', { name: profileTexts.findings })
    expect(within(panel).getByText('grade F')).toBeTruthy()
    expect(within(panel).getByText(/permanent password/)).toBeTruthy()
    expect(within(panel).getByRole('region', { name: /CORS/ }).textContent).toContain(
      'Access-Control-Allow-Headers: Authorization\n',
    )
  })
})

describe('a profile as JSON', () => {
  it('is shown, rejected with a reason when invalid, and applied when valid', async () => {
    const { user, saved } = renderEditor()
    const label = profileTexts.jsonLabel
    const field = screen.getByLabelText(label)
    if (!(field instanceof HTMLTextAreaElement)) throw new Error('no text area')
    expect(JSON.parse(field.value)).toEqual(PROFILES['bearer-v1'])
    await setText(user, label, '{"message":{"kind":"template","template":"{no}"},"headers":{}}')
    expect(screen.getByText('the message: {no} is not a placeholder here')).toBeTruthy()
    await setText(user, label, 'x')
    expect(screen.getByText(profileTexts.jsonNot)).toBeTruthy()
    await setText(user, label, JSON.stringify(PROFILES['jwt-eddsa']))
    expect(screen.getByLabelText('Start from')).toHaveProperty('value', 'jwt-eddsa')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(saved()).toBe('jwt-eddsa'))
  })

  it('is rejected when its file is too large', async () => {
    const { user } = renderEditor()
    await user.upload(
      screen.getByLabelText('Profile file'),
      new File(['x'.repeat(70_000)], 'p.json', { type: 'application/json' }),
    )
    expect(await screen.findByText(profileTexts.fileProblems['too-large'])).toBeTruthy()
  })
})

describe('the test of a draft profile', () => {
  it('runs only on request, removes the draft from the signer, and is cleared by a change', async () => {
    const configured: (Service | undefined)[] = []
    const runConnectionTest = vi.fn<EngineApi['runConnectionTest']>(async (_draft, report) =>
      report({ name: 'signature', state: 'ok', latencyMs: 5 }),
    )
    const { user } = renderEditor(
      {},
      {
        engine: { runConnectionTest },
        signer: { configureDraft: async (_draftId, service) => void configured.push(service) },
      },
    )
    await startFrom(user, /timestamp-only/)
    expect(runConnectionTest).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: /^Test/ }))
    await waitFor(() => expect(configured.length).toBe(2))
    expect(configured.map((service) => service?.profile)).toEqual(['timestamp-only', undefined])
    // An old result must not look like the result for the next draft.
    await screen.findByRole('img', { name: 'passed' })
    await startFrom(user, /jwt-eddsa/)
    expect(screen.queryByRole('img', { name: 'passed' })).toBeNull()
  })
})
