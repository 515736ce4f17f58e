import { generateKeyPairSync, sign } from 'node:crypto'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { nodeKeyOf } from '#fleet/live.ts'
import { serviceIdOf } from '#record/service.ts'
import { parseSettings } from '#settings/documents.ts'
import type { Dashboard } from '#react/dashboard.ts'
import { ProofPanel } from '#features/settings/signing/proof-panel.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aReading, aService, aServiceLive, aSnapshot, BASE_URL } from '#test/support/fleet-fixture.ts'
import { proofTexts } from '#texts/en-proofs.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const ID = `0x${Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')}`
const proof = `0x${sign(null, Buffer.from('v=12.50'), privateKey).toString('hex')}`
const BODY = `{"node_id":"${ID}","stake_deployed":12.50,"cryptographic_proof":"${proof}"}`

const WITHOUT_RECORD = aNode({ reading: undefined })

/** When the browser requested the record on screen. */
const RECORD_MS = 1_000

function renderPanel(given: Readonly<Record<string, unknown>> = {}, answeredMs = RECORD_MS) {
  const service = aService(given)
  const parsed = parseSettings({ version: 1, services: [{ baseUrl: BASE_URL, ...given }] })
  if (!parsed.ok) throw new Error('no settings')
  const saveSettings = vi.fn<Dashboard['saveSettings']>(() => true)
  const key = nodeKeyOf(serviceIdOf(BASE_URL), ID)
  const reading = { ...aReading(), startedWallMs: RECORD_MS }
  const dashboard = fakeDashboard({
    settings: parsed.value,
    saveSettings,
    snapshot: aSnapshot([WITHOUT_RECORD, aNode({ key, nodeId: ID, reading })], [aServiceLive(service)]),
    engine: {
      lastExchange: async () => ({
        startedWallMs: answeredMs,
        url: '',
        requestHeaders: {},
        status: 200,
        contentType: undefined,
        date: undefined,
        body: BODY,
        bodyCut: false,
      }),
    },
  })
  renderWith(dashboard, <ProofPanel isProvided={false} service={service} />)
  const setText = async (label: string, text: string): Promise<void> => {
    await user.clear(screen.getByLabelText(label))
    await user.click(screen.getByLabelText(label))
    await user.paste(text)
  }
  const user = userEvent.setup()
  return { user, setText, saved: () => saveSettings.mock.lastCall?.[0].services[0]?.proof }
}

it('the panel tries a profile on the last record before saving, once the user selects one', async () => {
  const { user, setText, saved } = renderPanel()
  expect(screen.queryByText(proofTexts.triedNote, { exact: false })).toBeNull()
  await user.selectOptions(screen.getByLabelText(proofTexts.choice), 'own')
  await screen.findByText(/^Not checked: the record lacks the field status/)
  await setText('Signed text', 'v={raw.stake_deployed}')
  await screen.findByText('Verified')
  expect(screen.getByRole('region', { name: proofTexts.text }).textContent).toBe('v=12.50')
  await setText('Signed text', 'w={raw.stake_deployed}')
  await screen.findByText(/^Wrong: cryptographic_proof is not a signature/)
  await setText('Signed text', 'v={raw.stake_deployed}')
  await user.click(screen.getByRole('button', { name: proofTexts.save }))
  expect(saved()).toEqual({
    v: 1,
    scheme: 'ed25519',
    template: 'v={raw.stake_deployed}',
    key: { from: 'node-id' },
  })
})

it('the panel does not try a profile on an answer that is not the last record', async () => {
  const { user } = renderPanel({ proof: 'record-v1' }, RECORD_MS + 1)
  await screen.findByText(proofTexts.recordGone, { exact: false })
  await user.selectOptions(screen.getByLabelText(proofTexts.choice), 'own')
  expect(screen.queryByText(/lacks the member/)).toBeNull()
})

it('an invalid profile shows its problem, disables Save, and can be discarded', async () => {
  const { user, setText } = renderPanel({ proof: 'record-v1' })
  await user.selectOptions(screen.getByLabelText(proofTexts.choice), 'own')
  await setText('Signed text', '{raw.status')
  const problems = await screen.findByText(/has a brace that is not closed/)
  expect(
    within(problems.closest('output') ?? document.body).getByText(proofTexts.problems, { exact: false }),
  ).toBeDefined()
  expect(screen.getByRole('button', { name: proofTexts.save }).hasAttribute('disabled')).toBe(true)
  await user.click(screen.getByRole('button', { name: proofTexts.discard }))
  expect(screen.getByLabelText<HTMLSelectElement>(proofTexts.choice).value).toBe('record-v1')
})

it('the panel saves a key from the record with its node id rule, and can turn proofs off', async () => {
  const { user, setText, saved } = renderPanel({ proof: 'record-v1' })
  await user.selectOptions(screen.getByLabelText(proofTexts.choice), 'own')
  await user.selectOptions(screen.getByLabelText('Public key'), 'member')
  await setText(proofTexts.member, 'public_key')
  await user.selectOptions(screen.getByLabelText('Node id format'), 'sha-256')
  await setText(proofTexts.idBytes, '20')
  await user.click(screen.getByRole('button', { name: proofTexts.save }))
  expect(saved()).toMatchObject({
    key: {
      from: 'member',
      name: 'public_key',
      encoding: 'hex',
      nodeId: { hash: 'sha-256', bytes: 20, end: 'first' },
    },
  })
  await user.selectOptions(screen.getByLabelText(proofTexts.choice), 'none')
  await user.click(screen.getByRole('button', { name: proofTexts.save }))
  expect(saved()).toBeUndefined()
})
