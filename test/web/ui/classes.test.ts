import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { WIDTHS } from '#ui/use-media.ts'
import { filesOf, read, sources } from '#test/support/source-tree.ts'

const pages = [
  ...sources.filter((file) => /^web\/.*\.tsx$/.test(file)).map((file) => read(`src/${file}`)),
  ...['index.html', 'login.html'].map(read),
]
/** Quoted strings in components, which contain whole class names and the prefixes of composed ones. */
const quoted = pages.flatMap(
  (code) => code.replaceAll(/^import .*$/gm, '').match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [],
)
const named = new Set(quoted.flatMap((text) => text.match(/[\w-]+/g) ?? []))
const begun = quoted.flatMap((text) => Array.from(text.matchAll(/([\w-]+-)\$\{/g), ([, begin = '']) => begin))

const isDrawn = (name: string): boolean =>
  named.has(name) || begun.some((begin) => name.startsWith(begin)) || name.startsWith('recharts-')

const sheets = filesOf('src/web')
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({ file, css: read(`src/web/${file}`).replaceAll(/\/\*[^]*?\*\/|url\([^)]*\)/g, '') }))
const rules = sheets.flatMap(({ file, css }) => {
  const selectors = css.match(/[^{};]+(?=\{)/g) ?? []
  return selectors.map((selector) => ({ file, selector: selector.trim(), classes: classesIn(selector) }))
})
const styled = new Set(rules.flatMap(({ classes }) => classes))

function classesIn(selector: string): readonly string[] {
  const withoutValues = selector.replaceAll(/\[[^\]]*\]/g, '')
  return Array.from(withoutValues.matchAll(/\.([a-z][\w-]*)/gi), ([, name = '']) => name)
}

it('every styled class is used somewhere', () => {
  expect(styled.size).toBeGreaterThan(300)
  expect(Array.from(styled).filter((name) => !isDrawn(name))).toEqual([])
  expect(isDrawn('not-a-class-of-any')).toBe(false)
})

it('every used class has a style', () => {
  const drawn = pages.flatMap((code) =>
    Array.from(code.matchAll(/\bclass(?:Name)?="([^"]+)"/g), ([, names = '']) => names),
  )
  expect(drawn.flatMap((names) => names.split(' ')).filter((name) => !styled.has(name))).toEqual([])
})

it('a component styles only classes with its own name, which is unique', () => {
  const foreign = rules.filter(({ file, selector, classes }) => {
    const own = basename(file, '.css')
    const isOwn = classes.some((name) => name === own || name.startsWith(`${own}-`))
    return !file.startsWith('ui/css/') && selector !== '' && !/^(@|from$|to$)/.test(selector) && !isOwn
  })
  expect(foreign).toEqual([])
  const components = rules.map(({ file }) => basename(file))
  expect(new Set(rules.map(({ file }) => file)).size).toBe(new Set(components).size)
})

it('layouts change only at the documented widths, of the screen or of a named container', () => {
  const widths = rules
    .map(({ selector }) => selector)
    .filter((text) => /^@(media|container)[^]*(width|inline-size)/.test(text))
  const form = new RegExp(
    `^@(media|container (page|table|chart)) \\(width (<=|>) (${Object.values(WIDTHS).join('|')})px\\)$`,
  )
  expect(widths.length).toBeGreaterThan(20)
  expect(widths.filter((query) => !form.test(query))).toEqual([])
  const elsewhere = sources.filter((file) => /[(<>] ?\w*-?width\b.*\dpx/.test(read(`src/${file}`)))
  expect(elsewhere.filter((file) => /^web\/.*\.tsx?$/.test(file))).toEqual([])
})

it('animations change only opacity, transform or visibility, and never run forever', () => {
  const css = sheets.map((sheet) => sheet.css).join('\n')
  const animated = Array.from(
    css.matchAll(/@keyframes\s+[\w-]+\s*\{((?:[^{}]*\{[^{}]*\})*)/g),
    ([, steps = '']) => Array.from(steps.matchAll(/([\w-]+)\s*:/g), ([, property]) => property),
  )
  expect(animated.length).toBeGreaterThan(4)
  // An endless animation keeps the compositor and the GPU process at 60 frames a second.
  expect(css).not.toMatch(/animation[^;]*\binfinite\b/)
  const cheap = ['opacity', 'transform', 'visibility']
  expect(animated.flat().filter((property) => !cheap.includes(property ?? ''))).toEqual([])
})
