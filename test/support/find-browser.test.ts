import { describe, expect, it } from 'vitest'
import { findBrowser, findLightBrowser, type BrowserSearch } from './find-browser.ts'

const search = (parts: Partial<BrowserSearch> & { there: readonly string[] }): BrowserSearch => ({
  platform: 'linux',
  env: {},
  home: '/home/me',
  entries: () => [],
  isExecutable: (path) => parts.there.includes(path.replaceAll('\\', '/')),
  ...parts,
})

describe('finding a browser', () => {
  it.each<[string, Parameters<typeof search>[0], string | undefined]>([
    ['nothing there', { there: [] }, undefined],
    [
      'named by the environment, before anything else',
      { env: { CHROMIUM_PATH: '/my/chrome' }, there: ['/my/chrome', '/usr/bin/chromium'] },
      '/my/chrome',
    ],
    [
      'named by the other variable',
      { env: { CHROME_PATH: '/my/chrome' }, there: ['/my/chrome'] },
      '/my/chrome',
    ],
    [
      'named, but not there',
      { env: { CHROMIUM_PATH: '/gone' }, there: ['/usr/bin/chromium'] },
      '/usr/bin/chromium',
    ],
    [
      'on PATH, Chromium before Chrome',
      { env: { PATH: '/a:/b' }, there: ['/a/google-chrome', '/b/chromium'] },
      '/b/chromium',
    ],
    ['as Debian calls it', { there: ['/usr/bin/chromium'] }, '/usr/bin/chromium'],
    [
      'macOS',
      { platform: 'darwin', there: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'] },
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    [
      'Windows',
      {
        platform: 'win32',
        env: { ProgramFiles: 'C:\\Program Files' },
        there: ['C:/Program Files/Google/Chrome/Application/chrome.exe'],
      },
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    ],
    [
      "Playwright's own, the newest",
      {
        entries: () => ['chromium-900', 'chromium-1200', 'firefox-1400'],
        there: [900, 1200].map((n) => `/home/me/.cache/ms-playwright/chromium-${n}/chrome-linux/chrome`),
      },
      '/home/me/.cache/ms-playwright/chromium-1200/chrome-linux/chrome',
    ],
    [
      "Playwright's own, elsewhere",
      {
        env: { PLAYWRIGHT_BROWSERS_PATH: '/pw' },
        entries: (folder) => (folder === '/pw' ? ['chromium-1'] : []),
        there: ['/pw/chromium-1/chrome-linux64/chrome'],
      },
      '/pw/chromium-1/chrome-linux64/chrome',
    ],
  ])('%s', (_name, parts, found) => {
    expect(findBrowser(search(parts))).toBe(found)
  })
})

describe('finding a light browser', () => {
  it.each<[string, Parameters<typeof search>[0], string | undefined]>([
    ['nothing there', { there: ['/usr/bin/chromium'] }, undefined],
    [
      'as Debian has it',
      { there: ['/usr/lib/chromium/chromium-headless-shell'] },
      '/usr/lib/chromium/chromium-headless-shell',
    ],
    [
      'named by the environment, before anything else',
      {
        env: { CHROMIUM_PATH: '/my/chrome' },
        there: ['/my/chrome', '/usr/lib/chromium/chromium-headless-shell'],
      },
      '/my/chrome',
    ],
    [
      "Playwright's own, the newest",
      {
        entries: () => ['chromium_headless_shell-900', 'chromium_headless_shell-1200', 'chromium-1300'],
        there: [900, 1200].map(
          (n) => `/home/me/.cache/ms-playwright/chromium_headless_shell-${n}/chrome-linux/headless_shell`,
        ),
      },
      '/home/me/.cache/ms-playwright/chromium_headless_shell-1200/chrome-linux/headless_shell',
    ],
  ])('%s', (_name, parts, found) => {
    expect(findLightBrowser(search(parts))).toBe(found)
  })
})
