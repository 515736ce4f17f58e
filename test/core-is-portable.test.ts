import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { ROOT, read } from './support/source-tree.ts'

/** Compiles each line as a file with the options of a configuration. Returns the errors for each line. */
function compile(configuration: string, lines: readonly string[]): readonly string[] {
  // TypeScript resolves the packages that the options may name from here.
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'portable-'))
  try {
    const { lib, types } = JSON.parse(read(configuration)).compilerOptions
    const compilerOptions = { lib, types, composite: false }
    const files = lines.map((_, place) => `line-${place}.ts`)
    const config = { extends: join(ROOT, 'src/tsconfig.base.json'), compilerOptions, files }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    lines.forEach((line, place) =>
      writeFileSync(join(folder, `line-${place}.ts`), `export const it = ${line}\n`),
    )
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const said = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout.split('\n')
    return files.map((file) => said.filter((one) => one.includes(file)).join('\n'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// Core is compiled under the options of Workers, pages and Node, so an API that one of them lacks can't be used there.
it.each([
  ['src/web/tsconfig.worker.json', ['document.title', 'localStorage.length', 'process.version']],
  ['src/node/tsconfig.json', ['indexedDB.open', 'self.name']],
])('the options of %s allow APIs of every environment and refuse %j', (configuration, refused) => {
  const [taken, ...others] = compile(configuration, [
    'new TextEncoder().encode(new URL("http://a/").href)',
    ...refused,
  ])
  expect(taken).toBe('')
  for (const [place, line] of refused.entries())
    expect(others[place]).toContain(`Cannot find name '${line.split('.')[0]}'`)
})
