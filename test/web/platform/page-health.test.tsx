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
  [true, 'a file of the page', chromium(OURS)],
  [true, 'a file of the page, in Firefox and Safari', firefox(OURS)],
  [true, 'a built-in function that a file of the page called', chromium('<anonymous>', OURS)],
  [true, 'a handler of the page that an extension’s event came to', chromium(OURS, WALLET)],
  [true, 'a file of the page that throws a text', 'broken', OURS.replace(/:1:20$/, '')],
  [false, 'an extension', chromium(WALLET)],
  [false, 'an extension, in Firefox', firefox('moz-extension://1-2-3/content.js:1:1')],
  [false, 'an extension, in Safari', firefox('safari-web-extension://1-2-3/content.js:1:1')],
  [false, 'what an extension put around a function that the page calls', chromium(WALLET, OURS)],
  [false, 'code that an extension evaluated in the page', chromium('<anonymous>:1:7', OURS)],
  [false, 'a script that was written into the page', chromium(DOCUMENT)],
  [
    false,
    'a page of another origin that begins with the same text',
    chromium(`${location.origin}.evil/a.js:1:1`),
  ],
  [
    false,
    'an extension whose message ends with a file of the page',
    Object.assign(new Error(OURS), { stack: `Error: ${OURS}\n    at f (${WALLET})` }),
  ],
  [false, 'something that has no stack', { code: 4_001 }],
  [false, 'nothing', undefined],
])('an error counts as the page’s (%s) by the file that threw it: %s', (isOurs, _, error, filename = '') => {
  const heard: string[] = []
  onTestFinished(watchErrors((message) => heard.push(message)))
  // jsdom makes no such event.
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: error }))
  window.dispatchEvent(new ErrorEvent('error', { message: 'broken', error, filename }))
  expect(heard.length > 0).toBe(isOurs)
})

it.each([
  [600, 1_000, false],
  [601, 1_000, 601],
  [1_000, 4_000, false],
  [1_001, 4_000, 1_001],
])('%d MB of at most %d are too much: %s', (usedMb, limitMb, said) => {
  const memory = { usedJSHeapSize: usedMb * 1e6, jsHeapSizeLimit: limitMb * 1e6 }
  Object.defineProperty(performance, 'memory', { configurable: true, value: memory })
  onTestFinished(() => void Reflect.deleteProperty(performance, 'memory'))
  expect(memoryTooHighMb()).toBe(said)
})

it.each([
  [true, 200, 'text/html; charset=utf-8'],
  [false, 502, 'text/html'],
  [false, 200, 'application/json'],
])('a reload would load the page (%s) where the host answers %d, %s', async (is, status, type) => {
  vi.stubGlobal('fetch', async () => new Response(undefined, { status, headers: { 'content-type': type } }))
  expect(await hostAnswers()).toBe(is)
})
