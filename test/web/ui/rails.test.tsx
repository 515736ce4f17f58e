import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { RangeRail } from '#ui/range-rail.tsx'

const LIMITS = [
  { value: 50, level: 'critical', label: 'critical' },
  { value: 75, level: 'warning', label: 'warning' },
] as const

/** Left edge and width of a part of the 400 wide rail, or the pointer's position, if it is drawn. */
function drawn(part: string, value: number) {
  const { container } = render(
    <RangeRail from={0} to={100} value={value} level={undefined} limits={LIMITS} label="x" />,
  )
  const found = container.querySelector(`.${part}`)
  if (found === null) return undefined
  const [left = 0, width = 0] = ['x', 'width'].map((name) => Number(found.getAttribute(name)))
  return part === 'range-rail-pointer' ? Number(found.getAttribute('x1')) : [left, width]
}

it('the rail is marked from the first limit to its end', () => {
  expect(drawn('range-rail-beyond', 10)).toEqual([200, 200])
})

it.each([
  [25, 100],
  [-5, 0],
  [1e9, 400],
  [Number.NaN, undefined],
])('the pointer for %d stays on the rail, at %s', (value, at) => {
  expect(drawn('range-rail-pointer', value)).toBe(at)
})
