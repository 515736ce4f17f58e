import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, expect, it, vi } from 'vitest'
import { Backups } from '#features/settings/data/history-section.tsx'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { installDialog } from '#test/support/native-dialog.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { transferTexts } from '#texts/en-transfer.ts'

beforeAll(installDialog)

it('a restored backup is in the journal before it is said to be done', async () => {
  const user = userEvent.setup()
  const dashboard = fakeDashboard()
  const kept = withResolvers<undefined>()
  const appendEvents = vi.fn<() => Promise<undefined>>(() => kept.promise)
  const engine = {
    ...dashboard.engine,
    transfer: async () => ({ kind: 'done', rows: 12, skipped: 0 }) as const,
    appendEvents,
  }
  renderWith({ ...dashboard, engine }, <Backups />)
  const content = backupOf([
    JSON.stringify({ format: 'immune-node-backup', version: 1, settings: EMPTY_SETTINGS }),
  ])
  await user.upload(screen.getByLabelText(transferTexts.files.restore), new File([content], 'b.ndjson'))
  await user.click(await screen.findByRole('button', { name: transferTexts.files.restoreConfirm }))
  await expect.poll(() => appendEvents).toHaveBeenCalledOnce()
  expect(screen.queryByText(/12 records/)).toBeNull()
  kept.resolve(undefined)
  await screen.findByText(/12 records/)
})
