import { expect, it } from 'vitest'
import { browserOpener } from '#server/command.ts'

const url = 'http://127.0.0.1:7420/?a=1&calc.exe'

it.each([
  ['darwin', 'open', []],
  ['win32', 'rundll32.exe', ['url.dll,FileProtocolHandler']],
  ['linux', 'xdg-open', []],
  ['freebsd', 'xdg-open', []],
] as const)('on %s the address is one argument of %s, which is no shell', (platform, file, before) =>
  expect(browserOpener(platform, url)).toEqual({ file, args: [...before, url] }),
)
