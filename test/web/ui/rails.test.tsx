import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { RangeRail } from '#ui/range-rail.tsx'

const LIMITS = [
  { value: 50, level: 'critical', label: 'critical' },
  { value: 75, level: 'warning', label: 'warning' },
] as const

/** Left end and width of a part of the rail, whose whole width is 400; undefined where it is not drawn. */
function drawn(part: string, value: number, bad: 'above' | 'below') {
  const { container } = render(
    <RangeRail from={0} to={100} value={value} limits={LIMITS} bad={bad} usual={[60, 70]} label="x" />,
  )
  const found = container.querySelector(`.${part}`)
  if (found === null) return undefined
  const [left = 0, width = 0] = ['x', 'width'].map((name) => Number(found.getAttribute(name)))
  return part === 'range-rail-pointer' ? Number(found.getAttribute('x1')) : [left, width]
}

it.each([
  ['above', [200, 200]],
  ['below', [0, 300]],
] as const)('what lies %s the first limit is marked to the end of the rail', (bad, at) => {
  expect(drawn('range-rail-beyond', 10, bad)).toEqual(at)
})

it.each([
  [25, 100],
  [-5, 0],
  [1e9, 400],
  [Number.NaN, undefined],
])('the pointer for %d is at %s: it never leaves the rail', (value, at) => {
  expect(drawn('range-rail-pointer', value, 'above')).toBe(at)
})

it('the usual range is where it is', () => {
  expect(drawn('range-rail-usual', 10, 'above')).toEqual([240, 40])
})
