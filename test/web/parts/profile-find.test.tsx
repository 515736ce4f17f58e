import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { EngineApi } from '#engine/bridge.ts'
import type { Profile } from '#signing/profile.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignerAdmin } from '#signer/api.ts'
import type { ServiceLive } from '#fleet/live.ts'
import { aService, aServiceLive, aSnapshot } from '#test/support/fleet-fixture.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { installDialog } from '#test/support/native-dialog.ts'
import { ProfileFind } from '#parts/profile-find.tsx'
import { profileTexts } from '#texts/en-profiles.ts'

const BASE = 'https://api.node.example'
const ASKED = { ms: 3_600_000, state: 'ask' } as const
const { find } = profileTexts
const none: EngineApi['findProfile'] = async () => 'none'

installDialog()

function renderFind(
  findProfile: EngineApi['findProfile'],
  round: Awaited<ReturnType<SignerAdmin['openTryRound']>> = { ok: true, value: undefined },
  correction?: ServiceLive['correction'],
  mayStart = true,
) {
  const service = aService({ baseUrl: BASE })
  const openTryRound = vi.fn<SignerAdmin['openTryRound']>(async () => round)
  const search = vi.fn<EngineApi['findProfile']>(findProfile)
  const configureDraft = vi.fn<SignerAdmin['configureDraft']>(async () => undefined)
  const onFound = vi.fn<(profile: Profile) => void>()
  renderWith(
    fakeDashboard({
      snapshot: aSnapshot([], [aServiceLive(service, { correction })]),
      engine: { findProfile: search },
      signer: { openTryRound, configureDraft },
    }),
    <ProfileFind mayStart={async () => mayStart} service={service} nodeId="0xab" onFound={onFound} />,
  )
  return { openTryRound, search, configureDraft, onFound, user: userEvent.setup() }
}

const open = async (user: ReturnType<typeof userEvent.setup>) => {
  await user.click(screen.getByRole('button', { name: find.open }))
  return screen.getByRole('dialog')
}

describe('the profile search', () => {
  it('warns of the 12 signatures it sends, and starts only on request', async () => {
    const { openTryRound, search, configureDraft, user } = renderFind(none)
    const dialog = await open(user)
    expect(dialog.textContent).toContain(find.warning(12))
    expect(within(dialog).getAllByRole('listitem')).toHaveLength(12)
    expect([openTryRound, search].map((call) => call.mock.calls.length)).toEqual([0, 0])
    await user.click(within(dialog).getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(dialog.textContent).toContain(find.none))
    expect(openTryRound).toHaveBeenCalledWith(serviceIdOf(BASE))
    expect(search.mock.calls[0]?.[0]).toMatchObject({ nodeId: '0xab', service: { baseUrl: BASE } })
    const drafted = configureDraft.mock.calls.map(([, service]) => service?.baseUrl)
    expect(drafted).toEqual([BASE, undefined])
  })

  it('stops on request, or when its dialog closes', async () => {
    let ask: () => Promise<boolean> | boolean = () => true
    const { search, user } = renderFind(async (_draft, report) => {
      await new Promise<void>((done) => {
        ask = async () => {
          const goesOn = await report({ id: 'bearer-v1', state: 'refused', status: 401 })
          done()
          return goesOn
        }
      })
      return 'stopped'
    })
    const dialog = await open(user)
    await user.click(within(dialog).getByRole('button', { name: 'Start' }))
    await user.click(await within(dialog).findByRole('button', { name: 'Stop' }))
    expect(await ask()).toBe(false)
    await waitFor(() => expect(dialog.textContent).toContain('Stopped.'))
    await user.click(within(dialog).getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(search).toHaveBeenCalledTimes(2))
    await user.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect(await ask()).toBe(false)
  })

  it.each<[string, Parameters<typeof renderFind>, rounds: number, searches: number, said: string]>([
    ['not without permission', [none, undefined, undefined, false], 0, 0, ''],
    ['not before the operator accepts the service’s time', [none, undefined, ASKED], 0, 0, find.clock],
    [
      'not too soon after another',
      [none, { ok: false, error: { retryInMs: 61_000 } }],
      1,
      0,
      find.tooSoon(2),
    ],
    ['and fails with the engine', [() => Promise.reject(new Error('gone'))], 1, 1, find.broken],
  ])('starts %s, and says so', async (_, given, rounds, searches, said) => {
    const { openTryRound, search, user } = renderFind(...given)
    const dialog = await open(user)
    await user.click(within(dialog).getByRole('button', { name: 'Start' }))
    await waitFor(() => expect(dialog.querySelector('output')?.textContent).toBe(said))
    expect([openTryRound, search].map((call) => call.mock.calls.length)).toEqual([rounds, searches])
  })
})
