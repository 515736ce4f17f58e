import { expect, it } from 'vitest'
import { filesOf, read } from '#test/support/source-tree.ts'

it('animations change only opacity, transform or visibility, and never run forever', () => {
  const styles = filesOf('src/web').filter((file) => file.endsWith('.css'))
  const css = styles.map((file) => read(`src/web/${file}`)).join('\n')
  const animations = Array.from(
    css.matchAll(/@keyframes\s+([\w-]+)\s*\{((?:[^{}]*\{[^{}]*\})*)/g),
    ([, name, steps]) => ({
      name,
      animated: Array.from((steps ?? '').matchAll(/([\w-]+)\s*:/g), ([, property]) => property),
    }),
  )
  expect(animations.length).toBeGreaterThan(4)
  // An endless animation keeps the compositor and the GPU process at 60 frames a second.
  expect(css).not.toMatch(/animation[^;]*\binfinite\b/)
  const cheap = ['opacity', 'transform', 'visibility']
  expect(animations.filter(({ animated }) => animated.some((one) => !cheap.includes(one ?? '')))).toEqual([])
})
