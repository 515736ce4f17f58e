import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** The environment that the search reads; a parameter, so that every system's paths can be tested on any system. */
export type BrowserSearch = {
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly isExecutable: (path: string) => boolean
  readonly entries: (folder: string) => readonly string[]
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Not Debian's launcher in /usr/bin, because the browser is its child and survives it. */
const SHELLS = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/local/bin/chrome-headless-shell',
  '/usr/bin/chrome-headless-shell',
]

const PLAYWRIGHT_SHELLS = [
  'chrome-linux/headless_shell',
  'chrome-headless-shell-linux64/chrome-headless-shell',
]

const MAC_APPS = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
]

const WINDOWS_APPS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]

const PLAYWRIGHT_BINARIES = [
  'chrome-linux/chrome',
  'chrome-linux64/chrome',
  'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
  'chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  'chrome-mac-x64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  'chrome-win/chrome.exe',
  'chrome-win64/chrome.exe',
]

/** Path of a Chromium-based browser: from the environment, on PATH, in the usual folders, or Playwright's own. */
export function findBrowser(search: BrowserSearch = thisMachine()): string | undefined {
  return candidates(search).find(search.isExecutable)
}

/**
 * Path of the browser with the least overhead: the one that the environment names, or Chromium's headless shell, which
 * has the same engine without display support.
 */
export function findLightBrowser(search: BrowserSearch = thisMachine()): string | undefined {
  const shells = playwrightsOwn(search, /^chromium_headless_shell-(\d+)$/, PLAYWRIGHT_SHELLS)
  return [...named(search), ...SHELLS, ...shells].find(search.isExecutable)
}

const named = ({ env }: BrowserSearch): readonly string[] =>
  [env['CHROMIUM_PATH'] ?? '', env['CHROME_PATH'] ?? ''].filter((path) => path !== '')

function candidates(search: BrowserSearch): readonly string[] {
  return [
    ...named(search),
    ...onPath(search),
    ...usualPlaces(search),
    ...playwrightsOwn(search, /^chromium-(\d+)$/, PLAYWRIGHT_BINARIES),
  ]
}

function onPath({ env, platform }: BrowserSearch): readonly string[] {
  const suffix = platform === 'win32' ? '.exe' : ''
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(platform === 'win32' ? ';' : delimiter)
  return NAMES.flatMap((name) => folders.filter((f) => f !== '').map((f) => join(f, name + suffix)))
}

function usualPlaces({ env, home, platform }: BrowserSearch): readonly string[] {
  if (platform === 'darwin')
    return MAC_APPS.flatMap((app) => [`/Applications/${app}`, `${home}/Applications/${app}`])
  if (platform === 'win32') {
    const roots = [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']]
    return roots.flatMap((root) => (root === undefined ? [] : WINDOWS_APPS.map((app) => `${root}\\${app}`)))
  }
  return ['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((f) => NAMES.map((name) => `${f}/${name}`))
}

/** Programs in folders such as chromium-1200, newest first. */
function playwrightsOwn(
  { env, home, platform, entries }: BrowserSearch,
  folder: RegExp,
  binaries: readonly string[],
): readonly string[] {
  const usual: Partial<Record<NodeJS.Platform, string>> = {
    darwin: `${home}/Library/Caches/ms-playwright`,
    win32: `${env['LOCALAPPDATA'] ?? `${home}/AppData/Local`}/ms-playwright`,
  }
  const root = env['PLAYWRIGHT_BROWSERS_PATH'] ?? usual[platform] ?? `${home}/.cache/ms-playwright`
  return entries(root)
    .filter((entry) => folder.test(entry))
    .toSorted((a, b) => Number(folder.exec(b)?.[1]) - Number(folder.exec(a)?.[1]))
    .flatMap((entry) => binaries.map((binary) => `${root}/${entry}/${binary}`))
}

function thisMachine(): BrowserSearch {
  return {
    platform: process.platform,
    env: process.env,
    home: homedir(),
    isExecutable: (path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false // The search skips a file that is missing or can't be executed.
      }
    },
    entries: (folder) => (existsSync(folder) ? readdirSync(folder) : []),
  }
}
