import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { TestDraft } from '#engine/bridge.ts'
import { KeySection } from '#features/settings/keys/key-section.tsx'
import { StorageSection } from '#features/settings/data/storage-section.tsx'
import type { TestStep } from '#monitor/connection-test.ts'
import { serviceIdOf } from '#record/service.ts'
import { EMPTY_SETTINGS, effectiveConfig } from '#settings/effective.ts'
import type { Service, Settings } from '#settings/schema.ts'
import { useConsent } from '#react/use-consent.ts'
import type { KeyInfo, SignerAdmin } from '#signer/api.ts'
import {
  A_KEY,
  granted,
  A_REPORT,
  NO_SERVER,
  fakeDashboard,
  renderWith,
  type FakeOptions,
} from '#test/support/fake-dashboard.tsx'
import { aService, BASE_URL } from '#test/support/fleet-fixture.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { watchSavedFiles } from '#test/support/saved-files.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { connectionTestTexts } from '#texts/en-connection-test.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { formTexts } from '#texts/en-first-run.ts'
import { Button } from '#ui/button.tsx'

const OTHER_URL = 'https://second.example/v1'
const SETTINGS: Settings = {
  ...EMPTY_SETTINGS,
  services: [aService({ label: 'mainnet' })],
  nodes: [
    { id: '0x1', service: BASE_URL, tags: [] },
    { id: '0x2', service: OTHER_URL, tags: [] },
  ],
}
const TWO_SERVICES = {
  ...SETTINGS,
  services: [...SETTINGS.services, aService({ label: 'testnet', baseUrl: OTHER_URL })],
}
const VAULT: KeyInfo = { ...A_KEY, custody: 'vault', locked: false, passkeys: [] }
const NEWER: KeyInfo = {
  ...A_KEY,
  publicKey: `aa11${'0'.repeat(56)}bb22`,
  label: 'newer',
  createdMs: A_KEY.createdMs + 1,
}
const FOUND = { ok: true, value: VAULT } as const
const failing = async <E extends string>(problem: E) => ({ ok: false, error: problem }) as const
const gone = () => Promise.reject(new Error('gone'))

beforeAll(installDialog)

function setUp(options: FakeOptions = {}) {
  const user = userEvent.setup({ delay: null })
  const saved: Settings[] = []
  const refreshKeys = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const dashboard = fakeDashboard({
    settings: SETTINGS,
    refreshKeys,
    saved,
    ...options,
    signer: {
      presence: () => Promise.resolve({ minutes: 15, open: 1, locked: 0 }),
      configureDraft: () => Promise.resolve(),
      ...options.signer,
    },
  })
  const rendered = renderWith(
    dashboard,
    <>
      <KeySection />
      <StorageSection />
    </>,
    '/settings/key',
  )
  return { user, saved, dashboard, refreshKeys, ...rendered }
}

const panel = (name: string) => within(screen.getByRole('region', { name }))
const card = () => panel('5f3c…91a2')
const button = (name: string | RegExp, place = within(document.body)) =>
  place.getByRole<HTMLButtonElement>('button', { name })
const secret = (label: string, place = within(document.body)) =>
  place.getByLabelText<HTMLInputElement>(label, { selector: 'input' })
const keyOf = (settings: Settings | undefined) => settings?.services.map(({ key }) => key)

describe('a key’s card', () => {
  it('shows what the key signs for, when it was last used, and when it expires', () => {
    setUp({ keys: [{ ...A_KEY, lastUsedMs: Date.UTC(2026, 10, 2, 3), notAfterMs: Date.UTC(2027, 0, 31) }] })
    card().getByText('mainnet')
    card().getByText('2 Nov 03:00:00 UTC')
    card().getByText(/31 January 2027/)
  })

  const LAST_MS = Date.UTC(2027, 0, 31, 23, 59, 59)
  it.each<[string, number | undefined]>([
    ['2028-02-29', Date.UTC(2028, 1, 29, 23, 59, 59)],
    [' 2027-02-01 ', Date.UTC(2027, 1, 1, 23, 59, 59)],
    ['', undefined],
  ])('saves “%s” as the expiry date', async (text, notAfterMs) => {
    const noteKey = vi.fn<SignerAdmin['noteKey']>(async () => ({ ok: true, value: undefined }))
    const { user } = setUp({ keys: [{ ...A_KEY, notAfterMs: LAST_MS }], signer: { noteKey } })
    await user.click(button('Edit', card()))
    expect(secret(keyTexts.card.date).value).toBe('2027-01-31')
    await user.clear(secret(keyTexts.card.date))
    if (text !== '') await fillIn(secret(keyTexts.card.date), text)
    await user.click(button(settingsTexts.save, card()))
    expect(noteKey).toHaveBeenCalledWith(A_KEY.publicKey, {
      label: 'operator',
      ...(notAfterMs && { notAfterMs }),
    })
  })

  it.each(['31.01.2027', '2027-02-30', '2027-13-01', '2027-02-29', '2027-1-5', 'soon', '2027'])(
    'rejects “%s” as an expiry date, and shows the expected format',
    async (text) => {
      const noteKey = vi.fn<SignerAdmin['noteKey']>()
      const { user } = setUp({ keys: [{ ...A_KEY, notAfterMs: LAST_MS }], signer: { noteKey } })
      await user.click(button('Edit', card()))
      await user.clear(secret(keyTexts.card.date))
      await fillIn(secret(keyTexts.card.date), text)
      await user.click(button(settingsTexts.save, card()))
      card().getByText(keyTexts.card.dateForm)
      expect(noteKey).not.toHaveBeenCalled()
      expect(secret(keyTexts.card.date).value).toBe(text)
    },
  )

  it('updates the last use from the signer after the page opens', async () => {
    const lastUsedMs = Date.UTC(2026, 10, 3, 4)
    setUp({ keys: [A_KEY], signer: { keys: async () => [{ ...A_KEY, lastUsedMs }] } })
    card().getByText(keyTexts.card.neverUsed)
    await card().findByText('3 Nov 04:00:00 UTC')
  })

  it('shows a notice for a chain key, and none for another key', () => {
    const { unmount } = setUp({ keys: [{ ...VAULT, family: 'chain' }] })
    card().getByText(keyTexts.card.chain, { exact: false })
    unmount()
    setUp({ keys: [VAULT] })
    expect(screen.queryByText(keyTexts.card.chain, { exact: false })).toBeNull()
  })

  it('switches a service from another key to this one, and lets the other take it back', async () => {
    const { user, saved } = setUp({ keys: [A_KEY, NEWER], settings: TWO_SERVICES })
    expect(panel('aa11…bb22').queryByRole('button', { name: /^Use for/ })).toBeNull()
    await user.click(button('Use for testnet', card()))
    expect(keyOf(saved.at(-1))).toEqual([undefined, A_KEY.publicKey])
    card().getByText('testnet')
    card().getByText(settingsTexts.saved)
    button('Use for testnet', panel('aa11…bb22'))
    button('Use for mainnet', card())
  })

  it('assigns the key to a server’s service without copying the service into the settings', async () => {
    const server = { ...NO_SERVER, services: TWO_SERVICES.services }
    const { user, saved } = setUp({ keys: [A_KEY, NEWER], settings: EMPTY_SETTINGS, server })
    await user.click(button('Use for testnet', card()))
    const settings = saved.at(-1) ?? EMPTY_SETTINGS
    expect(settings).toMatchObject({
      services: [],
      serviceKeys: [{ service: OTHER_URL, key: A_KEY.publicKey }],
    })
    const services = TWO_SERVICES.services.map((each) => ({ ...each, timeoutMs: 7_000 }))
    expect(effectiveConfig({ ...server, services }, settings).services).toEqual([
      services[0],
      { ...services[1], key: A_KEY.publicKey },
    ])
    button('Use for mainnet', card())
  })

  it('stops signing for the service that the user picks', async () => {
    const stopSigning = vi.fn<SignerAdmin['stopSigning']>(async () => ({ ok: true, value: undefined }))
    const { user, refreshKeys } = setUp({ keys: [A_KEY], settings: TWO_SERVICES, signer: { stopSigning } })
    await user.click(button(keyTexts.card.stopFor('testnet'), card()))
    expect(stopSigning).toHaveBeenCalledExactlyOnceWith(A_KEY.publicKey, serviceIdOf(OTHER_URL))
    await waitFor(() => expect(refreshKeys).toHaveBeenCalledOnce())
  })

  it('warns before the removal of a key that a service names', async () => {
    const settings = { ...SETTINGS, services: [aService({ label: 'mainnet', key: A_KEY.publicKey })] }
    const { user } = setUp({ keys: [A_KEY, NEWER], settings })
    await user.click(button('Remove', card()))
    const dialog = within(screen.getByRole('dialog'))
    dialog.getByText(settingsTexts.key.removeUsed('mainnet'))
    dialog.getByText(settingsTexts.key.removeText, { exact: false })
  })
})

describe('a question for consent', () => {
  const NEW: KeyInfo = { ...VAULT, grants: [] }

  it('stays open when the check of an earlier, cancelled one ends', async () => {
    const checked = withResolvers<typeof FOUND>()
    const allowSigning = () => checked.promise
    const { user, saved } = setUp({ keys: [NEW], settings: TWO_SERVICES, signer: { allowSigning } })
    await user.click(button('Use for mainnet', card()))
    await user.click(button(consentTexts.allow('mainnet')))
    await user.click(button(settingsTexts.cancel))
    await user.click(button('Use for testnet', card()))
    await act(async () => checked.resolve(FOUND))
    screen.getByRole('dialog', { name: consentTexts.title('testnet') })
    expect(saved).toEqual([])
  })

  it('is answered with no when another one replaces it', async () => {
    function Asker() {
      const { consent } = useConsent()
      const [isAllowed, setAllowed] = useState<boolean>()
      const ask = () => void consent(NEW, aService()).then(setAllowed)
      return <Button onClick={ask}>{String(isAllowed)}</Button>
    }
    renderWith(fakeDashboard({ keys: [NEW] }), <Asker />)
    await userEvent.dblClick(button('undefined'))
    await screen.findByText('false')
  })
})

describe('a vault’s passphrase', () => {
  const change = async (
    user: ReturnType<typeof userEvent.setup>,
    old: string,
    next: string,
    again = next,
  ) => {
    await user.click(screen.getByText(keyTexts.change.title))
    await fillIn(secret(keyTexts.change.current, card()), old)
    await fillIn(secret('New passphrase', card()), next)
    await fillIn(secret(keyTexts.passphrase.again, card()), again)
    await user.click(button(keyTexts.change.change, card()))
  }

  it('is changed with the current one, and every field is emptied afterwards', async () => {
    const given: string[] = []
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
    const { user, refreshKeys } = setUp({
      keys: [VAULT],
      signer: {
        changePassphrase: (publicKey, old, next) => {
          given.push(publicKey, old.kind === 'passphrase' ? text(old.passphrase) : old.kind, text(next))
          return Promise.resolve(FOUND)
        },
      },
    })
    await change(user, 'the one so far', 'twelve bytes')
    await card().findByText(keyTexts.change.changed)
    expect(given).toEqual([A_KEY.publicKey, 'the one so far', 'twelve bytes'])
    expect(refreshKeys).toHaveBeenCalledOnce()
    for (const label of [keyTexts.change.current, 'New passphrase', keyTexts.passphrase.again])
      expect(secret(label, card()).value).toBe('')
  })

  it.each([
    ['too short', 'eleven lett', 'eleven lett', keyTexts.passphrase.short],
    ['repeated differently', 'twelve letters', 'twelve lettery', keyTexts.passphrase.differ],
    ['repeated with more at its end', 'twelve letters', 'twelve letters!', keyTexts.passphrase.differ],
  ])('is rejected when it is %s, and the current one stays in its field', async (...row) => {
    const [, next, again, message] = row
    const { user } = setUp({ keys: [VAULT] })
    await change(user, 'the one so far', next, again)
    await card().findByText(message)
    expect(secret(keyTexts.change.current, card()).value).toBe('the one so far')
    expect(secret('New passphrase', card()).value).toBe('')
  })

  it.each<[string, SignerAdmin['changePassphrase'], string]>([
    ['the old one is wrong', () => failing('wrong-secret'), keyTexts.change.problems['wrong-secret']],
    ['it can’t be stored', () => failing('not-kept'), keyTexts.change.problems['not-kept']],
    ['the signer is unavailable', gone, keyTexts.change.problems.failed],
  ])('does not change when %s, and an error says so', async (_what, changePassphrase, message) => {
    const { user } = setUp({ keys: [VAULT], signer: { changePassphrase } })
    await change(user, 'the one so far', 'twelve or more letters')
    await card().findByText(message)
    expect(card().queryByText(keyTexts.change.changed, { exact: false })).toBeNull()
  })
})

describe('a vault’s passkey', () => {
  it('shows a busy button until the signer has added it, and can then be removed', async () => {
    class PublicKeyCredential {
      rawId = new Uint8Array([1]).buffer
      getClientExtensionResults = () => ({ prf: { enabled: true, results: { first: new Uint8Array(32) } } })
    }
    const answer = async () => new PublicKeyCredential()
    vi.stubGlobal('PublicKeyCredential', PublicKeyCredential)
    vi.stubGlobal(
      'navigator',
      Object.create(navigator, { credentials: { value: { create: answer, get: answer } } }),
    )
    const adding = withResolvers<typeof FOUND>()
    const addPasskey = vi.fn<SignerAdmin['addPasskey']>(() => adding.promise)
    let passkeys: NonNullable<KeyInfo['passkeys']> = []
    const { user, dashboard, refreshKeys } = setUp({ keys: [VAULT], signer: { addPasskey } })
    refreshKeys.mockImplementation(async () =>
      dashboard.keys.publish({ keys: [granted({ ...VAULT, passkeys })], report: A_REPORT, failed: false }),
    )
    await user.click(screen.getByText(keyTexts.passkey.title))
    const add = button(keyTexts.passkey.add, card())
    await user.click(add)
    await waitFor(() => expect(addPasskey).toHaveBeenCalledOnce())
    expect(add.getAttribute('aria-busy')).toBe('true')
    passkeys = [{ credentialId: 'AQ', prfSalt: 'AA' }]
    adding.resolve(FOUND)
    await card().findByRole('button', { name: keyTexts.passkey.remove })
    await card().findByText(keyTexts.passkey.added)
    expect(add.getAttribute('aria-busy')).toBeNull()
  })
})

it('the idle time before a lock is set at once, but locking ends only with the right passphrase', async () => {
  const setLockMinutes = vi.fn<SignerAdmin['setLockMinutes']>(async () => 'kept')
  const { user } = setUp({ keys: [VAULT], signer: { setLockMinutes } })
  const after = await screen.findByLabelText<HTMLSelectElement>(keyTexts.lockAfter.label)
  await user.selectOptions(after, keyTexts.lockAfter.options(30))
  expect(setLockMinutes.mock.lastCall?.[0]).toBe(30)
  await user.selectOptions(after, keyTexts.lockAfter.never)
  expect(setLockMinutes).toHaveBeenCalledOnce()
  setLockMinutes.mockResolvedValue('wrong-secret')
  await user.type(secret(keyTexts.lockAfter.neverSecret('5f3c…91a2')), 'wrong{Enter}')
  await screen.findByText(keyTexts.lockAfter.wrong)
  expect(setLockMinutes.mock.lastCall?.slice(0, 2)).toEqual([0, VAULT.publicKey])
})

describe('a vault from another computer', () => {
  function importing() {
    const asked: (boolean | undefined)[] = []
    const importVault: SignerAdmin['importVault'] = (_file, _passphrase, _label, replace) => {
      asked.push(replace)
      return replace === true ? Promise.resolve(FOUND) : failing('exists')
    }
    return { ...setUp({ signer: { importVault } }), asked }
  }
  const choose = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(screen.getByText(keyTexts.move.title))
    await user.upload(secret('Vault file'), new File(['{}'], 'vault.json', { type: 'application/json' }))
  }

  it('replaces the same key only after the user confirms, and lets the user cancel', async () => {
    const { user, asked } = importing()
    await choose(user)
    await fillIn(secret('Passphrase'), 'twelve letters')
    await user.click(button(keyTexts.move.take))
    await screen.findByText(keyTexts.move.problems.exists, { exact: false })
    expect(secret('Passphrase').value).toBe('')
    await user.click(button(keyTexts.move.leave))
    expect(screen.queryByText(keyTexts.move.problems.exists, { exact: false })).toBeNull()
    expect(screen.queryByLabelText('Passphrase', { selector: 'input' })).toBeNull()
    await user.upload(secret('Vault file'), new File(['{}'], 'vault.json'))
    await fillIn(secret('Passphrase'), 'twelve letters')
    await user.click(button(keyTexts.move.take))
    await fillIn(secret('Passphrase'), 'twelve letters')
    await user.click(await screen.findByRole('button', { name: keyTexts.move.replace }))
    await waitFor(() => expect(asked).toEqual([false, false, true]))
    expect(screen.queryByRole('button', { name: keyTexts.move.replace })).toBeNull()
  })

  it('needs a new confirmation when the user picks another file', async () => {
    const { user, asked } = importing()
    await choose(user)
    await user.click(button(keyTexts.move.take))
    await screen.findByRole('button', { name: keyTexts.move.replace })
    await user.upload(secret('Vault file'), new File(['{"b":1}'], 'other.json'))
    await user.click(button(keyTexts.move.take))
    await waitFor(() => expect(asked).toEqual([false, false]))
  })
})

describe('replacing a key', () => {
  const STEP: TestStep = { name: 'signature', state: 'ok', latencyMs: 5 }

  function replacing(steps: readonly TestStep[] = [STEP], settings: Settings = SETTINGS) {
    const drafts: TestDraft[] = []
    const signedFor: (Service | undefined)[] = []
    const setting: ReturnType<typeof setUp> = setUp({
      settings,
      signer: {
        makeKey: (label) => {
          // The newest key signs for services that name none, so the services must name the old one by now.
          expect(keyOf(setting.saved.at(-1))).toEqual(settings.services.map(() => A_KEY.publicKey))
          const value = granted({ ...NEWER, label }, settings.services)
          setting.dashboard.keys.publish({
            keys: [granted(A_KEY, settings.services), value],
            report: A_REPORT,
            failed: false,
          })
          return Promise.resolve({ ok: true, value })
        },
        configureDraft: async (_draftId, service) => void signedFor.push(service),
      },
      engine: {
        runConnectionTest: async (draft, report) => {
          drafts.push(draft)
          for (const step of steps) report(step)
        },
      },
    })
    return { ...setting, drafts, signedFor }
  }
  const open = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(button('Replace', card()))
    return panel('Replace key 5f3c…91a2')
  }

  it('switches a service to the new key only after the service accepts it in a test', async () => {
    const { user, saved, drafts, signedFor } = replacing()
    const guide = await open(user)
    await user.click(button(keyTexts.replace.make, guide))
    await guide.findByText(`npm run reference -- keys add ${NEWER.publicKey}`)
    const toSwitch = button('Use the new key for mainnet', guide)
    expect(toSwitch.disabled).toBe(true)
    await user.click(button(/^Test/, guide))
    await guide.findByText(keyTexts.replace.taken)
    expect(drafts.map(({ service, nodes, sign }) => [service.key, nodes.length, sign])).toEqual([
      [NEWER.publicKey, 1, true],
    ])
    expect(signedFor.map((service) => service?.key)).toEqual([NEWER.publicKey, undefined])
    expect(keyOf(saved.at(-1))).toEqual([A_KEY.publicKey])
    await user.click(toSwitch)
    expect(keyOf(saved.at(-1))).toEqual([NEWER.publicKey])
    guide.getByText(keyTexts.replace.done)
    guide.getByText(/Revoke 5f3c…91a2 at the service first/)
    expect(toSwitch.disabled).toBe(true)
    await user.click(button(keyTexts.replace.removeOld, guide))
    screen.getByRole('dialog', { name: 'Remove key 5f3c…91a2?' })
  })

  it.each<[string, TestStep]>([
    ['rejects the new key', { name: 'signature', state: 'failed', failure: { kind: 'unauthorized' } }],
    ['has not answered the new key', { name: 'signature', state: 'running' }],
  ])('is blocked while the service %s', async (_what, step) => {
    const { user, saved } = replacing([step])
    const guide = await open(user)
    await user.click(button(keyTexts.replace.make, guide))
    await user.click(await guide.findByRole('button', { name: /^Test/ }))
    await guide.findByRole('button', { name: connectionTestTexts.testAgain })
    expect(button('Use the new key for mainnet', guide).disabled).toBe(true)
    expect(keyOf(saved.at(-1))).toEqual([A_KEY.publicKey])
  })

  it('goes service by service, and is not done while one still uses the old key', async () => {
    const { user, saved } = replacing([STEP], TWO_SERVICES)
    const guide = await open(user)
    await user.click(button(keyTexts.replace.make, guide))
    const [first] = await guide.findAllByRole('button', { name: /^Test/ })
    if (first === undefined) throw new Error('no test')
    await user.click(first)
    await guide.findByText(keyTexts.replace.taken)
    await user.click(button('Use the new key for mainnet', guide))
    expect(keyOf(saved.at(-1))).toEqual([NEWER.publicKey, A_KEY.publicKey])
    expect(guide.queryByText(keyTexts.replace.done, { exact: false })).toBeNull()
    guide.getByText(keyTexts.replace.switched)
    expect(button('Use the new key for testnet', guide).disabled).toBe(true)
  })

  it('shows why no new key could be made, and can be closed', async () => {
    const { user } = setUp({ signer: { makeKey: () => failing('too-many') } })
    const guide = await open(user)
    await user.click(button(keyTexts.replace.make, guide))
    await guide.findByText(formTexts.key.problems['too-many'], { exact: false })
    expect(guide.queryByText(/keys add/)).toBeNull()
    await user.click(button('Close', guide))
    expect(screen.queryByRole('region', { name: 'Replace key 5f3c…91a2' })).toBeNull()
  })
})

describe('the dialog before all data is cleared', () => {
  const ask = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(button(settingsTexts.storage.forget))
    return within(screen.getByRole('dialog', { name: settingsTexts.storage.forgetTitle }))
  }

  it('offers copies of vaults and settings, and names keys that can’t be exported', async () => {
    const saved = watchSavedFiles()
    const { user } = setUp({
      keys: [A_KEY, { ...NEWER, custody: 'vault', locked: true }],
      signer: { exportVault: (publicKey) => Promise.resolve({ ok: true, value: `vault ${publicKey}` }) },
    })
    const dialog = await ask(user)
    dialog.getByText(keyTexts.forget.noCopy(['5f3c…91a2']))
    await user.click(button('Download encrypted copy of key aa11…bb22', dialog))
    await waitFor(() => expect(saved.at(-1)?.name).toBe('immune-vault-aa110000.json'))
    expect(await saved.at(-1)?.text()).toBe(`vault ${NEWER.publicKey}`)
    await user.click(button(keyTexts.forget.backup, dialog))
    expect(saved.at(-1)?.name).toBe('immune-settings.json')
    expect(JSON.parse((await saved.at(-1)?.text()) ?? '')).toEqual(SETTINGS)
  })

  it.each([
    ['refuses', () => failing('no-vault')],
    ['is unavailable', gone],
  ])('shows that no copy could be made when the signer %s', async (_what, exportVault) => {
    const saved = watchSavedFiles()
    const { user } = setUp({ keys: [VAULT], signer: { exportVault } })
    const dialog = await ask(user)
    await user.click(button('Download encrypted copy of key 5f3c…91a2', dialog))
    await dialog.findByText('The copy could not be made.')
    expect(saved).toEqual([])
    expect(dialog.queryByText(/can’t be exported/)).toBeNull()
  })
})
