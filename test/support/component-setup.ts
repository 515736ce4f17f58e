import process from 'node:process'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, vi } from 'vitest'
import { looks } from './looks.ts'

// The timeout only ends a hang on a busy machine; a query returns as soon as it finds its element.
configure({
  reactStrictMode: true,
  asyncUtilTimeout: 60_000,
  // A failed query would print the whole page at each retry. Set DEBUG_PRINT_LIMIT to print it again.
  ...(process.env['DEBUG_PRINT_LIMIT'] === undefined && {
    getElementError: (message) => new Error(message ?? 'no message'),
  }),
})
// jsdom has no layout, and so does not implement this.
Element.prototype.scrollIntoView = () => undefined
afterEach(() => {
  cleanup()
  vi.restoreAllMocks() // Test files share a window, so mocks would leak into the next file.
})
// A lazy component may still be loading when the last test of a file ends; the next file would then find a broken
// import.
afterAll(() => vi.dynamicImportSettled())

/** Without our stylesheets only these attributes affect an element's style; jsdom matches its own rules slowly. */
const LOOK = ['hidden', 'open', 'popover', 'style', 'type']
const computed = window.getComputedStyle.bind(window)
window.getComputedStyle = (element) => {
  const key = JSON.stringify([element.localName, ...LOOK.map((name) => element.getAttribute(name))])
  const look = looks.get(key) ?? computed(element)
  looks.set(key, look)
  return look
}
afterAll(() => {
  window.getComputedStyle = computed
})
