import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { conclude, readArguments, USAGE, type Run } from './arguments.ts'
import { exitCodeOf, judge, type Gate } from './judge.ts'
import { soak } from './soak.ts'

/** What the test runner reads. */
export type SoakReport = readonly { readonly name: string; readonly gates: readonly Gate[] }[]

/**
 * Soaks, judges and says it. Resolves to 0 where every gate was passed, 1 where one failed, 2 for wrong arguments and
 * 3 where a run was too short to say.
 */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = readArguments(args)
  if (wanted.kind !== 'run') {
    say(wanted.kind === 'wrong' ? `${wanted.words}\n\n${USAGE}` : USAGE)
    return wanted.kind === 'wrong' ? 2 : 0
  }
  const report: { readonly name: string; readonly gates: readonly Gate[] }[] = []
  for (const run of wanted.runs) report.push({ name: run.name, gates: await carryOut(run) })
  if (wanted.report !== undefined) writeFileSync(wanted.report, JSON.stringify(report satisfies SoakReport))
  return exitCodeOf(report.flatMap(({ gates }) => gates))
}

async function carryOut(run: Run): Promise<readonly Gate[]> {
  say(`\n=== ${run.name}`)
  const startMs = performance.now()
  const soaked = await soak(run.options, say)
  const seen = judge(soaked)
  const { leak } = run.options
  const gates = leak === undefined ? seen : [conclude(leak, seen)]
  for (const { name, result, measured, limit } of leak === undefined ? seen : [...seen, ...gates])
    say(`${result.padEnd(10)}${name}: ${measured} (${limit})`)
  const minutes = ((performance.now() - startMs) / 60_000).toFixed(1)
  say(`${run.name}: ${soaked.counts.requests} requests in ${minutes} min`)
  return gates
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
