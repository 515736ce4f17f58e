import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { SettingsPage } from '#features/settings/settings-page.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { settingsTexts } from '#texts/en-settings.ts'

const { session } = settingsTexts

it('who is signed in can sign out on the settings page, and is told when that failed', async () => {
  const signOut = vi.fn<() => Promise<boolean>>(async () => false)
  const dashboard = fakeDashboard({ signedIn: async () => ({ name: 'op', canSignOut: true }), signOut })
  renderWith(dashboard, <SettingsPage />, '/settings')
  await screen.findByText(session.signedInAs('op'))
  await userEvent.click(screen.getByRole('button', { name: session.signOut }))
  expect(signOut).toHaveBeenCalledOnce()
  await screen.findByText(session.failed)
})

it('whom a server in front signs in can not sign out here', async () => {
  const dashboard = fakeDashboard({ signedIn: async () => ({ name: 'op', canSignOut: false }) })
  renderWith(dashboard, <SettingsPage />, '/settings')
  await screen.findByText(session.signedInAs('op'))
  expect(screen.queryByRole('button', { name: session.signOut })).toBeNull()
})
