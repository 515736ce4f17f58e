import { fork, spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { createReferenceService } from '#reference/reference-service.ts'
import buildOnce from '#test/support/build-once.ts'
import { median, rounded, type Figure } from './figure.ts'
import { treeCpuMs } from './process-cpu.ts'

const NODES = 2_000
const INTERVAL_MS = 1_000
const IN_FLIGHT = 64
const WARM_UP_MS = 4_000
const WINDOW_MS = 6_000
const ROUNDS = 3

const CLI = join(import.meta.dirname, '../../dist/node/cli.js')
const BARE = join(import.meta.dirname, 'bare-client.js')

/** `answered` counts answers with a record so far. */
type Client = { readonly child: ChildProcess; readonly answered: () => Promise<number> }

type Window = { readonly answers: number; readonly cpuMs: number; readonly ms: number }

/**
 * Signed requests per second of one core: the collector with all its processing against a client that only signs,
 * requests and reads. Both use the same service, one after the other, as fast as it answers.
 */
export async function measureCollector(say: (line: string) => void): Promise<readonly Figure[]> {
  buildOnce()
  const folder = mkdtempSync(join(tmpdir(), 'bench-collector-'))
  const reference = spawn(
    process.execPath,
    [CLI, 'reference', '--port', '0', '--enroll', '--nodes', String(NODES)],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  )
  try {
    const origin = (await addressIn(reference)).replace(/\/$/, '')
    const { ids, key, config } = writeFiles(folder, origin)
    const windows: Record<'ours' | 'bare', Window[]> = { ours: [], bare: [] }
    for (let round = 0; round < ROUNDS; round++) {
      windows.ours.push(await windowOf(() => startCollector(config, key)))
      windows.bare.push(await windowOf(() => startBare(origin, key, ids)))
    }
    const perCore = (all: readonly Window[]) =>
      median(all.map(({ answers, cpuMs }) => (answers * 1_000) / cpuMs))
    const rate = (all: readonly Window[]) => median(all.map(({ answers, ms }) => (answers * 1_000) / ms))
    for (const [name, all] of Object.entries(windows))
      say(
        `${name}: ${Math.round(rate(all))} answers per second, ${Math.round(perCore(all))} per second of CPU`,
      )
    const figure = (
      name: string,
      unit: string,
      of: (all: readonly Window[]) => number,
      limit: number | null,
    ): Figure => ({
      name,
      unit,
      ours: rounded(of(windows.ours)),
      rival: rounded(of(windows.bare)),
      rivalName: 'a bare Node client that signs by node:crypto',
      ratio: rounded(of(windows.ours) / of(windows.bare)),
      limit,
      direction: 'higher',
    })
    return [
      figure('collector-rate', 'answers a second', rate, 0.5),
      // The service is slower than the collector, so the rate alone says little about the collector's cost.
      figure('collector-per-core', 'answers a second of CPU', perCore, 0.6),
    ]
  } finally {
    reference.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

function writeFiles(folder: string, origin: string) {
  const [ids, key, config] = ['ids', 'key.pem', 'config.json'].map((name) => join(folder, name))
  if (ids === undefined || key === undefined || config === undefined) throw new Error('no files')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
  // An identical network to the running service's, used only for its ids.
  const { network } = createReferenceService({ nodes: NODES })
  const all = Array.from({ length: NODES }, (_, index) => network.idOf(index))
  writeFileSync(ids, all.join('\n'))
  writeFileSync(
    config,
    JSON.stringify({
      version: 1,
      services: [{ baseUrl: origin, pollIntervalMs: INTERVAL_MS }],
      nodes: all.map((id) => ({ id })),
    }),
  )
  return { ids, key, config }
}

/** The first address in a program's output. */
async function addressIn({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the program has no output')
  for await (const line of createInterface(stdout)) {
    stdout.resume()
    if (line.startsWith('http')) return line
  }
  throw new Error('the program ended before it printed an address')
}

async function windowOf(start: () => Promise<Client>): Promise<Window> {
  const { child, answered } = await start()
  try {
    await pause(WARM_UP_MS)
    const from = { answers: await answered(), cpuMs: treeCpuMs(child.pid ?? 0), atMs: performance.now() }
    await pause(WINDOW_MS)
    // CPU time is read first, because `answered` costs the client a scrape.
    const [cpuMs, ms] = [treeCpuMs(child.pid ?? 0) - from.cpuMs, performance.now() - from.atMs]
    return { answers: (await answered()) - from.answers, cpuMs, ms }
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

async function startCollector(config: string, key: string): Promise<Client> {
  const child = spawn(
    process.execPath,
    [CLI, 'collect', '--config', config, '--key', key, '--port', '0', '--in-flight', String(IN_FLIGHT)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const metrics = await addressIn(child)
  const countOf = (text: string, name: string): number =>
    Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  return {
    child,
    answered: async () => {
      const text = await (await fetch(metrics)).text()
      return countOf(text, 'immune_node_polls_total') - countOf(text, 'immune_node_poll_failures_total')
    },
  }
}

async function startBare(origin: string, key: string, ids: string): Promise<Client> {
  const child = fork(BARE, [origin, key, ids, String(IN_FLIGHT)], { stdio: 'inherit' })
  return {
    child,
    answered: async () => {
      child.send('how many')
      const [count]: readonly unknown[] = await once(child, 'message')
      return Number(count)
    },
  }
}
