import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LockWarning, UnlockButton } from '#features/shell/lock-messages.tsx'
import { LockNow } from '#features/shell/shell.tsx'
import { LOCK_WARNING_MS, type KeyInfo, type LockState, type SignerAdmin } from '#signer/api.ts'
import { A_KEY, fakeDashboard, renderWith, type FakeOptions } from '#test/support/fake-dashboard.tsx'
import { installDialog } from '#test/support/native-dialog.ts'
import { fillIn } from '#test/support/fill-in.ts'
import { keyTexts } from '#texts/en-keys.ts'

const OPEN: KeyInfo = { ...A_KEY, custody: 'vault', locked: false, passkeys: [] }
const LOCKED: KeyInfo = { ...OPEN, locked: true }
const OTHER: KeyInfo = { ...LOCKED, publicKey: `aa11${'0'.repeat(56)}bb22`, label: 'other' }

beforeAll(installDialog)

function setUp(options: FakeOptions, unlockOf?: string) {
  const refreshKeys = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const user = userEvent.setup({ delay: null })
  renderWith(
    fakeDashboard({ refreshKeys, ...options }),
    <>
      <LockWarning />
      <LockNow />
      <UnlockButton look="primary" publicKey={unlockOf} />
    </>,
  )
  return { user, refreshKeys }
}

const standing = (state: Partial<LockState>): LockState => ({ minutes: 15, open: 1, locked: 0, ...state })

describe('the lock warning', () => {
  it('appears two minutes ahead, shows the time left, and disappears when the user stays', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const presence = vi.fn<SignerAdmin['presence']>(async (isHere) =>
      standing({ leftMs: isHere ? 900_000 : LOCK_WARNING_MS }),
    )
    const { user } = setUp({ keys: [OPEN], signer: { presence } })
    await screen.findByRole('heading', { name: /Key locks in 2\sm\s00\ss/ })
    expect(presence).toHaveBeenCalledExactlyOnceWith(false)
    await user.click(screen.getByRole('button', { name: keyTexts.warning.stay }))
    await waitFor(() => expect(screen.queryByRole('heading')).toBeNull())
    expect(presence).toHaveBeenLastCalledWith(true)
    // The next report, 10 s later, says that the user has not been active since. A key pressed before it counts for the
    // report after it.
    presence.mockImplementationOnce(async (isHere) => {
      await user.keyboard('a')
      return standing({ leftMs: isHere ? 0 : 900_000 })
    })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(presence).toHaveBeenLastCalledWith(false)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(presence).toHaveBeenLastCalledWith(true)
  })

  it.each<[string, LockState]>([
    ['more than two minutes are left', standing({ leftMs: LOCK_WARNING_MS + 1 })],
    ['the key is already locked', standing({ leftMs: 0 })],
    ['automatic locking is off', standing({ minutes: 0 })],
  ])('does not appear while %s', async (_what, state) => {
    const presence = vi.fn<SignerAdmin['presence']>(async () => state)
    setUp({ keys: [OPEN], signer: { presence } })
    await waitFor(() => expect(presence).toHaveBeenCalled())
    await Promise.resolve()
    expect(screen.queryByRole('heading')).toBeNull()
  })

  it('does not query the signer when there is no vault', () => {
    setUp({ keys: [A_KEY] }) // A call to the signer would throw.
    expect(screen.queryByRole('button')).toBeNull()
  })

  it.each([
    ['locked', false, standing({ open: 0, locked: 1 })],
    ['opened', true, standing({})],
  ])('refreshes the keys when another tab has %s the vault', async (_, locked, now) => {
    const { refreshKeys } = setUp({ keys: [{ ...OPEN, locked }], signer: { presence: async () => now } })
    await waitFor(() => expect(refreshKeys).toHaveBeenCalledOnce())
  })
})

describe('the “Lock now” button', () => {
  it('locks the open key and refreshes the keys', async () => {
    const lock = vi.fn<SignerAdmin['lock']>(() => Promise.resolve())
    const { user, refreshKeys } = setUp({
      keys: [OPEN],
      signer: { lock, presence: async () => standing({}) },
    })
    await user.click(screen.getByRole('button', { name: 'Lock now' }))
    expect(lock).toHaveBeenCalledOnce()
    expect(refreshKeys).toHaveBeenCalledOnce()
  })
})

describe('the unlock dialog', () => {
  const presence: SignerAdmin['presence'] = async () => standing({ open: 0, locked: 2 })
  const openDialog = async (user: ReturnType<typeof userEvent.setup>) => {
    await user.click(screen.getByRole('button', { name: 'Unlock' }))
    return within(screen.getByRole('dialog', { name: 'Unlock the key' }))
  }
  const field = () => screen.getByLabelText<HTMLInputElement>('Passphrase')

  it('preselects the requested key, unlocks the chosen one, and closes', async () => {
    const given: string[] = []
    const { user, refreshKeys } = setUp(
      {
        keys: [LOCKED, OTHER],
        signer: {
          presence,
          unlock: async (publicKey, secret) => {
            given.push(publicKey, secret.kind === 'passphrase' ? String(secret.passphrase.length) : '')
            return { ok: true, value: OPEN }
          },
        },
      },
      LOCKED.publicKey,
    )
    const dialog = await openDialog(user)
    const key = dialog.getByRole<HTMLSelectElement>('combobox', { name: 'Key' })
    expect(key.value).toBe(LOCKED.publicKey)
    await user.selectOptions(key, OTHER.publicKey)
    await user.type(field(), 'twelve letters{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(given).toEqual([OTHER.publicKey, '14'])
    expect(refreshKeys).toHaveBeenCalled()
  })

  it('lists the steps for a lost passphrase, and closes on the link to the key settings', async () => {
    const { user } = setUp({ keys: [LOCKED], signer: { presence } })
    const dialog = await openDialog(user)
    await user.click(dialog.getByText('Lost the passphrase?'))
    expect(dialog.getByText(/can’t be recovered/)).toBeTruthy()
    const steps = dialog.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(steps.join(' ')).toMatch(/Remove this key.*Import.*generate a new key and register it/)
    await user.click(dialog.getByRole('link', { name: 'Open the key settings' }))
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  it.each<[string, SignerAdmin['unlock'], string]>([
    [
      'a wrong passphrase',
      async () => ({ ok: false, error: 'wrong-secret' }),
      keyTexts.unlock.problems['wrong-secret'],
    ],
    ['a damaged key', async () => ({ ok: false, error: 'damaged' }), keyTexts.unlock.problems.damaged],
    ['a missing key', async () => ({ ok: false, error: 'no-vault' }), keyTexts.unlock.problems['no-vault']],
    ['no answer', () => Promise.reject(new Error('gone')), keyTexts.unlock.problems.failed],
  ])('shows an error for %s and clears the passphrase field', async (_what, unlock, message) => {
    const { user } = setUp({ keys: [LOCKED], signer: { presence, unlock } })
    const dialog = await openDialog(user)
    await fillIn(field(), 'twelve letters')
    await user.click(dialog.getByRole('button', { name: 'Unlock' }))
    await dialog.findByText(message)
    expect(field().value).toBe('')
    expect(field().getAttribute('aria-invalid')).toBe('true')
    expect(dialog.queryByRole('combobox')).toBeNull()
  })
})
