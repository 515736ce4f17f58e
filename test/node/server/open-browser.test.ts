import { expect, it } from 'vitest'
import { browserOpener } from '#server/command.ts'

const url = 'http://127.0.0.1:7420/?a=1&calc.exe'

it.each([
  ['darwin', 'open'],
  ['win32', 'rundll32.exe'],
  ['linux', 'xdg-open'],
  ['freebsd', 'xdg-open'],
] as const)('on %s the address is one argument of %s, which is no shell', (platform, file) => {
  const opener = browserOpener(platform, url)
  expect(opener.file).toBe(file)
  expect(opener.args.at(-1)).toBe(url)
})
