import { act, render, screen } from '@testing-library/react'
import { Profiler, type ReactNode } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { DashboardContext } from '#react/dashboard.ts'
import { Ticking, useWall } from '#react/ticking.tsx'
import { formatAge } from '#texts/format.ts'
import { fakeDashboard } from '#test/support/fake-dashboard.tsx'
import { aSnapshot, NOW_MS, WALL_MS } from '#test/support/fleet-fixture.ts'

const HOUR_MS = 3_600_000

/** Renders the children, and records each React render of them. */
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
  it('updates every second', () => {
    const { dashboard, text } = shown(<Ticking>{(nowMs) => formatAge(nowMs - NOW_MS)}</Ticking>)
    expect(text()).toBe(formatAge(0))
    for (const seconds of [1, 2, 3]) {
      dashboard.advance(1_000)
      expect(text()).toBe(formatAge(seconds * 1_000))
    }
  })

  it('renders no component, and writes only a text that changed', () => {
    const old = (nowMs: number): string => formatAge(nowMs - NOW_MS + 2 * HOUR_MS)
    const { dashboard, rendered, text } = shown(<Ticking>{old}</Ticking>)
    const written = new MutationObserver(() => undefined)
    written.observe(document.body, { subtree: true, characterData: true })
    for (let second = 0; second < 59; second++) dashboard.advance(1_000)
    expect(written.takeRecords()).toHaveLength(0)
    dashboard.advance(1_000)
    expect(text()).toBe(formatAge(2 * HOUR_MS + 60_000))
    expect(rendered).toHaveBeenCalledTimes(1)
  })

  it('follows the wall clock, and renders only when it crosses a limit', () => {
    const { dashboard, rendered, text } = shown(<Clock until={WALL_MS + 3_000} />)
    dashboard.advance(1_000)
    dashboard.advance(1_000)
    expect(text()).toBe('before')
    expect(rendered).toHaveBeenCalledTimes(1)
    dashboard.advance(1_000)
    expect(text()).toBe('after')
  })

  it('follows a jump of the wall clock at once', () => {
    const { dashboard, text } = shown(<Clock until={WALL_MS + HOUR_MS} />)
    act(() => dashboard.fleet.publish({ ...aSnapshot(), wallMs: WALL_MS + 2 * HOUR_MS }))
    expect(text()).toBe('after')
  })

  it('shows no time before the engine sends one', () => {
    const { text } = shown(<Clock until={WALL_MS} />, { ...aSnapshot(), revision: 0 })
    expect(text()).toBe('unknown')
  })
})
