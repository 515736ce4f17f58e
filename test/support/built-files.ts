import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT, filesOf } from './source-tree.ts'

const WEB = 'dist/web'

/** The built page's files, as paths below dist/web. */
export type BuiltFiles = {
  /** The scripts needed before the first status: the page's own and all that they import statically. */
  readonly initialScripts: readonly string[]
  /** The styles of the app's page. */
  readonly styles: readonly string[]
  /** The scripts that the page fetches later. */
  readonly laterScripts: readonly string[]
  readonly workers: readonly string[]
}

/** Reads the list of built files. Throws if there is no build. */
export function readBuiltFiles(): BuiltFiles {
  const html = readBuilt('index.html')
  const files = filesOf(WEB)
  const scripts = files.filter((file) => file.endsWith('.js'))
  const initial = new Set(scripts.filter((file) => html.includes(`src="./${file}"`)))
  for (const file of initial)
    for (const [, imported = ''] of readBuilt(file).matchAll(STATIC_IMPORT)) initial.add(`assets/${imported}`)
  const workers = scripts.filter((file) => /-worker-[\w-]+\.js$/.test(file))
  return {
    initialScripts: Array.from(initial),
    styles: files.filter((file) => file.endsWith('.css') && html.includes(`href="./${file}"`)),
    laterScripts: scripts.filter((file) => !initial.has(file) && !workers.includes(file)),
    workers,
  }
}

const STATIC_IMPORT = /\b(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g

/** The text of a built file, by its path below dist/web. */
export const readBuilt = (file: string): string => readFileSync(join(ROOT, WEB, file), 'utf8')

/** Total size over the network in kB (1,000 bytes), with each file compressed separately. */
export const gzipKb = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readBuilt(file), { level: 9 }).length, 0) / 1_000
