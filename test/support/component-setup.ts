import process from 'node:process'
import { cleanup, configure } from '@testing-library/react'
import { afterAll, afterEach, vi } from 'vitest'
import { looks } from './looks.ts'

// The limit ends a hang on a busy machine; what is waited for is seen as soon as it is there.
configure({
  reactStrictMode: true,
  asyncUtilTimeout: 60_000,
  // A failed look-up would print the whole page, at each try until the element appears. DEBUG_PRINT_LIMIT brings that back.
  ...(process.env['DEBUG_PRINT_LIMIT'] === undefined && {
    getElementError: (message) => new Error(message ?? 'no message'),
  }),
})
// jsdom lays nothing out, and so has none.
Element.prototype.scrollIntoView = () => undefined
afterEach(() => {
  cleanup()
  vi.restoreAllMocks() // files share a window, and so what one of them put into it
})
// A part that is fetched late may still be on its way when the last test of a file ends, and the next file would find it broken.
afterAll(() => vi.dynamicImportSettled())

/** Without a stylesheet of ours, elements differ only by these, and jsdom matches each with all rules of its own. */
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
