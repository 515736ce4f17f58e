import { expect, it } from 'vitest'
import { gzipKb, readBuilt, readBuiltFiles } from '#test/support/built-files.ts'
import { filesOf } from '#test/support/source-tree.ts'
import {
  CSS_LIMIT_KB,
  INITIAL_JS_LIMIT_KB,
  LATER_SCRIPTS_MAX,
  WORKER_LIMITS_KB,
} from '#test/support/limits.ts'

const built = readBuiltFiles()

it('the page can draw its first status after at most the budgeted JavaScript', () => {
  expect(built.initialScripts.length).toBeGreaterThan(1)
  expect(gzipKb(built.initialScripts)).toBeLessThanOrEqual(INITIAL_JS_LIMIT_KB)
})

it('all styles are one file within its budget, so that no page is ever drawn without its own', () => {
  expect(filesOf('dist/web').filter((file) => file.endsWith('.css'))).toEqual(built.styles)
  expect(built.styles).toHaveLength(1)
  expect(gzipKb(built.styles)).toBeLessThanOrEqual(CSS_LIMIT_KB)
})

it('the scripts are few: one of what all pages begin with, one of what pages share, one a page', () => {
  expect(built.laterScripts.length).toBeLessThanOrEqual(LATER_SCRIPTS_MAX)
})

it('the sign-in page has the app’s styles, and no script but the one that sets the theme', () => {
  const page = readBuilt('login.html')
  expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="./theme.js">'])
  expect(page).not.toContain('modulepreload')
  for (const style of built.styles) expect(page).toContain(`href="./${style}"`)
})

it.each(Object.entries(WORKER_LIMITS_KB))('the %s Worker is at most %d kB, counted apart', (name, limit) => {
  const files = built.workers.filter((file) => file.startsWith(`assets/${name}-worker-`))
  expect(files).toHaveLength(1)
  expect(gzipKb(files)).toBeLessThanOrEqual(limit)
})

it('charts are not among what is needed first', () => {
  const isRecharts = (file: string): boolean => readBuilt(file).includes('recharts')
  expect(built.initialScripts.filter(isRecharts)).toEqual([])
  expect(built.laterScripts.filter(isRecharts)).not.toEqual([])
})

it('each Worker is one file that loads no other', () => {
  expect(built.workers.map((file) => file.replace(/-worker-.*/, '')).toSorted()).toEqual([
    'assets/engine',
    'assets/signer',
  ])
  for (const file of built.workers)
    expect(readBuilt(file)).not.toMatch(/\bimport\s*\(|\bimport\s*["'{*]|\bfrom\s*["']/)
})

it('React is its production build', () => {
  const scripts = filesOf('dist/web').filter((file) => file.endsWith('.js'))
  expect(scripts.length).toBeGreaterThan(3)
  const development = /react-dom-client\.development|react-jsx-dev-runtime|Download the React DevTools/
  expect(scripts.filter((file) => development.test(readBuilt(file)))).toEqual([])
})

it('the page has no inline script or style and no address of another origin', () => {
  const html = readBuilt('index.html')
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
})

it('ships no source maps and no data addresses', () => {
  const files = filesOf('dist/web')
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
  for (const file of built.styles) expect(readBuilt(file)).not.toContain('url(data:')
})
