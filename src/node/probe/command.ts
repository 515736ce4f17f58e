import type { Clock } from '#base/clock.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { createSigner } from '#keys/create-signer.ts'
import { TEST_STEPS, type TestStep } from '#monitor/connection-test.ts'
import { runConnectionTest } from '#monitor/run-connection-test.ts'
import { openSigningKeys } from '#server/signing-keys.ts'
import { createHttpTransport } from '#collector/http-transport.ts'
import type { SecretWorld } from '#server/secrets.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { profileOf } from '#signing/presets.ts'
import { stepsInWords } from '#texts/en-connection-test.ts'
import { BURST_MAX, parseProbeCommand, type ProbeArguments } from './arguments.ts'
import { checkConformance, type Check, type CheckState } from './conformance.ts'
import { createRawTransport } from './raw-transport.ts'
import { randomBytes } from 'node:crypto'

/** What the command needs of the world; the composition root gives it. */
export type ProbePorts = SecretWorld & {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly clock: Clock
}

/** For scripts, see `--help`. */
const EXIT = { good: 0, notRun: 1, notConnected: 2, notConforming: 3 } as const

/** Runs `probe …` to its end; resolves with the exit code. */
export async function runProbe(argv: readonly string[], ports: ProbePorts): Promise<number> {
  const command = parseProbeCommand(argv)
  if (!command.ok) {
    ports.err(command.error)
    return EXIT.notRun
  }
  if (command.value.kind === 'help') {
    ports.out(HELP)
    return EXIT.good
  }
  const { probe } = command.value
  const keys = await openSigningKeys(probe.key === undefined ? [] : [probe.key], probe.passphrase, ports)
  if (!keys.ok) {
    for (const line of keys.error) ports.err(line)
    return EXIT.notRun
  }
  const key = keys.value.find(undefined)
  const transport = createHttpTransport(ports.clock, Math.max(1, probe.burst))
  const raw = createRawTransport(ports.clock, Math.max(1, probe.burst))
  try {
    const steps = await testConnection(probe, ports, transport.send, key)
    const isConnected = !steps.some(({ state }) => state === 'failed')
    const nodeId = probe.nodeId ?? nodeOf(steps)
    const checks =
      isConnected && key !== undefined && nodeId !== undefined
        ? await checkConformance({ ...probe, clock: ports.clock, send: raw.send, nodeId, key })
        : []
    tell(probe, steps, checks, ports.out)
    if (!isConnected) return EXIT.notConnected
    const bad: readonly CheckState[] = probe.strict ? ['failed', 'warning'] : ['failed']
    return checks.some(({ state }) => bad.includes(state)) ? EXIT.notConforming : EXIT.good
  } finally {
    await Promise.all([transport.close(), raw.close()])
  }
}

async function testConnection(
  { service, nodeId }: ProbeArguments,
  { clock }: ProbePorts,
  transport: Parameters<typeof runConnectionTest>[0]['transport'],
  key: Awaited<ReturnType<Parameters<typeof createSigner>[0]['key']>>,
): Promise<readonly TestStep[]> {
  const signer = createSigner({
    service: () => service,
    key: async () => key,
    wallMs: clock.wallMs,
    randomBytes: (length) => new Uint8Array(randomBytes(length)),
  })
  const ended: TestStep[] = []
  await runConnectionTest(
    { clock, transport, signer },
    {
      serverOrigin: '',
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

/** The node that the service itself chose for the key. */
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

function tell(
  { service, json }: ProbeArguments,
  steps: readonly TestStep[],
  checks: readonly Check[],
  out: (line: string) => void,
): void {
  const words = stepsInWords(steps, {
    baseUrl: service.baseUrl,
    via: 'direct',
    pageOrigin: '',
    headerNames: Object.keys(profileOf(service)?.headers ?? {}),
    credential: credentialOf(service),
  })
  if (json) {
    const told = steps.map(({ name, state }) => ({
      name,
      state,
      ...pick(words.find(({ id }) => id === name)),
    }))
    out(JSON.stringify({ url: service.baseUrl, steps: told, checks }, null, 2))
    return
  }
  out(service.baseUrl)
  for (const { title, note, took, answer, state } of words) {
    const parts = [took, note, answer === undefined ? undefined : `answer: ${toVisibleText(answer)}`]
    out(lineOf(STEP_MARKS[state] ?? 'skipped', title, parts.filter((part) => part !== undefined).join('; ')))
  }
  for (const { state, title, said } of checks) out(lineOf(state, title, said))
}

const pick = (words: { readonly title: string; readonly note?: string } | undefined) =>
  words && { title: words.title, ...(words.note !== undefined && { note: words.note }) }

const lineOf = (state: CheckState, title: string, said: string): string =>
  `${MARKS[state]}  ${title}${said === '' ? '' : `: ${said}`}`

const HELP = `probe: tries a service as the dashboard does, and whether it refuses what it should

Usage: probe --url URL --key SOURCE [FLAGS]

  --url URL            base URL of the service
  --key SOURCE         a key that the service knows: a file that only its owner may use
                       (chmod 600), env:NAME, or credential:NAME of systemd; without one
                       only what needs no key is tried
  --passphrase SOURCE  of an encrypted key file
  --node ID            the node to ask for; without it the one that the service chooses
  --profile P          how requests are signed: the id of a built-in profile, or a file
  --origin ORIGIN      a page that is to read the service across origins
  --burst N            so many requests at once, to see its limits (0; at most ${BURST_MAX})
  --timeout S          seconds for each request (10)
  --strict             warnings count as failures
  --json               the outcome as JSON

Exit codes
  0  everything passed
  1  nothing was tried: flags or key
  2  the connection test failed
  3  the service does not refuse what it should, or refuses otherwise (failures; with
     --strict also warnings)
`
