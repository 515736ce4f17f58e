import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { FIRST_STATUS, type CutOff, type HistoryStatus } from '#history/history-status.ts'
import type { StorageFailure } from '#storage/storage.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { WALL_MS } from '#test/support/fleet-fixture.ts'
import type { EngineCalls } from '#engine/bridge.ts'
import { HistoryMessages } from '#features/shell/history-messages.tsx'
import { historyTexts } from '#texts/en-history.ts'

const SINCE_MS = WALL_MS - 90_000

const show = (status: Partial<HistoryStatus>, transfer?: EngineCalls['transfer']) =>
  renderWith(
    fakeDashboard({ ...(transfer && { engine: { transfer } }) }),
    <HistoryMessages status={{ ...FIRST_STATUS, ...status }} />,
  )

const read = (element: HTMLElement): string => (element.textContent ?? '').replaceAll('\u00a0', ' ')

describe('the history messages', () => {
  it.each(['starting', 'kept'] as const)('are absent while the history state is “%s”', (state) => {
    const { container } = show({ state, removed: { reason: 'age', toMs: SINCE_MS, atMs: WALL_MS } })
    expect(container.querySelectorAll('.banner')).toHaveLength(0)
  })

  it.each<StorageFailure>(['full', 'closed', 'newer', 'blocked', 'no-answer', 'none', 'taken', 'broken'])(
    'show since when and why history is not saved, and link to the settings: %s',
    (failure) => {
      show({ state: 'not-kept', failure, notKeptSinceMs: SINCE_MS })
      const banner = screen.getByRole('region', { name: /^History not saved since .*\d{2}:\d{2}/ })
      expect(read(banner)).toContain(historyTexts.why[failure])
      expect(read(banner)).toContain(historyTexts.notKeptText)
      expect(
        within(banner).getByRole('link', { name: historyTexts.openSettings }).getAttribute('href'),
      ).toContain('/settings/storage')
    },
  )

  it('report lost history and its last record until dismissed', async () => {
    const { container } = show({ state: 'kept', lost: { noticedMs: WALL_MS, lastMs: SINCE_MS } })
    const banner = screen.getByRole('region', { name: historyTexts.lost })
    expect(read(banner)).toMatch(/The last record was from .*\d{2}:\d{2}/)
    await userEvent.click(within(banner).getByRole('button', { name: historyTexts.dismiss }))
    expect(container.querySelectorAll('.banner')).toHaveLength(0)
  })

  it('report a second loss after the first was dismissed', async () => {
    const lost = (noticedMs: number) => ({ ...FIRST_STATUS, lost: { noticedMs, lastMs: SINCE_MS } })
    const Losses = () => {
      const [status, setStatus] = useState(lost(WALL_MS))
      return (
        <>
          <HistoryMessages status={status} />
          <button onClick={() => setStatus(lost(WALL_MS + 1))}>again</button>
        </>
      )
    }
    renderWith(fakeDashboard(), <Losses />)
    await userEvent.click(screen.getByRole('button', { name: historyTexts.dismiss }))
    await userEvent.click(screen.getByRole('button', { name: 'again' }))
    screen.getByRole('region', { name: historyTexts.lost })
  })

  it.each<CutOff>(['restore', 'restore-settings'])(
    'report a task interrupted by closing the browser until dismissed: %s',
    async (what) => {
      const { container } = show({ state: 'kept', cutOff: { noticedMs: WALL_MS, what } })
      const { title, text } = historyTexts.cutOff[what]
      const banner = screen.getByRole('region', { name: title })
      expect(read(banner)).toContain(text)
      expect(
        within(banner).getByRole('link', { name: historyTexts.openSettings }).getAttribute('href'),
      ).toContain('/settings/document')
      await userEvent.click(within(banner).getByRole('button', { name: historyTexts.dismiss }))
      expect(container.querySelectorAll('.banner')).toHaveLength(0)
    },
  )

  it('report history of an earlier version and offer to delete it', async () => {
    const asked: unknown[] = []
    const { container } = show({ state: 'kept', hasOlder: true }, async (task) => {
      asked.push(task)
      return { kind: 'done', rows: 3, skipped: 0 }
    })
    const banner = screen.getByRole('region', { name: historyTexts.older })
    expect(read(banner)).toContain(historyTexts.olderText)
    await userEvent.click(within(banner).getByRole('button', { name: historyTexts.removeOlder }))
    expect(asked).toEqual([{ what: 'remove-older' }])
    expect(container.querySelectorAll('.banner')).toHaveLength(1)
  })

  it('report both lost history and history that is no longer saved', () => {
    const { container } = show({
      state: 'not-kept',
      failure: 'closed',
      notKeptSinceMs: SINCE_MS,
      lost: { noticedMs: WALL_MS, lastMs: SINCE_MS },
    })
    expect(container.querySelectorAll('.banner')).toHaveLength(2)
    expect(read(container)).toContain('The last record was from ')
  })
})
