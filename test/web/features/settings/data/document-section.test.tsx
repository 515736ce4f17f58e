import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { DocumentSection } from '#features/settings/data/document-section.tsx'
import type { Dashboard } from '#react/dashboard.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { descriptionOf } from '#test/support/texts-of.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { consentTexts } from '#texts/en-consent.ts'
import { documentTexts } from '#texts/en-rules.ts'

beforeAll(installDialog)

describe('the import of a settings file', () => {
  it('shows each service’s URL, profile, grade and bytes to sign before anything is saved', async () => {
    const user = userEvent.setup()
    const saveSettings = vi.fn<Dashboard['saveSettings']>(() => true)
    renderWith(fakeDashboard({ keys: [], saveSettings }), <DocumentSection />)
    const profile = {
      title: 'Harmless',
      message: {
        kind: 'template',
        template: `a${'\n'.repeat(300)}https://victim.example${' '.repeat(90)}\n4102444800`,
      },
      headers: { Authorization: 'Bearer {sig.hex}' },
    }
    const services = [
      { baseUrl: 'https://author.example', profile },
      { baseUrl: 'https://plain.example', label: 'Second' },
    ]
    const upload = async (text: string) =>
      user.upload(screen.getByLabelText(documentTexts.import), new File([text], 'settings.json'))
    await upload('{')
    expect(descriptionOf(screen.getByLabelText(documentTexts.import))).toContain(documentTexts.importBad)
    await upload(JSON.stringify({ ...EMPTY_SETTINGS, services }))
    expect(descriptionOf(screen.getByLabelText(documentTexts.import))).not.toContain(documentTexts.importBad)
    const dialog = within(await screen.findByRole('dialog', { name: documentTexts.importTitle }))
    dialog.getByText(consentTexts.brings(2))
    dialog.getByText('https://author.example')
    dialog.getByText(`Harmless (${consentTexts.own})`)
    dialog.getByText(/^F: /)
    const [first, second] = dialog.getAllByRole('region', { name: consentTexts.example })
    // A run of whitespace that would push the rest out of sight is shown as a count.
    expect(first?.textContent).toBe('a⟨300 × U+000A⟩https://victim.example⟨90 × U+0020⟩\n4102444800')
    dialog.getByText(consentTexts.size(424, 302))
    dialog.getByText(consentTexts.refused.what({ kind: 'foreign-origin', found: 'https://victim.example' }))
    dialog.getByRole('heading', { name: 'Second' })
    expect(second?.textContent).toContain('https://plain.example')
    dialog.getByText(/\(bearer-v1\)/)
    expect(saveSettings).not.toHaveBeenCalled()
  })
})
