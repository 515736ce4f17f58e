import { expect, it, onTestFinished, vi } from 'vitest'
import { hostAnswers, memoryTooHighMb, watchErrors } from '#platform/page-health.ts'

const OURS = `${location.origin}/assets/first-x1.js:1:20`
const DOCUMENT = `${location.origin}${location.pathname}:1:1`
const WALLET = 'chrome-extension://abcdef/inpage.js:7:7'

const failure = (stack: string): Error => Object.assign(new Error('broken'), { stack })
const chromium = (...files: readonly string[]) =>
  failure(['Error: broken', ...files.map((file) => `    at f (${file})`)].join('\n'))
const firefox = (...files: readonly string[]) => failure(files.map((file) => `f@${file}`).join('\n'))

it.each<[boolean, string, unknown, string?]>([
  [true, 'a page file', chromium(OURS)],
  [true, 'a page file, in Firefox and Safari', firefox(OURS)],
  [true, 'a built-in function called by a page file', chromium('<anonymous>', OURS)],
  [true, 'a page’s handler of an extension’s event', chromium(OURS, WALLET)],
  [true, 'a page file that throws a string', 'broken', OURS.replace(/:1:20$/, '')],
  [false, 'an extension', chromium(WALLET)],
  [false, 'an extension, in Firefox', firefox('moz-extension://1-2-3/content.js:1:1')],
  [false, 'an extension, in Safari', firefox('safari-web-extension://1-2-3/content.js:1:1')],
  [false, 'an extension’s wrapper around a page function', chromium(WALLET, OURS)],
  [false, 'code evaluated by an extension', chromium('<anonymous>:1:7', OURS)],
  [false, 'an inline script added to the page', chromium(DOCUMENT)],
  [false, 'another origin that begins with the same text', chromium(`${location.origin}.evil/a.js:1:1`)],
  [
    false,
    'an extension whose message ends with a page file',
    Object.assign(new Error(OURS), { stack: `Error: ${OURS}\n    at f (${WALLET})` }),
  ],
  [false, 'an object without a stack', { code: 4_001 }],
  [false, 'an unknown source', undefined],
])('an error counts as the page’s own: %s if thrown by %s', (isOurs, _, error, filename = '') => {
  const heard: string[] = []
  onTestFinished(watchErrors((message) => heard.push(message)))
  // jsdom has no `PromiseRejectionEvent`.
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: error }))
  window.dispatchEvent(new ErrorEvent('error', { message: 'broken', error, filename }))
  expect(heard.length > 0).toBe(isOurs)
})

it.each([
  [600, 1_000, false],
  [601, 1_000, 601],
  [1_000, 4_000, false],
  [1_001, 4_000, 1_001],
])('memory use of %d MB out of %d MB is too high: %s', (usedMb, limitMb, said) => {
  const memory = { usedJSHeapSize: usedMb * 1e6, jsHeapSizeLimit: limitMb * 1e6 }
  Object.defineProperty(performance, 'memory', { configurable: true, value: memory })
  onTestFinished(() => void Reflect.deleteProperty(performance, 'memory'))
  expect(memoryTooHighMb()).toBe(said)
})

it.each([
  [true, 200, 'text/html; charset=utf-8'],
  [false, 502, 'text/html'],
  [false, 200, 'application/json'],
])('a reload is possible: %s if the host answers %d with %s', async (is, status, type) => {
  vi.stubGlobal('fetch', async () => new Response(undefined, { status, headers: { 'content-type': type } }))
  expect(await hostAnswers()).toBe(is)
})
