import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { DashboardContext } from '#react/dashboard.ts'
import { createDrafts, hasDrafts } from '#react/drafts.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'

const useDraft = createDrafts<string>()

function editing() {
  const dashboard = fakeDashboard()
  const open = (name: string) =>
    renderHook(() => useDraft(name), {
      wrapper: ({ children }) => <DashboardContext value={dashboard}>{children}</DashboardContext>,
    }).result
  const keep = (name: string, text: string | undefined): void => {
    const [, change] = open(name).current
    act(() => change(text))
  }
  return { dashboard, keep, kept: (name: string) => open(name).current[0] }
}

it('each form keeps its own draft across pages until it is cleared', () => {
  const { dashboard, keep, kept } = editing()
  keep('a', 'one')
  keep('b', 'two')
  expect([kept('a'), kept('b'), hasDrafts(dashboard)]).toEqual(['one', 'two', true])
  keep('a', undefined)
  expect([kept('a'), hasDrafts(dashboard), hasDrafts(fakeDashboard())]).toEqual([undefined, true, false])
  keep('b', undefined)
  expect(hasDrafts(dashboard)).toBe(false)
})

it('64 drafts are kept, and the one edited longest ago is dropped', () => {
  const { keep, kept } = editing()
  for (let place = 0; place < 64; place++) keep(`${place}`, 'x')
  keep('0', 'again')
  keep('64', 'x')
  expect([kept('0'), kept('1'), kept('2')]).toEqual(['again', undefined, 'x'])
})
