import { act, render, screen } from '@testing-library/react'
import { Profiler, type ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { DashboardContext } from '#react/dashboard.ts'
import { Ticking, useWall } from '#react/ticking.tsx'
import { formatAge } from '#texts/format.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'
import { aSnapshot, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'

const HOUR_MS = 3_600_000

/** Shows it, and says how often React rendered any of it. */
function shown(children: ReactNode, snapshot = aSnapshot()) {
  const dashboard = fakeDashboard({ snapshot })
  const rendered = vi.fn<() => void>()
  render(
    <DashboardContext value={dashboard}>
      <Profiler id="all" onRender={rendered}>
        <p>{children}</p>
      </Profiler>
    </DashboardContext>,
  )
  const text = () => screen.getByRole('paragraph').textContent
  return { dashboard, rendered, text }
}

const Clock = ({ until }: { readonly until: number }) =>
  useWall((wallMs) => (wallMs < until ? 'before' : 'after')) ?? 'unknown'

describe('a text that changes with time', () => {
  it('goes on every second', () => {
    const { dashboard, text } = shown(<Ticking>{(nowMs) => formatAge(nowMs - NOW_MS)}</Ticking>)
    expect(text()).toBe(formatAge(0))
    for (const seconds of [1, 2, 3]) {
      dashboard.advance(1_000)
      expect(text()).toBe(formatAge(seconds * 1_000))
    }
  })

  it('renders nothing in a second in which it stays the same', () => {
    const old = (nowMs: number): string => formatAge(nowMs - NOW_MS + 2 * HOUR_MS)
    const { dashboard, rendered, text } = shown(<Ticking>{old}</Ticking>)
    for (let second = 0; second < 59; second++) dashboard.advance(1_000)
    expect(rendered).toHaveBeenCalledTimes(1)
    dashboard.advance(1_000)
    expect(rendered).toHaveBeenCalledTimes(2)
    expect(text()).toBe(formatAge(2 * HOUR_MS + 60_000))
  })

  it('follows the wall clock, and is rendered only where a limit is crossed', () => {
    const { dashboard, rendered, text } = shown(<Clock until={WALL_MS + 3_000} />)
    dashboard.advance(1_000)
    dashboard.advance(1_000)
    expect(text()).toBe('before')
    expect(rendered).toHaveBeenCalledTimes(1)
    dashboard.advance(1_000)
    expect(text()).toBe('after')
  })

  it('follows a wall clock that jumps, without waiting for the next second', () => {
    const { dashboard, text } = shown(<Clock until={WALL_MS + HOUR_MS} />)
    act(() => dashboard.fleet.publish({ ...aSnapshot(), wallMs: WALL_MS + 2 * HOUR_MS }))
    expect(text()).toBe('after')
  })

  it('claims no time before the engine has told one', () => {
    const { text } = shown(<Clock until={WALL_MS} />, { ...aSnapshot(), revision: 0 })
    expect(text()).toBe('unknown')
  })
})
