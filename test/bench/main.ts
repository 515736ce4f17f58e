import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { measureCharts } from './charts.ts'
import { measureCollector } from './collector.ts'
import { isMissed, table, type Figure } from './figure.ts'
import { measureFleet, measureFleetGrowth, measureLargeFleet } from './fleet.ts'
import { measureHistory } from './history.ts'
import { measureInitialJs } from './initial-js.ts'
import { measureSigning } from './signing.ts'
import { measureWrongColumns } from './wrong-columns.ts'

const RESULTS = join(import.meta.dirname, 'results.json')

type Measure = (say: (line: string) => void) => Promise<readonly Figure[]>

/** Each has its rivals beside it in one run. */
const PARTS: Readonly<Record<string, Measure>> = {
  signing: measureSigning,
  charts: async (say) => [...(await measureCharts(say)), measureWrongColumns()],
  history: measureHistory,
  fleet: measureFleet,
  'large-fleet': measureLargeFleet,
  'fleet-growth': measureFleetGrowth,
  collector: measureCollector,
  size: async (say) => [await measureInitialJs(say)],
}

/**
 * Measures every figure, or those of the parts that are named, writes and prints them. A part
 * that is left out keeps the figures it had. Resolves to the exit code: 1 when a limit was
 * missed, 2 for a part that does not exist.
 */
export async function main(wanted: readonly string[]): Promise<number> {
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  const unknown = wanted.filter((part) => !(part in PARTS))
  if (unknown.length > 0) {
    say(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}.`)
    return 2
  }
  // What runs TypeScript here sets it to development, and rivals would be built with the larger and slower React.
  process.env['NODE_ENV'] = 'production'
  const measured: Figure[] = []
  for (const [part, measure] of Object.entries(PARTS))
    if (wanted.length === 0 || wanted.includes(part)) measured.push(...(await measure(say)))
  writeFileSync(RESULTS, `${JSON.stringify(wanted.length === 0 ? measured : merged(measured), null, 2)}\n`)
  say(`\n${table(measured)}`)
  return measured.some(isMissed) ? 1 : 0
}

function merged(measured: readonly Figure[]): readonly Figure[] {
  const kept: readonly Figure[] = JSON.parse(readFileSync(RESULTS, 'utf8'))
  const isNew = ({ name }: Figure) => measured.some((figure) => figure.name === name)
  return [...kept.filter((figure) => !isNew(figure)), ...measured]
}
