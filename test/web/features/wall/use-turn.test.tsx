import { act, renderHook } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useTurn } from '#features/wall/use-turn.ts'
import type { WallView } from '#features/wall/wall-options.ts'
import { nodeKeyFromText } from '#fleet/live.ts'
import { DashboardContext } from '#react/dashboard.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'

const node = (text: string): WallView => ({ kind: 'node', node: nodeKeyFromText(text) })
const VIEWS = [{ kind: 'fleet' }, node('a!1'), node('a!2')] as const

function turning(views: readonly [WallView, ...WallView[]]) {
  const dashboard = fakeDashboard()
  // The fixture’s monotonic clock starts at one hour, when the first view is shown again.
  const { result } = renderHook(() => useTurn({ views, everyS: 60 }), {
    wrapper: ({ children }) => <DashboardContext value={dashboard}>{children}</DashboardContext>,
  })
  return {
    ...dashboard,
    turn: () => result.current,
    step: (by: 1 | -1) => act(() => result.current.step?.(by)),
  }
}

it('views rotate and start again after the last one', () => {
  const { turn, advance } = turning(VIEWS)
  for (const view of [...VIEWS, VIEWS[0]]) {
    expect(turn().view).toBe(view)
    advance(60_000)
  }
})

it('the user can step back without limit', () => {
  const { turn, step } = turning(VIEWS)
  for (let times = 0; times < 61; times++) step(-1)
  expect(turn().view).toBe(VIEWS[2])
  step(1)
  expect(turn().view).toBe(VIEWS[0])
})

it('a single view stays and offers no step', () => {
  const { turn, advance } = turning([VIEWS[1]])
  advance(3_600_000)
  expect(turn()).toEqual({ view: VIEWS[1], step: undefined })
})
