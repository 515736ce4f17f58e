import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const CSS = join(import.meta.dirname, '../../../src/web/ui/css')

it('no animation keeps the main thread busy: browsers run those of opacity and transform beside it', () => {
  const css = readdirSync(CSS)
    .map((file) => readFileSync(join(CSS, file), 'utf8'))
    .join('\n')
  const animations = Array.from(
    css.matchAll(/@keyframes\s+([\w-]+)\s*\{((?:[^{}]*\{[^{}]*\})*)/g),
    ([, name, steps]) => ({
      name,
      animated: Array.from((steps ?? '').matchAll(/([\w-]+)\s*:/g), ([, property]) => property),
    }),
  )
  expect(animations.length).toBeGreaterThan(4)
  // One without end keeps compositor and GPU process at 60 frames a second, day and night.
  expect(css).not.toMatch(/animation[^;]*\binfinite\b/)
  const cheap = ['opacity', 'transform', 'visibility']
  expect(animations.filter(({ animated }) => animated.some((one) => !cheap.includes(one ?? '')))).toEqual([])
})
