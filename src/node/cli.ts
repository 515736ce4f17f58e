#!/usr/bin/env node
import { jsonIn, membersOf } from '#base/stored.ts'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULTS } from '#base/defaults.ts'
import { ok } from '#base/result.ts'
import { parseServerConfig } from '#settings/documents.ts'
import { CONFIG_VERSION } from '#settings/schema.ts'
import { runNamed, runnable } from '#node/command-line.ts'
import { COLLECT_COMMAND } from '#collector/collect-options.ts'
import { runCollect } from '#collector/collect.ts'
import { CHECK_COMMAND, checkConfig } from '#probe/check-config.ts'
import { runProbe } from '#probe/probe.ts'
import { PROBE_COMMAND } from '#probe/probe-options.ts'
import { openReference, runReference } from '#reference/run-reference.ts'
import { PRODUCT_FAULTS, type FaultTable } from '#reference/faults.ts'
import { REFERENCE_SUMMARY } from '#reference/reference-options.ts'
import { systemClock } from '#platform/system-clock.ts'
import type { ReferenceService } from '#reference/reference-service.ts'
import { HASH_COMMAND, hashPassword } from '#server/password-file.ts'
import { runServe, type ServePorts } from '#server/serve.ts'
import { startServerWatch } from '#watch/server-watch.ts'
import { DEV_COMMAND, SERVE_COMMAND, START_COMMAND, type ServeCommand } from '#server/serve-options.ts'
import type { Demo } from '#server/service-list.ts'

/** Two folders up, from the source and from the bundle alike. */
const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url))

const DEMO_NODES = 3
/** Quick enough for a newcomer to see values move. */
const DEMO_POLL_INTERVAL_MS = 5_000
/** At this rate the computer stays responsive. */
const DEMO_REQUESTS_A_SECOND = 100

const out = (line: string) => void process.stdout.write(`${line}\n`)

/** The faults of the test bench, which only a checkout has. */
const BENCH = import.meta.glob<{ readonly BENCH_FAULTS: FaultTable }>('/test/support/bench-faults.ts')

async function loadFaults(): Promise<FaultTable> {
  const [load] = Object.values(BENCH)
  const bench = await load?.().catch(() => undefined)
  return bench?.BENCH_FAULTS ?? PRODUCT_FAULTS
}

/** The demo's service. It runs in this process and accepts every key that this computer's browsers generate. */
const startReference: ServePorts['startReference'] = async (wanted) => {
  const opened = await openReference(
    { ...wanted, enroll: true, faultTable: await loadFaults(), log: out },
    '--reference-port',
  )
  if (!opened.ok) return opened
  return ok({ ...opened.value, demo: demoOf(opened.value, opened.value.baseUrl, wanted.nodes) })
}

/** The offer of the first screen: this process's service, and the first of its nodes or as many as were requested. */
function demoOf({ network }: ReferenceService, baseUrl: string, wanted = DEMO_NODES): Demo {
  const nodes = Array.from({ length: Math.min(wanted, network.count, DEFAULTS.nodesMax) }, (_, index) => ({
    service: baseUrl,
    id: network.idOf(index),
    name: network.nameOf(index),
  }))
  const service = {
    baseUrl,
    label: 'Demo service on this computer',
    via: 'proxy',
    proof: 'record-v1',
    pollIntervalMs: Math.max(DEMO_POLL_INTERVAL_MS, Math.ceil(nodes.length / DEMO_REQUESTS_A_SECOND) * 1_000),
  }
  const parsed = parseServerConfig({ version: CONFIG_VERSION, demo: { service, nodes } })
  if (!parsed.ok || parsed.value.demo === undefined) throw new Error('the demo is not a valid configuration')
  return parsed.value.demo
}

const versionOf = (projectFolder: string): string =>
  String(membersOf(jsonIn(readFileSync(join(projectFolder, 'package.json'), 'utf8')))?.['version'])

/** A shutdown that takes longer is forced, because a person who presses Ctrl-C waits for the prompt. */
const END_MAX_MS = 800

const printError = (line: string) => void process.stderr.write(`${line}\n`)

async function untilStopped(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  setTimeout(() => process.exit(0), END_MAX_MS).unref()
}

const onHangUp = (run: () => void) => {
  process.on('SIGHUP', run)
  return () => void process.off('SIGHUP', run)
}

/** Reads a pipe to its end. At a terminal, the typed characters are not echoed. */
async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process
  stdin.setEncoding('utf8')
  let text = ''
  if (!stdin.isTTY) {
    for await (const part of stdin) text += String(part)
    return text
  }
  // The terminal must no longer echo when the prompt appears.
  stdin.setRawMode(true)
  stderr.write(prompt)
  for await (const part of stdin)
    for (const char of String(part)) {
      if (char === '\u0003') process.exit(130)
      if (char === '\r' || char === '\n' || char === '\u0004') {
        stdin.setRawMode(false)
        stderr.write('\n')
        return text
      }
      text = char === '\u007f' ? text.slice(0, -1) : text + char
    }
  return text
}

const ports = {
  out,
  err: printError,
  clock: systemClock,
  env: process.env,
  platform: process.platform,
  untilStopped,
  onHangUp,
}

const serving = {
  ...ports,
  projectFolder: PROJECT_FOLDER,
  startReference,
  startWatch: startServerWatch,
  loadVite: () => import('vite'),
}

const serve = (given: ServeCommand) => runServe(given, serving)

process.exitCode = await runNamed(
  process.argv.slice(2),
  {
    start: runnable(START_COMMAND, ports, serve),
    serve: runnable(SERVE_COMMAND, ports, serve),
    collect: [COLLECT_COMMAND.summary, (argv) => runCollect(argv, ports)],
    check: runnable(CHECK_COMMAND, ports, (given) => checkConfig(given, ports)),
    probe: [PROBE_COMMAND.summary, (argv) => runProbe(argv, ports)],
    dev: runnable(DEV_COMMAND, ports, serve),
    reference: [
      REFERENCE_SUMMARY,
      async (argv) => runReference(argv, { ...ports, faultTable: await loadFaults() }),
    ],
    'hash-password': runnable(HASH_COMMAND, ports, (name) => hashPassword(name, { ...ports, readSecret })),
  },
  versionOf(PROJECT_FOLDER),
  ports,
)
