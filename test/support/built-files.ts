import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Manifest } from 'vite'
import { ROOT, filesOf } from './source-tree.ts'

const WEB = 'dist/web'

/** The built page's files, as paths below dist/web. */
export type BuiltFiles = {
  /**
   * What the browser has to have before it can draw a first status: the page's scripts, those of
   * the larger of the two pages that show one, and all that they import statically.
   */
  readonly initialScripts: readonly string[]
  /** Of the app's page; the page that asks to sign in has styles of its own. */
  readonly styles: readonly string[]
  /** Fetched later, by dynamic import. */
  readonly laterScripts: readonly string[]
  readonly workers: readonly string[]
}

/** The pages that show a status; each is a chunk of its own. */
const STATUS_PAGES = ['src/web/features/fleet/fleet-page.tsx', 'src/web/features/node/node-page.tsx']

/** Reads what the build left. Throws when there is no build. */
export function readBuiltFiles(): BuiltFiles {
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'dist/manifest.json'), 'utf8'))
  const fileOf = (key: string): string => manifest[key]?.file ?? ''
  const [initial = []] = STATUS_PAGES.map((page) => {
    if (manifest[page] === undefined) throw new Error(`the build has no chunk for ${page}`)
    return closure(manifest, ['index.html', page], ({ imports }) => imports)
  }).toSorted((left, right) => gzipKb(right.map(fileOf)) - gzipKb(left.map(fileOf)))
  const all = closure(manifest, ['index.html'], ({ imports, dynamicImports }) => [
    ...(imports ?? []),
    ...(dynamicImports ?? []),
  ])
  const files = filesOf(WEB)
  const html = readBuilt('index.html')
  // Scripts that are not modules are not in the manifest; the page names them.
  const plain = files.filter((file) => file.endsWith('.js') && html.includes(`src="/${file}"`))
  return {
    initialScripts: Array.from(new Set([...plain, ...initial.map(fileOf)])),
    styles: files.filter((file) => file.endsWith('.css') && html.includes(`href="/${file}"`)),
    laterScripts: all.filter((key) => !initial.includes(key)).map(fileOf),
    workers: files.filter((file) => /-worker-[\w-]+\.js$/.test(file)),
  }
}

/** Text of a built file, by its path below dist/web. */
export const readBuilt = (file: string): string => readFileSync(join(ROOT, WEB, file), 'utf8')

/** Size on the wire in kB (1,000 bytes), each file compressed by itself. */
export const gzipKb = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readBuilt(file), { level: 9 }).length, 0) / 1_000

function closure(
  manifest: Manifest,
  from: readonly string[],
  next: (chunk: Manifest[string]) => readonly string[] | undefined,
): readonly string[] {
  const reached = new Set<string>()
  const waiting = [...from]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const chunk = manifest[key]
    if (chunk === undefined || reached.has(key)) continue
    reached.add(key)
    waiting.push(...(next(chunk) ?? []))
  }
  return Array.from(reached)
}
