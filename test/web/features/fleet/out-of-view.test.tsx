import { act, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { NodeKey } from '#fleet/live.ts'
import { METRICS } from '#metrics/metrics.ts'
import { AgeOfOldCell, GlyphCell } from '#features/fleet/cells.tsx'
import { MetricCell, ReadingCell } from '#parts/node-cells.tsx'
import { EvaluationProvider } from '#react/evaluation.tsx'
import { fakeDashboard, renderWith } from '#test/support/fake-dashboard.tsx'
import { aNode, aSnapshot } from '#test/support/fleet-fixture.ts'

type Seen = { readonly target: Element; readonly isIntersecting: boolean }

let report: (seen: readonly Seen[]) => void = () => undefined
const watched = new Set<Element>()

class FakeObserver {
  constructor(callback: (seen: readonly Seen[]) => void) {
    report = callback
  }
  observe = (target: Element): void => void watched.add(target)
  unobserve = (target: Element): void => void watched.delete(target)
}

beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', FakeObserver)
})

const heartbeat = METRICS.filter(({ kind }) => kind === 'timestamp')

const Row = ({ nodeKey }: { readonly nodeKey: NodeKey }) => (
  <p>
    <GlyphCell nodeKey={nodeKey} />
    <AgeOfOldCell nodeKey={nodeKey} />
    <ReadingCell nodeKey={nodeKey} />
    {heartbeat.map((metric) => (
      <MetricCell key={metric.id} nodeKey={nodeKey} metric={metric} />
    ))}
  </p>
)

/** A node that answered 2 s ago, when its last heartbeat was 2 s old. */
function renderRow() {
  const node = aNode()
  const dashboard = fakeDashboard({ snapshot: aSnapshot([node]) })
  const { unmount } = renderWith(
    dashboard,
    <EvaluationProvider>
      <Row nodeKey={node.key} />
    </EvaluationProvider>,
    '/nodes',
  )
  const move = (isIntersecting: boolean): void =>
    act(() => report(Array.from(watched, (target) => ({ target, isIntersecting }))))
  return { dashboard, unmount, move, text: () => screen.getByRole('paragraph').textContent }
}

const spaced = (text: string): string => text.replace(/(\d) s/g, '$1\u00a0s')

describe('a row scrolled out of view', () => {
  it('updates its ages only every 10 s and never shows them too low', () => {
    const { dashboard, move, text } = renderRow()
    dashboard.advance(1_000)
    expect(text()).toBe(spaced('3 s ago5 s'))
    move(false)
    for (let second = 1; second < 10; second++) {
      expect(text()).toBe(spaced('12 s ago14 s'))
      dashboard.advance(1_000)
    }
    expect(text()).toBe(spaced('12 s ago14 s'))
    dashboard.advance(1_000)
    expect(text()).toContain(spaced('22 s ago24 s'))
  })

  it('marks its values as outdated without delay', () => {
    const { dashboard, move } = renderRow()
    move(false)
    dashboard.advance(35_000)
    expect(document.querySelector('.cells-as-of')).toBeNull()
    dashboard.advance(1_000)
    expect(document.querySelector('.cells-as-of')).not.toBeNull()
  })

  it.each([
    ['it comes into view', (move: (isIn: boolean) => void) => move(true)],
    ['the page is printed', () => act(() => void dispatchEvent(new Event('beforeprint')))],
  ])('shows exact ages once %s', (_when, happen) => {
    const { dashboard, move, text } = renderRow()
    move(false)
    dashboard.advance(3_000)
    expect(text()).toBe(spaced('12 s ago14 s'))
    happen(move)
    expect(text()).toBe(spaced('5 s ago7 s'))
    dashboard.advance(1_000)
    expect(text()).toBe(spaced('6 s ago8 s'))
  })

  it('leaves no state behind for the next row of the same node', () => {
    const { unmount, move } = renderRow()
    move(false)
    unmount()
    expect(watched.size).toBe(0)
    const { dashboard, text } = renderRow()
    dashboard.advance(3_000)
    expect(text()).toBe(spaced('5 s ago7 s'))
  })
})
