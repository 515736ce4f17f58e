import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SparkLine } from '#ui/spark.tsx'

it.each([
  [[1, 2, 3], 'MLL', 1],
  [[1, Number.NaN, 3], 'MM', 1],
  [[1, 2, Number.NaN], 'ML', 0],
])('a trend of %j is drawn as %s, with a dot only at a known end', (value, commands, dots) => {
  const { container } = render(
    <SparkLine fromMs={0} toMs={3} label="trend" atMs={[1, 2, 3]} value={value} domain={[0, 4]} />,
  )
  expect(container.querySelector('path')?.getAttribute('d')?.replaceAll(/[^ML]/g, '')).toBe(commands)
  expect(container.querySelectorAll('circle')).toHaveLength(dots)
})
