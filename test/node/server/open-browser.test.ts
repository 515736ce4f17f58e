import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { browserEnvironment, browserOpener, openBrowser } from '#server/serve.ts'
import { temporaryFolder } from './test-server.ts'

const url = 'http://127.0.0.1:7420/?a=1&calc.exe'

it.each([
  ['darwin', 'open', []],
  ['win32', 'rundll32.exe', ['url.dll,FileProtocolHandler']],
  ['linux', 'xdg-open', []],
  ['freebsd', 'xdg-open', []],
] as const)('on %s the address is one argument of %s, which is no shell', (platform, file, before) =>
  expect(browserOpener(platform, url)).toEqual({ file, args: [...before, url] }),
)

it('a browser gets of the environment what it needs, and no secret', () => {
  const needed = { PATH: '/bin', HOME: '/home/op', DISPLAY: ':0', SYSTEMROOT: 'C:' }
  const secrets = {
    NODE_KEY: 'seed',
    AWS_SECRET_ACCESS_KEY: 'x',
    XDG_SECRET: 'x',
    PATH_KEY: 'x',
    NODE_OPTIONS: 'x',
  }
  expect(browserEnvironment({ ...needed, ...secrets, LANG: undefined })).toEqual(needed)
})

it('--open hands the browser none of the server’s secrets', async () => {
  const folder = await temporaryFolder()
  const seen = join(folder, 'seen')
  const program = join(folder, browserOpener(process.platform, url).file)
  await writeFile(program, `#!/bin/sh\nenv > ${seen}.new\nmv ${seen}.new ${seen}\n`, { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  vi.stubEnv('IMMUNE_NODE_KEY', 'seed-of-a-key')
  onTestFinished(() => void vi.unstubAllEnvs())
  openBrowser(url, () => undefined)
  await vi.waitFor(() => expect(existsSync(seen)).toBe(true), 10_000)
  const text = readFileSync(seen, 'utf8')
  expect(text).toContain(`PATH=${folder}`)
  expect(text).not.toContain('seed-of-a-key')
})
