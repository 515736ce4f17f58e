import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, expect, it, vi } from 'vitest'
import { Backups, HistoryKept, NodeFiles } from '#features/settings/data/history-section.tsx'
import type { EngineCalls } from '#engine/bridge.ts'
import { FIRST_STATUS } from '#history/history-status.ts'
import type { TransferEnd } from '#history/transfer/transfer.ts'
import { EMPTY_SETTINGS } from '#settings/effective.ts'
import type { Settings } from '#settings/schema.ts'
import { backupOf } from '#test/support/backup-file.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aSnapshot } from '#test/support/fleet-fixture.ts'
import { installDialog } from '#test/support/native-dialog.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { historyTexts } from '#texts/en-history.ts'
import { transferTexts } from '#texts/en-transfer.ts'

beforeAll(installDialog)

/** Restores a backup from which the engine reads `settings`, with the result `end`. */
async function restore(
  settings: string,
  appendEvents: () => Promise<undefined>,
  end: TransferEnd = { kind: 'done', rows: 12, skipped: 0 },
) {
  const user = userEvent.setup()
  const saved: Settings[] = []
  const dashboard = fakeDashboard({ saved })
  const transfer: EngineCalls['transfer'] = async (_task, sink) => {
    await sink(settings, 1)
    return end
  }
  renderWith({ ...dashboard, engine: { ...dashboard.engine, transfer, appendEvents } }, <Backups />)
  const content = backupOf([
    JSON.stringify({ format: 'immune-node-backup', version: 1, settings: EMPTY_SETTINGS }),
  ])
  await user.upload(screen.getByLabelText(transferTexts.files.restore), new File([content], 'b.ndjson'))
  await user.click(await screen.findByRole('button', { name: transferTexts.files.restoreConfirm }))
  return saved
}

const DARK: Settings = { ...EMPTY_SETTINGS, display: { ...EMPTY_SETTINGS.display, theme: 'dark' } }

it.each([
  ['replaces the settings', JSON.stringify(EMPTY_SETTINGS), [EMPTY_SETTINGS]],
  ['applies only the readable settings', JSON.stringify({ ...DARK, history: 'unreadable' }), [DARK]],
  ['keeps the settings if it can’t read those in the backup', 'null', []],
])('a restore %s', async (_, settings, expected) => {
  const saved = await restore(settings, async () => undefined)
  await screen.findByText('Restored 12 records.')
  expect(saved).toEqual(expected)
})

it('a stopped restore says that nothing was changed', async () => {
  await restore('null', async () => undefined, { kind: 'cancelled', unchanged: true })
  await screen.findByText('Stopped. Nothing was changed.')
})

it('a restore is reported as done only once its journal entry is saved', async () => {
  const kept = withResolvers<undefined>()
  const appendEvents = vi.fn<() => Promise<undefined>>(() => kept.promise)
  await restore(JSON.stringify(EMPTY_SETTINGS), appendEvents)
  await expect.poll(() => appendEvents).toHaveBeenCalledOnce()
  expect(screen.queryByText(/12 records/)).toBeNull()
  kept.resolve(undefined)
  await screen.findByText(/12 records/)
})

it('the history of the chosen node is deleted once the user confirms', async () => {
  const transfer = vi.fn<EngineCalls['transfer']>(async () => ({ kind: 'done', rows: 1, skipped: 0 }))
  const two = aNode({ nodeId: '0x2', name: 'two' })
  const snapshot = aSnapshot([aNode({ nodeId: '0x1', name: 'one' }), two])
  renderWith(fakeDashboard({ snapshot, engine: { transfer } }), <NodeFiles />)
  const { remove, removeConfirm } = transferTexts.files
  await userEvent.selectOptions(screen.getByLabelText(transferTexts.export.node), 'two')
  await userEvent.click(screen.getByRole('button', { name: remove }))
  within(screen.getByRole('dialog')).getByText('two')
  expect(transfer).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: removeConfirm }))
  expect(transfer.mock.lastCall?.[0]).toEqual({ what: 'delete', node: two.key })
})

it('saved history goes back less than an hour before its first compaction', () => {
  renderWith(fakeDashboard({ history: { ...FIRST_STATUS, state: 'kept' } }), <HistoryKept />)
  screen.getByText(historyTexts.underAnHour)
})
