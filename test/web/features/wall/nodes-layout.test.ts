import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nodesLayout } from '#features/wall/nodes-layout.ts'

/** The space below the large figure of a quiet wall, and below five lines of problems. */
const QUIET = { width: 169, height: 41 }
const UNDER_LINES = { width: 169, height: 12 }

it.each([
  [1, 'cards'],
  [3, 'cards'],
  [12, 'names'],
  [40, 'names'],
  [200, 'map'],
  [1_000, 'map'],
  [5_000, 'map'],
])('a quiet wall of %d nodes shows %s', (count, kind) => {
  expect(nodesLayout(count, 11, QUIET).kind).toBe(kind)
})

it.each([
  [3, 'names'],
  [40, 'map'],
])('below five lines of problems, %d nodes are shown as %s', (count, kind) => {
  expect(nodesLayout(count, 11, UNDER_LINES).kind).toBe(kind)
})

it('long names need more room, up to the length at which they are truncated', () => {
  const kinds = [8, 16, 64].map((letters) => nodesLayout(40, letters, QUIET).kind)
  expect(kinds).toEqual(['names', 'map', 'map'])
  expect(nodesLayout(12, 16, QUIET)).toEqual(nodesLayout(12, 64, QUIET))
})

it('text is never too small to read and always fits, for any node count and screen size', () => {
  const side = fc.double({ min: 0.5, max: 400, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 6_000 }),
      fc.integer({ min: 0, max: 70 }),
      side,
      side,
      (count, letters, width, height) => {
        const layout = nodesLayout(count, letters, { width, height })
        if (layout.kind === 'map') return
        const rows = Math.ceil(count / layout.columns)
        const lineEm = layout.kind === 'names' ? 1.3 : 2.7 + layout.lines * 0.85 * 1.3
        expect(layout.text * (layout.kind === 'names' ? 1 : 0.85)).toBeGreaterThanOrEqual(3.4)
        expect(rows * layout.text * lineEm).toBeLessThanOrEqual(height + 1e-6)
      },
    ),
  )
})
