import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { SHIPPED_PACKAGES } from '#texts/shipped-packages.ts'
import { VERSION } from '#texts/version.ts'
import { formatted } from '#test/support/formatted.ts'
import { read, ROOT, sources } from '#test/support/source-tree.ts'

const FILE = join(ROOT, 'src/web/texts/shipped-packages.ts')

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Finds a package in the node_modules of a folder or of one above it. */
function folderOf(name: string, from: string): string | undefined {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return folder
  return from === dirname(from) ? undefined : folderOf(name, dirname(from))
}

const SOURCES = sources.filter((path) => !path.startsWith('node/')).map((path) => read(`src/${path}`))

/** Whether the page's code or style sheets import a package; server-only packages do not ship. */
const isOfPage = (name: string): boolean =>
  SOURCES.some((source) => new RegExp(`(from|import|import\\(|url\\() ?['"]${name}['"/]`).test(source))

/** Every package that the page's dependencies install, except type declarations. */
function installed(
  folder: string,
  names = Object.keys(manifestIn(folder).dependencies ?? {}),
  found = new Map<string, readonly [string, string, string]>(),
) {
  for (const name of names) {
    const place = folderOf(name, folder)
    if (place === undefined || name.startsWith('@types/')) continue
    const { version, license } = manifestIn(place)
    if (found.has(`${name} ${version}`)) continue
    found.set(`${name} ${version}`, [name, version, license])
    installed(place, undefined, found)
  }
  return found
}

it('the package list has all shipped packages, versions and licences (npm run docs updates it)', async () => {
  const ofPage = Object.keys(manifestIn(ROOT).dependencies ?? {}).filter(isOfPage)
  const found = Array.from(installed(ROOT, ofPage).values()).toSorted((a, b) =>
    a.join(' ') < b.join(' ') ? -1 : 1,
  )
  const source = readFileSync(FILE, 'utf8').replace(
    /(?<=SHIPPED_PACKAGES: .* = )[^]*/,
    `${JSON.stringify(found)}\n`,
  )
  await expect(await formatted(FILE, source)).toMatchFileSnapshot(FILE)
  const names = found.map(([name]) => name)
  expect(names).toEqual(expect.arrayContaining(['react', 'recharts', 'valibot', '@fontsource/ibm-plex-mono']))
  for (const ofServer of ['undici', 'prom-client']) expect(names).not.toContain(ofServer)
})

it('the package list contains only licences that allow redistribution', () => {
  const known = /^(MIT|ISC|BSD-3-Clause|Apache-2\.0|Unlicense|OFL-1\.1)( AND (MIT|ISC|BSD-3-Clause))*$/
  expect(SHIPPED_PACKAGES.filter(([, , licence]) => !known.test(licence))).toEqual([])
})

it('the shown version is that of the package', () => {
  expect(VERSION).toBe(manifestIn(ROOT).version)
})
