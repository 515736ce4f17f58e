import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { EngineApi } from '#engine/bridge.ts'
import { ExportForm } from '#parts/export-form.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aServiceLive, aSnapshot, WALL_MS } from '#test/support/fleet-fixture.ts'
import { watchSavedFiles } from '#test/support/saved-files.ts'
import { withResolvers } from '#test/support/with-resolvers.ts'
import { transferTexts } from '#texts/en-transfer.ts'

const DAY_MS = 86_400_000

function form(shown?: { readonly fromMs: number; readonly toMs: number }) {
  const transfer = vi.fn<EngineApi['transfer']>(async () => ({ kind: 'cancelled' }))
  const node = aNode({ name: '../eu vela' })
  const dashboard = fakeDashboard({ snapshot: aSnapshot([node], [aServiceLive()]), engine: { transfer } })
  renderWith(dashboard, <ExportForm node={node.key} {...(shown && { shown })} />)
  const save = async (): Promise<unknown> => {
    await userEvent.click(screen.getByRole('button', { name: transferTexts.export.save }))
    return transfer.mock.calls.at(-1)?.[0]
  }
  const range = screen.getByRole('combobox', { name: 'Range' })
  return { transfer, save, choose: (name: string) => userEvent.selectOptions(range, name) }
}

const query = (fromMs: number, toMs: number) => ({ what: 'export', query: { fromMs, toMs } })

describe('the export of a node’s history', () => {
  it('covers the range on screen', async () => {
    const shown = { fromMs: WALL_MS - 90_000, toMs: WALL_MS - 30_000 }
    expect(await form(shown).save()).toMatchObject(query(shown.fromMs, shown.toMs))
  })

  it('covers the last day by default, or a chosen range up to now', async () => {
    const { save, choose } = form()
    expect(screen.queryByRole('option', { name: transferTexts.export.ranges.shown })).toBeNull()
    expect(await save()).toMatchObject(query(WALL_MS - DAY_MS, WALL_MS + DAY_MS))
    await choose('Last 7 days')
    expect(await save()).toMatchObject(query(WALL_MS - 7 * DAY_MS, WALL_MS + DAY_MS))
    await choose(transferTexts.export.ranges.all)
    expect(await save()).toMatchObject(query(0, WALL_MS + DAY_MS))
  })

  it('covers custom times, and rejects an empty or incomplete range', async () => {
    const { save, choose, transfer } = form()
    await choose(transferTexts.export.ranges.chosen)
    const fill = (name: string, value: string) =>
      fireEvent.change(screen.getByLabelText(name), { target: { value } })
    fill('From (UTC)', '2026-11-20T03:00')
    fill('To (UTC)', '2026-11-20T03:00')
    await save()
    expect(transfer).not.toHaveBeenCalled()
    expect(screen.getByText(/the earlier one first/)).toBeDefined()
    fill('To (UTC)', '')
    await save()
    expect(transfer).not.toHaveBeenCalled()
    fill('To (UTC)', '2026-11-20T04:30')
    expect(await save()).toMatchObject(query(Date.UTC(2026, 10, 20, 3), Date.UTC(2026, 10, 20, 4, 30)))
    expect(screen.queryByText(/the earlier one first/)).toBeNull()
  })

  it('saves no file after it is cancelled, but the next export does', async () => {
    const files = watchSavedFiles()
    const { save, transfer } = form()
    const stopped = withResolvers()
    transfer.mockImplementation(async (_task, sink) => {
      await stopped.promise
      return (await sink('', 1)) ? { kind: 'done', rows: 12, skipped: 0 } : { kind: 'cancelled' }
    })
    await save()
    await userEvent.click(screen.getByRole('button', { name: transferTexts.cancel }))
    stopped.resolve()
    await screen.findByText(transferTexts.end({ kind: 'cancelled' }, 'export'))
    expect(files).toEqual([])
    await save()
    await expect
      .poll(() => files.map(({ name }) => name))
      .toEqual(['history-..-eu-vela-samples-2026-11-20.csv'])
  })
})
