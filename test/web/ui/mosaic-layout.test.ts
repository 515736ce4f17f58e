import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mosaicLayout, mosaicPaths } from '#ui/mosaic.tsx'

const BOX = { width: 1_800, height: 190, cellMax: 40 }

it('cells stay inside the box and never overlap, whatever the groups', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 12 }), (sizes) => {
      const { cell, places } = mosaicLayout(sizes, BOX)
      expect(places).toHaveLength(sizes.reduce((sum, size) => sum + size, 0))
      const outside = places.filter(([x, y]) => x + cell > BOX.width + 1e-6 || y + cell > BOX.height + 1e-6)
      expect(outside).toEqual([])
      const seen = new Set(places.map(([x, y]) => `${Math.round((x / cell) * 2)} ${Math.round(y / cell)}`))
      expect(seen.size).toBe(places.length)
    }),
    { numRuns: 30 },
  )
})

it('cells are as large as the box allows, and the layout reports the used size', () => {
  const sizes = [8, 14, 2, 6, 10]
  const box = { width: 1_800, height: 140, cellMax: 70 }
  const { cell, used } = mosaicLayout(sizes, box)
  // Two rows of 20 columns, plus the width of six for the gaps.
  expect(cell).toBeCloseTo(box.width / 26, 6)
  expect(used.width).toBeLessThanOrEqual(box.width + 1e-6)
  expect(used.height).toBeCloseTo(2 * cell, 6)
})

it('cells stay visible for twenty thousand nodes', () => {
  expect(mosaicLayout([20_000], BOX).cell).toBeGreaterThan(3.9)
})

it('marked cells are drawn over the others, with the worst on top', () => {
  const layout = { cell: 10, places: [0, 10, 20].map((x) => [x, 0] as const) }
  const paths = mosaicPaths(['critical', undefined, 'none'], layout, 12)
  expect(paths.map(([kind]) => kind)).toEqual(['ok', 'none', 'critical'])
})
