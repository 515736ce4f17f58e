import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, it } from 'vitest'
import { ROOT, read } from './support/source-tree.ts'

/** Compiles one line under the compiler options of a project; gives what the compiler says. */
function compile(project: string, line: string): string {
  // Where packages are found, whose types the options may name.
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'portable-'))
  try {
    const { lib, types } = JSON.parse(read(`${project}/tsconfig.json`)).compilerOptions
    const compilerOptions = { lib, types, composite: false }
    const config = { extends: join(ROOT, 'src/tsconfig.base.json'), compilerOptions, files: ['line.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(folder, 'line.ts'), `export const it = ${line}\n`)
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// Core is compiled under the options of all three, so what one of them refuses cannot be used there.
it.each([
  ['src/core', 'document.title', "Cannot find name 'document'"],
  ['src/core', 'localStorage.length', "Cannot find name 'localStorage'"],
  ['src/core', 'process.version', "Cannot find name 'process'"],
  ['src/node', 'indexedDB.open', "Cannot find name 'indexedDB'"],
  ['src/node', 'self.name', "Cannot find name 'self'"],
])('the compiler refuses, under the options of %s: %s', (project, line, message) => {
  expect(compile(project, line)).toContain(message)
})

it.each(['src/core', 'src/node'])('and takes what every place has, under the options of %s', (project) => {
  expect(compile(project, 'new TextEncoder().encode(new URL("http://a/").href)')).toBe('')
})
