// This file is plain JavaScript so that it can report an old Node or a missing install first: Node 20 cannot run the
// TypeScript that it starts.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * Runs `main` of a TypeScript file from the root of the checkout; its result is the exit code.
 *
 * @param {string} file below `test/`
 */
export async function start(file) {
  const tests = join(dirname(fileURLToPath(import.meta.url)), '..')
  process.chdir(join(tests, '..'))
  const { problem, ROOT } = createRequire(import.meta.url)('../../src/node/preflight.cjs')
  const found = problem(process.versions.node, ROOT)
  if (found !== '') {
    console.error(found)
    process.exit(1)
  }
  const { runnerImport } = await import('vite')
  const { module } = await runnerImport(join(tests, file))
  process.exitCode = await module.main(process.argv.slice(2))
}
