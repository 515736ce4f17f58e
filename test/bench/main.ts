import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { findBrowser } from '#test/support/find-browser.ts'
import { measureCharts } from './charts.ts'
import { measureCollector } from './collector.ts'
import { isMissed, table, type Figure } from './figure.ts'
import { measureFleet, measureFleetGrowth, measureLargeFleet } from './fleet.ts'
import { measureHistory } from './history.ts'
import { measureInitialJs } from './initial-js.ts'
import { measureSigning } from './signing.ts'
import { measureTotalCpu } from './total-cpu.ts'

const RESULTS = join(import.meta.dirname, 'results.json')

type Measure = (say: (line: string) => void) => Promise<readonly Figure[]>

/** Each part measures our code and its rivals in the same run. */
const PARTS: Readonly<Record<string, Measure>> = {
  signing: measureSigning,
  charts: measureCharts,
  history: measureHistory,
  fleet: measureFleet,
  'large-fleet': measureLargeFleet,
  'fleet-growth': measureFleetGrowth,
  'total-cpu': measureTotalCpu,
  collector: measureCollector,
  size: async (say) => [await measureInitialJs(say)],
}

const WITHOUT_BROWSER: readonly string[] = ['collector', 'size']

/**
 * Measures all figures, or those of the named parts, and prints them. Also writes them, unless other work kept the
 * machine busy; `--force` writes them anyway. Parts that did not run keep their figures. Resolves to the exit code: 1
 * if a limit was missed, 2 if nothing could be measured, 3 if the results were not written.
 */
export async function main(args: readonly string[]): Promise<number> {
  const say = (line: string): void => {
    process.stdout.write(`${line}\n`)
  }
  const isForced = args.includes('--force')
  const named = args.filter((arg) => arg !== '--force')
  const wanted = named.length === 0 ? Object.keys(PARTS) : named
  const unknown = wanted.filter((part) => !(part in PARTS))
  if (unknown.length > 0) {
    say(`Unknown part: ${unknown.join(', ')}. Parts: ${Object.keys(PARTS).join(', ')}.`)
    return 2
  }
  if (findBrowser() === undefined && wanted.some((part) => !WITHOUT_BROWSER.includes(part))) {
    say(
      'No Chromium found: install one (Debian: apt-get install chromium) or set CHROMIUM_PATH to its program.',
    )
    return 2
  }
  const before = await usedByOthers()
  say(machineText(before))
  // The TypeScript runner sets this to development, which would give rivals the larger and slower build of React.
  process.env['NODE_ENV'] = 'production'
  const measured: Figure[] = []
  for (const [part, measure] of Object.entries(PARTS))
    if (wanted.includes(part)) measured.push(...(await measure(say)))
  say(`\n${table(measured)}`)
  const after = await usedByOthers()
  if (Math.max(before, after) > BUSY_SHARE && !isForced) {
    say(
      `${machineText(after)} Results not written: the machine was busy. Repeat when it is idle, or add --force.`,
    )
    return 3
  }
  writeFileSync(RESULTS, `${JSON.stringify(named.length === 0 ? measured : merged(measured), null, 2)}\n`)
  return measured.some(isMissed) ? 1 : 0
}

/** If other work uses more than this share of all cores, it distorts the figures. */
const BUSY_SHARE = 0.1
const SAMPLE_MS = 2_000

/** The share of all cores that is in use while the bench is idle. */
async function usedByOthers(): Promise<number> {
  const times = () => {
    const all = cpus().flatMap((core) => Object.values(core.times))
    const idle = cpus().map((core) => core.times.idle)
    return { all: sum(all), idle: sum(idle) }
  }
  const from = times()
  await pause(SAMPLE_MS)
  const to = times()
  return 1 - (to.idle - from.idle) / (to.all - from.all)
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const machineText = (used: number): string =>
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(used * 100)} % in use by other work, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}.`

function merged(measured: readonly Figure[]): readonly Figure[] {
  const kept: readonly Figure[] = JSON.parse(readFileSync(RESULTS, 'utf8'))
  const isNew = ({ name }: Figure) => measured.some((figure) => figure.name === name)
  return [...kept.filter((figure) => !isNew(figure)), ...measured]
}
