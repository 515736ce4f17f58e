import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#platform/system-clock.ts'
import { runProbe } from '#probe/probe.ts'
import type { Check } from '#probe/conformance.ts'
import type { FaultName } from '#test/support/bench-faults.ts'
import { record } from '#test/core/monitor/watch.ts'
import { runReference, type Running } from '#test/node/reference/running.ts'
import { freePort, portOf } from '#test/support/free-port.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'
import type { ReferenceOptions } from '#reference/options.ts'

type Outcome = {
  readonly url: string
  readonly steps: readonly { readonly name: string; readonly state: string }[]
  readonly checks: readonly Check[]
}

function createKey(running?: Running): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const file = temporaryFile(privateKey.export({ format: 'pem', type: 'pkcs8' }), 0o600)
  running?.service.keys.register(
    publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
  )
  return file
}

async function probe(...argv: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await runProbe(argv, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    clock: systemClock,
    platform: process.platform,
    env: {},
  })
  return { code, out, err }
}

async function probeJson(...argv: readonly string[]): Promise<Outcome & { readonly code: number }> {
  const { code, out } = await probe(...argv, '--json')
  const outcome: Outcome = JSON.parse(out.join('\n'))
  return { ...outcome, code }
}

const states = ({ checks }: Outcome) => Object.fromEntries(checks.map(({ id, state }) => [id, state]))

async function reference(options: ReferenceOptions = {}) {
  const running = await runReference({ nodes: 3, ...options })
  return { running, argv: ['--url', running.baseUrl, '--key', createKey(running), '--node', running.id(0)] }
}

const ALL_GOOD = {
  date: 'ok',
  size: 'ok',
  unsigned: 'ok',
  'wrong-signature': 'ok',
  'bad-id': 'ok',
  'unknown-node': 'ok',
  replay: 'ok',
  outdated: 'ok',
  'cors-preflight': 'ok',
  'cors-read': 'ok',
  limits: 'ok',
}

describe('the probe of a service', () => {
  it('passes every check of the reference service', async () => {
    const { argv } = await reference()
    const outcome = await probeJson(...argv, '--origin', 'http://127.0.0.1:7420', '--burst', '20', '--strict')
    expect(outcome.steps.map(({ state }) => state)).toEqual(Array.from({ length: 7 }, () => 'ok'))
    expect(states(outcome)).toEqual(ALL_GOOD)
    expect(outcome.code).toBe(0)
  })

  it('prints its results as lines of text', async () => {
    const { argv, running } = await reference()
    const { code, out } = await probe(...argv)
    expect(code).toBe(0)
    expect(out[0]).toBe(running.baseUrl)
    expect(out).toContain('ok    A request without a signature: 401')
    expect(out).toContain('-     Many requests at once: no --burst was given')
    expect(out.filter((line) => line.startsWith('FAIL'))).toEqual([])
  })

  it.each<[FaultName, string]>([
    ['status-401', 'signature'],
    ['status-404', 'nodes'],
    ['html', 'signature'],
  ])('exits with 2 if the connection test fails: %s', async (fault, step) => {
    const { running, argv } = await reference()
    await running.service.faults.set('*', { name: fault })
    const { code, steps, checks } = await probeJson(...argv)
    expect(code).toBe(2)
    expect(steps.find(({ state }) => state === 'failed')?.name).toBe(step)
    expect(checks).toEqual([])
  })

  it('exits with 3 for a warning of the connection test only with --strict', async () => {
    const { running, argv } = await reference()
    await running.service.faults.set('*', { name: 'missing', value: 'threat_responses_executed' })
    expect([(await probeJson(...argv)).code, (await probeJson(...argv, '--strict')).code]).toEqual([0, 3])
  })

  it('exits with 2 if nothing listens, and with 1 if its arguments are invalid', async () => {
    expect((await probeJson('--url', `http://127.0.0.1:${await freePort()}`)).code).toBe(2)
    expect(await probe('--url', 'ftp://x')).toMatchObject({ code: 1, out: [] })
    expect(await probe('--url', 'http://127.0.0.1:1', '--key', '/does/not/exist')).toMatchObject({
      code: 1,
      err: ['/does/not/exist: does not exist.'],
    })
    expect((await probe('--help')).out.join()).toContain('Exit codes')
  })

  it('exits with 3 for a service that checks no signature, time or id and refuses CORS', async () => {
    const { running } = await reference()
    const body = record(running.id(0), { last_heartbeat: Math.floor(Date.now() / 1_000) })
    const server = createServer(({ method }, response) => {
      // A wildcard in Access-Control-Allow-Headers does not cover Authorization.
      if (method === 'OPTIONS')
        response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
      response.end(body)
    })
    onTestFinished(() => void server.close())
    onTestFinished(() => server.closeAllConnections())
    const outcome = await probeJson(
      '--url',
      `http://127.0.0.1:${await portOf(server)}`,
      '--key',
      createKey(),
      '--node',
      running.id(0),
      '--origin',
      'https://dash.example',
    )
    expect(states(outcome)).toEqual({
      ...ALL_GOOD,
      size: 'warning',
      unsigned: 'failed',
      'wrong-signature': 'failed',
      'bad-id': 'failed',
      'unknown-node': 'failed',
      replay: 'warning',
      outdated: 'failed',
      'cors-preflight': 'failed',
      'cors-read': 'failed',
      limits: 'skipped',
    })
    expect(outcome.code).toBe(3)
  })

  it.each([
    [['--url', 'http://a.example', '--node', 'zz'], '--node takes a node id'],
    [['--url', 'http://a.example', '--profile', '/none'], '--profile takes the id'],
    [['--url', 'http://a.example', '--origin', 'dash.example/x'], '--origin takes'],
    [['--url', 'http://a.example', '--burst', '1001'], '--burst takes'],
    [['--url', 'http://a.example', '--timeout', '0'], '--timeout takes'],
    [['--nonsense'], 'probe --help'],
  ])('%j: says what to change', async (argv, words) => {
    const { code, err } = await probe(...argv)
    expect(code).toBe(1)
    expect(err.join()).toContain(words)
  })
})
