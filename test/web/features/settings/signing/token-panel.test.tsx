import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { err, ok } from '#base/result.ts'
import { serviceIdOf } from '#record/service.ts'
import type { SignerAdmin, TokenInfo } from '#signer/api.ts'
import type { Dashboard } from '#react/dashboard.ts'
import { SpareTokens, TokenPanel } from '#features/settings/signing/token-panel.tsx'
import { A_REPORT, fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aService } from '#test/support/fleet-fixture.ts'
import { tokenTexts } from '#texts/en-tokens.ts'

const BASE = 'https://api.node.example/v1'
const ID = serviceIdOf(BASE)
const TOKEN = 'tok_never-on-the-page'

const SERVICE = aService({
  baseUrl: BASE,
  profile: {
    message: { kind: 'none', token: 'operator-typed' },
    headers: { Authorization: 'Bearer {token}' },
  },
})

/** Renders the panel with a signer that keeps the token it is given. */
function renderPanel(held: TokenInfo[] = [], refusal?: 'not-kept' | 'not-visible', storage = true) {
  const given: string[] = []
  const signer: Partial<SignerAdmin> = {
    tokens: async () => [...held],
    keepToken: async (serviceId, token, place) => {
      given.push(`${serviceId} ${new TextDecoder().decode(token)} ${place}`)
      structuredClone(token, { transfer: [token.buffer] }) // The real signer also takes the buffer away.
      if (refusal !== undefined) return err(refusal)
      held.splice(0, held.length, { serviceId: ID, place })
      return ok(undefined)
    },
    forgetToken: async () => {
      held.splice(0)
      return ok(undefined)
    },
  }
  const dashboard = fakeDashboard({
    report: { ...A_REPORT, storage },
    signer,
    refreshKeys: vi.fn<Dashboard['refreshKeys']>(async () => {
      dashboard.keys.publish({ ...dashboard.keys.get() })
    }),
  })
  renderWith(
    dashboard,
    <>
      <TokenPanel service={SERVICE} />
      <SpareTokens services={[SERVICE]} />
    </>,
  )
  return { given, user: userEvent.setup() }
}

describe('a service’s token', () => {
  it('is shown as needed, goes to the signer for the session, and does not stay on the page', async () => {
    const { given, user } = renderPanel()
    await screen.findByText(/^Token needed/)
    const field = screen.getByLabelText<HTMLInputElement>('Token', { selector: 'input' })
    expect(field.type).toBe('password')
    await user.type(field, `${TOKEN}{Enter}`)
    await screen.findByText(tokenTexts.held.session)
    expect(given).toEqual([`${ID} ${TOKEN} session`])
    expect(screen.getByLabelText<HTMLInputElement>(tokenTexts.fieldNew).value).toBe('')
    expect(document.documentElement.outerHTML).not.toContain(TOKEN)
  })

  it('is stored on this device if the user chooses so, with an explanation of that choice', async () => {
    const { given, user } = renderPanel()
    await screen.findByText(tokenTexts.deviceText, { exact: false })
    await user.click(screen.getByText(tokenTexts.device))
    await user.type(screen.getByLabelText('Token', { selector: 'input' }), TOKEN)
    await user.click(screen.getByRole('button', { name: tokenTexts.use }))
    await screen.findByText(tokenTexts.held.device, { exact: false })
    expect(given).toEqual([`${ID} ${TOKEN} device`])
  })

  it('is removed on a click, and then shown as needed again', async () => {
    const { user } = renderPanel([{ serviceId: ID, place: 'device' }])
    await user.click(await screen.findByRole('button', { name: tokenTexts.forget }))
    await screen.findByText(tokenTexts.forgotten)
    await screen.findByText(/^Token needed/)
  })

  it('shows an error and an empty field when the signer refuses it', async () => {
    const { user } = renderPanel([], 'not-visible')
    const field = screen.getByLabelText<HTMLInputElement>('Token', { selector: 'input' })
    await user.type(field, 'ä{Enter}')
    await screen.findByText(tokenTexts.problems['not-visible'], { exact: false })
    expect(field.value).toBe('')
    expect(field.getAttribute('aria-invalid')).toBe('true')
  })

  it('can be kept only for the session when the browser has no storage', async () => {
    renderPanel([], undefined, false)
    await screen.findByText(tokenTexts.onlySession)
    expect(screen.queryByText(tokenTexts.device)).toBeNull()
  })

  it('is still listed after its service is gone, and can be removed', async () => {
    const { user } = renderPanel([{ serviceId: serviceIdOf('https://gone.example'), place: 'device' }])
    await screen.findByText('gone.example')
    await user.click(screen.getByRole('button', { name: tokenTexts.forget }))
    await waitFor(() => expect(screen.queryByText('gone.example')).toBeNull())
  })
})
