import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { conclude, readArguments, USAGE, type Run } from './arguments.ts'
import { exitCodeOf, judge, type Gate, type Soaked, type SoakReport } from './judge.ts'
import { section, withSection } from './record.ts'
import { soak } from './soak.ts'

/**
 * Runs and judges the soaks and prints the results. Resolves to 0 if all gates passed, 1 if one failed, 2 for wrong
 * arguments and 3 if a run was too short for a verdict.
 */
export async function main(args: readonly string[]): Promise<number> {
  const wanted = readArguments(args)
  if (wanted.kind !== 'run') {
    say(wanted.kind === 'wrong' ? `${wanted.words}\n\n${USAGE}` : USAGE)
    return wanted.kind === 'wrong' ? 2 : 0
  }
  const report: SoakReport[number][] = []
  for (const run of wanted.runs)
    report.push({ name: run.name, gates: await carryOut(run, wanted.isRecorded) })
  if (wanted.report !== undefined) writeFileSync(wanted.report, JSON.stringify(report))
  return exitCodeOf(report.flatMap(({ gates }) => gates))
}

async function carryOut(run: Run, isRecorded: boolean): Promise<readonly Gate[]> {
  say(`\n=== ${run.name}`)
  const startMs = performance.now()
  const soaked = await soak(run.options, say)
  const seen = judge(soaked)
  const { leaks = [] } = run.options
  const gates = leaks.length === 0 ? seen : leaks.map((leak) => conclude(leak, seen))
  for (const { name, result, measured, limit } of leaks.length === 0 ? seen : [...seen, ...gates])
    say(`${result.padEnd(10)}${name}: ${measured} (${limit})`)
  const minutes = ((performance.now() - startMs) / 60_000).toFixed(1)
  const line = `${soaked.counts.requests.toLocaleString('en')} requests in ${minutes} min`
  say(`${run.name}: ${line}`)
  if (isRecorded) record(run.name, line, soaked, gates)
  return gates
}

const DOCUMENT = join(import.meta.dirname, '../../docs/soak.md')

/** Replaces this soak's section of the document. */
function record(name: string, line: string, { samples, counts }: Soaked, gates: readonly Gate[]): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const text = section({
    name,
    line,
    date: new Date().toISOString().slice(0, 10),
    commit,
    samples,
    counts,
    gates,
  })
  writeFileSync(DOCUMENT, withSection(readFileSync(DOCUMENT, 'utf8'), name, text))
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
