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

it('the JavaScript for the first status is within its budget', () => {
  expect(built.initialScripts.length).toBeGreaterThan(1)
  expect(gzipKb(built.initialScripts)).toBeLessThanOrEqual(INITIAL_JS_LIMIT_KB)
})

it('all styles are one file within its budget, so no page ever renders unstyled', () => {
  expect(filesOf('dist/web').filter((file) => file.endsWith('.css'))).toEqual(built.styles)
  expect(built.styles).toHaveLength(1)
  expect(gzipKb(built.styles)).toBeLessThanOrEqual(CSS_LIMIT_KB)
})

it('the number of lazy scripts is within its budget', () => {
  expect(built.laterScripts.length).toBeLessThanOrEqual(LATER_SCRIPTS_MAX)
})

it('the sign-in page has the app’s styles and only the theme script', () => {
  const page = readBuilt('login.html')
  expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="./theme.js">'])
  expect(page).not.toContain('modulepreload')
  for (const style of built.styles) expect(page).toContain(`href="./${style}"`)
})

it.each(Object.entries(WORKER_LIMITS_KB))('the %s Worker is at most %d kB', (name, limit) => {
  const files = built.workers.filter((file) => file.startsWith(`assets/${name}-worker-`))
  expect(files).toHaveLength(1)
  expect(gzipKb(files)).toBeLessThanOrEqual(limit)
})

it('the scripts for the first status contain no charts', () => {
  const isRecharts = (file: string): boolean => readBuilt(file).includes('recharts')
  expect(built.initialScripts.filter(isRecharts)).toEqual([])
  expect(built.laterScripts.filter(isRecharts)).not.toEqual([])
})

it('each Worker is one file without imports', () => {
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

it('the page has no inline script or style and no URL of another origin', () => {
  const html = readBuilt('index.html')
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//)
})

it('the build has no source maps, and its styles no data URLs', () => {
  const files = filesOf('dist/web')
  expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
  for (const file of built.styles) expect(readBuilt(file)).not.toContain('url(data:')
})
