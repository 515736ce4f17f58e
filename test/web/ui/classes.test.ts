import { expect, it } from 'vitest'
import { filesOf, read, sources } from '#test/support/source-tree.ts'

/** What stands between quotes where elements are drawn, and the beginnings of names that are put together there. */
const quoted = [
  ...sources.filter((file) => /^web\/.*\.tsx$/.test(file)).map((file) => read(`src/${file}`)),
  ...['index.html', 'login.html'].map(read),
].flatMap((code) => code.replaceAll(/^import .*$/gm, '').match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [])
const named = new Set(quoted.flatMap((text) => text.match(/[\w-]+/g) ?? []))
const begun = quoted.flatMap((text) => Array.from(text.matchAll(/([\w-]+-)\$\{/g), ([, begin = '']) => begin))

const isDrawn = (name: string): boolean =>
  named.has(name) || begun.some((begin) => name.startsWith(begin)) || name.startsWith('recharts-')

/** The classes that a style sheet speaks of. */
function classesOf(css: string): readonly string[] {
  const selectors = css.replaceAll(/\/\*[^]*?\*\/|url\([^)]*\)/g, '').match(/[^{}]+(?=\{)/g) ?? []
  return selectors.flatMap((selector) =>
    Array.from(selector.replaceAll(/\[[^\]]*\]/g, '').matchAll(/\.([a-z][\w-]*)/gi), ([, name = '']) => name),
  )
}

it('every class that has a style is drawn somewhere', () => {
  const styles = filesOf('src/web').filter((file) => file.endsWith('.css'))
  const classes = styles.flatMap((file) => classesOf(read(`src/web/${file}`)).map((name) => ({ file, name })))
  expect(classes.length).toBeGreaterThan(500)
  expect(classes.filter(({ name }) => !isDrawn(name))).toEqual([])
  expect(isDrawn('not-a-class-of-any')).toBe(false)
})
