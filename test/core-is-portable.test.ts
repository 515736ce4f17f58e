import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { ROOT, read } from './support/source-tree.ts'

/** Compiles lines, each in a file of its own, under the compiler options of a project; gives what the compiler says of each. */
function compile(project: string, lines: readonly string[]): readonly string[] {
  // Where packages are found, whose types the options may name.
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'portable-'))
  try {
    const { lib, types } = JSON.parse(read(`${project}/tsconfig.json`)).compilerOptions
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

// Core is compiled under the options of all three, so what one of them refuses cannot be used there.
it.each([
  ['src/core', ['document.title', 'localStorage.length', 'process.version']],
  ['src/node', ['indexedDB.open', 'self.name']],
])('under the options of %s the compiler takes what every place has, and refuses %j', (project, refused) => {
  const [taken, ...others] = compile(project, [
    'new TextEncoder().encode(new URL("http://a/").href)',
    ...refused,
  ])
  expect(taken).toBe('')
  for (const [place, line] of refused.entries())
    expect(others[place]).toContain(`Cannot find name '${line.split('.')[0]}'`)
})
