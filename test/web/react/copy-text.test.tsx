import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { copyText } from '#react/copy-text.ts'

afterEach(() => document.body.replaceChildren())

it.each([
  ['a page', '<button>copy</button>', 'body'],
  [
    'a dialog with an inert page behind it',
    '<button>other</button><dialog open><button>copy</button></dialog>',
    'dialog',
  ],
  [
    'the upper of two dialogs',
    '<dialog open id="low"></dialog><dialog open id="top"><button>copy</button></dialog>',
    '#top',
  ],
  ['a page with a closed dialog', '<button>copy</button><dialog></dialog>', 'body'],
])('copyText works over plain http and returns focus within %s', async (_, page, within) => {
  vi.stubGlobal('isSecureContext', false)
  document.body.innerHTML = page
  const button = Array.from(document.querySelectorAll('button')).find(
    ({ textContent }) => textContent === 'copy',
  )
  button?.focus()
  let copied: readonly unknown[] = []
  // jsdom has no `execCommand`.
  Object.assign(document, {
    execCommand: () => {
      const area = document.querySelector('textarea')
      copied = [area?.parentElement?.matches(within), area?.value]
      return true
    },
  })
  onTestFinished(() => void Reflect.deleteProperty(document, 'execCommand'))
  expect(await copyText('0x7f3a')).toBe(true)
  expect(copied).toEqual([true, '0x7f3a'])
  expect([document.activeElement, document.querySelector('textarea')]).toEqual([button, null])
})
