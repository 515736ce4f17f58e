// Node 20 runs no TypeScript: this file starts what is written in it.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
process.chdir(join(here, '../..'))

const { problem, ROOT } = createRequire(import.meta.url)('../../src/node/preflight.cjs')
const found = problem(process.versions.node, ROOT)
if (found !== '') {
  console.error(found)
  process.exit(1)
}
const { runnerImport } = await import('vite')
const { module } = await runnerImport(join(here, 'main.ts'))
process.exitCode = await module.main()
