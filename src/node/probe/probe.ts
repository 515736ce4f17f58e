import type { Clock } from '#base/clock.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { TEST_STEPS, type TestStep } from '#monitor/connection-test.ts'
import { runConnectionTest } from '#monitor/run-connection-test.ts'
import { createServerSigner, openSigningKeys, type SigningKeys } from '#server/signing-keys.ts'
import { createHttpClient } from '#node/http-client.ts'
import { createHttpTransport } from '#node/http-transport.ts'
import type { SecretWorld } from '#server/secrets.ts'
import type { Service } from '#settings/schema.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { profileOf } from '#signing/presets.ts'
import { stepsInWords } from '#texts/en-connection-test.ts'
import { runParsed, type Output } from '#node/command-line.ts'
import { PROBE_COMMAND, type ProbeOptions } from './probe-options.ts'
import { checkConformance, type Check, type CheckState } from './conformance.ts'

export type ProbePorts = SecretWorld &
  Output & {
    readonly clock: Clock
  }

/** For scripts; documented in `--help`. */
const EXIT = { good: 0, notRun: 1, notConnected: 2, notConforming: 3 } as const

export const runProbe = (argv: readonly string[], ports: ProbePorts): Promise<number> =>
  runParsed(PROBE_COMMAND, argv, ports, (probe) => tryService(probe, ports))

async function tryService(probe: ProbeOptions, ports: ProbePorts): Promise<number> {
  const keys = await openSigningKeys(probe.key === undefined ? [] : [probe.key], probe.passphrase, ports)
  if (!keys.ok) {
    for (const line of keys.error) ports.err(line)
    return EXIT.notRun
  }
  const key = keys.value.find(undefined)
  const transport = createHttpTransport(ports.clock, Math.max(1, probe.burst))
  const raw = createHttpClient({ after: ports.clock.after, connections: Math.max(1, probe.burst) })
  try {
    const steps = await testConnection(probe, ports, transport.send, key)
    const isConnected = !steps.some(({ state }) => state === 'failed')
    const nodeId = probe.node ?? nodeOf(steps)
    const checks =
      isConnected && key !== undefined && nodeId !== undefined
        ? await checkConformance({
            ...probe,
            clock: ports.clock,
            send: (request) => raw.send(request, new AbortController().signal),
            nodeId,
            key,
          })
        : []
    print(probe, steps, checks, ports.out)
    if (!isConnected) return EXIT.notConnected
    const bad = probe.strict ? ['failed', 'warning'] : ['failed']
    return [...steps, ...checks].some(({ state }) => bad.includes(state)) ? EXIT.notConforming : EXIT.good
  } finally {
    await Promise.all([transport.close(), raw.close()])
  }
}

type Examined = Pick<ProbeOptions, 'service' | 'node' | 'passphrase'> & { readonly key: readonly string[] }

/** Only the connection test, with its result in one line. */
export async function examineService(
  { service: configured, node, key: sources, passphrase }: Examined,
  ports: ProbePorts,
): Promise<{ readonly ok: boolean; readonly said: string }> {
  const keys = await openSigningKeys(sources, passphrase, ports)
  if (!keys.ok) return { ok: false, said: keys.error.join(' ') }
  const service: Service = { ...configured, via: 'direct' }
  const transport = createHttpTransport(ports.clock, 1)
  try {
    const key = keys.value.find(service.key)
    const steps = await testConnection({ service, node }, ports, transport.send, key)
    const failed = wordsOf(service, steps).find(({ state }) => state === 'failed')
    if (failed === undefined)
      return { ok: true, said: key === undefined ? 'answers' : 'answers, signature accepted' }
    return { ok: false, said: [failed.title, failed.note].filter((part) => part !== undefined).join(': ') }
  } finally {
    await transport.close()
  }
}

async function testConnection(
  { service, node: nodeId }: Pick<ProbeOptions, 'service' | 'node'>,
  { clock }: ProbePorts,
  transport: Parameters<typeof runConnectionTest>[0]['transport'],
  key: ReturnType<SigningKeys['find']>,
): Promise<readonly TestStep[]> {
  const signer = createServerSigner({ find: () => key }, () => [service], clock.wallMs)
  const ended: TestStep[] = []
  await runConnectionTest(
    { clock, transport, signer },
    {
      serverUrl: '',
      service,
      nodes: nodeId === undefined ? [] : [{ id: nodeId, tags: [] }],
      sign: key !== undefined || credentialOf(service) === 'none',
    },
    (step) => {
      if (step.state !== 'running') ended.push(step)
    },
  )
  return ended.toSorted((a, b) => TEST_STEPS.indexOf(a.name) - TEST_STEPS.indexOf(b.name))
}

/** The node that the service chose for the key. */
function nodeOf(steps: readonly TestStep[]): string | undefined {
  const found = steps.find((step) => step.name === 'record' && 'record' in step)
  return found !== undefined && 'record' in found && found.record.nodeId.ok
    ? found.record.nodeId.value
    : undefined
}

const MARKS: Readonly<Record<CheckState, string>> = {
  ok: 'ok  ',
  warning: 'warn',
  failed: 'FAIL',
  skipped: '-   ',
}
const STEP_MARKS: Readonly<Record<string, CheckState>> = { ok: 'ok', warned: 'warning', failed: 'failed' }

const wordsOf = (service: Service, steps: readonly TestStep[]) =>
  stepsInWords(steps, {
    baseUrl: service.baseUrl,
    via: 'direct',
    pageOrigin: '',
    headerNames: Object.keys(profileOf(service)?.headers ?? {}),
    credential: credentialOf(service),
  })

function print(
  { service, json }: ProbeOptions,
  steps: readonly TestStep[],
  checks: readonly Check[],
  out: (line: string) => void,
): void {
  const words = wordsOf(service, steps)
  if (json) {
    const shown = steps.map(({ name, state }) => {
      const found = words.find(({ id }) => id === name)
      return { name, state, title: found?.title, note: found?.note }
    })
    out(JSON.stringify({ url: service.baseUrl, steps: shown, checks }, null, 2))
    return
  }
  out(service.baseUrl)
  for (const { title, note, took, answer, state } of words) {
    const parts = [took, note, answer === undefined ? undefined : `answer: ${toVisibleText(answer)}`]
    out(lineOf(STEP_MARKS[state] ?? 'skipped', title, parts.filter((part) => part !== undefined).join('; ')))
  }
  for (const { state, title, said } of checks) out(lineOf(state, title, said))
}

const lineOf = (state: CheckState, title: string, said: string): string =>
  `${MARKS[state]}  ${title}${said === '' ? '' : `: ${said}`}`
