import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { createStore } from '#base/store.ts'
import { Toasts } from '#features/shell/toasts.tsx'
import type { Said } from '#react/dashboard.ts'
import { addToast } from '#react/toasts.ts'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { alarmTexts as words } from '#texts/en-alarms.ts'

it('toasts show the three newest confirmations', () => {
  const toasts = createStore<readonly Said[]>([])
  for (const text of ['a', 'b', 'c', 'd']) addToast(toasts, { text, untilMs: 0 })
  expect(toasts.get().map((said) => said.text)).toEqual(['b', 'c', 'd'])
  expect(new Set(toasts.get().map(({ id }) => id)).size).toBe(3)
})

it('a toast disappears after its time, but not while its button has the focus', () => {
  const dashboard = fakeDashboard()
  renderWith(dashboard, <Toasts />)
  const untilMs = dashboard.nowMs() + 8_000
  act(() => addToast(dashboard.toasts, { text: 'Shelved', untilMs, undo: () => undefined }))
  const undo = screen.getByRole('button', { name: words.act.undo })
  act(() => undo.focus())
  dashboard.advance(9_000)
  expect(undo.isConnected).toBe(true)
  act(() => undo.blur())
  dashboard.advance(1_000)
  expect(undo.isConnected).toBe(false)
})

it('a toast is gone once it is closed, or undone, which happens once', async () => {
  const dashboard = fakeDashboard()
  renderWith(dashboard, <Toasts />)
  const undo = vi.fn<() => void>()
  for (const name of [words.act.close, words.act.undo]) {
    act(() => addToast(dashboard.toasts, { text: 'Shelved', untilMs: Infinity, undo }))
    await userEvent.click(screen.getByRole('button', { name }))
    expect(dashboard.toasts.get()).toEqual([])
  }
  expect(undo).toHaveBeenCalledOnce()
})
