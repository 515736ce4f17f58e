import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { FIRST_STATUS, type HistoryStatus } from '#history/history-status.ts'
import type { StorageFailure } from '#history/storage.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { WALL_MS } from '#test/support/fleet-fixture.ts'
import { HistoryMessages } from '#features/shell/history-messages.tsx'

const SINCE_MS = WALL_MS - 90_000

const show = (status: Partial<HistoryStatus>) =>
  renderWith(fakeDashboard(), <HistoryMessages status={{ ...FIRST_STATUS, ...status }} />)

const read = (element: HTMLElement): string => (element.textContent ?? '').replaceAll('\u00a0', ' ')

describe('what the screen says of the history', () => {
  it.each(['starting', 'kept'] as const)('is nothing while it %s', (state) => {
    const { container } = show({ state, removed: { reason: 'age', toMs: SINCE_MS, atMs: WALL_MS } })
    expect(container.querySelectorAll('.bn')).toHaveLength(0)
  })

  it.each<[StorageFailure, RegExp]>([
    ['full', /storage for this page is full.*Free space on the disk, or lower the budget/],
    ['closed', /closed its storage.*tries again by itself/],
    ['newer', /newer version of this dashboard is open.*Reload this page/],
    ['blocked', /Another tab holds an older version.*Close or reload the other tabs/],
    ['no-answer', /does not answer.*tries again by itself/],
    ['none', /lets no page keep anything, as in a private window/],
    ['taken', /Another tab of this dashboard keeps it now/],
    ['broken', /damaged, or the disk is full.*tries again by itself/],
  ])('names since when nothing is kept, why, and what helps: %s', (failure, why) => {
    show({ state: 'not-kept', failure, notKeptSinceMs: SINCE_MS })
    const banner = screen.getByRole('region', { name: /^History is not being kept since .*\d{2}:\d{2}/ })
    expect(read(banner)).toMatch(why)
    expect(read(banner)).toContain('is lost when this tab is closed')
    expect(within(banner).getByRole('link', { name: 'What is kept' }).getAttribute('href')).toContain(
      '/settings/storage',
    )
  })

  it('is that history is gone, up to when it went, until somebody has seen that', async () => {
    const { container } = show({ state: 'kept', lost: { noticedMs: WALL_MS, lastMs: SINCE_MS } })
    const banner = screen.getByRole('region', { name: 'History that was kept here is gone' })
    expect(read(banner)).toMatch(/It went up to .*\d{2}:\d{2}/)
    await userEvent.click(within(banner).getByRole('button', { name: 'Understood' }))
    expect(container.querySelectorAll('.bn')).toHaveLength(0)
  })

  it('is both where what was kept is gone and nothing is kept any more', () => {
    const { container } = show({
      state: 'not-kept',
      failure: 'closed',
      notKeptSinceMs: SINCE_MS,
      lost: { noticedMs: WALL_MS, lastMs: undefined },
    })
    expect(container.querySelectorAll('.bn')).toHaveLength(2)
    expect(read(container)).toContain('It was cleared by a person or by the browser')
  })
})
