import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { isMissed, table } from './figure.ts'
import { measureInitialJs } from './initial-js.ts'
import { measureSigning } from './signing.ts'

const RESULTS = join(import.meta.dirname, 'results.json')

/** Measures every figure, writes and prints them. Resolves to the exit code: 1 when a limit was missed. */
export async function main(): Promise<number> {
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  const figures = [...(await measureSigning(say)), await measureInitialJs(say)]
  writeFileSync(RESULTS, `${JSON.stringify(figures, null, 2)}\n`)
  say(`\n${table(figures)}`)
  return figures.some(isMissed) ? 1 : 0
}
