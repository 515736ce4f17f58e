import { METRICS } from '#metrics/metrics.ts'
import type { Clock } from '#base/clock.ts'
import { err, ok, type Result } from '#base/result.ts'
import {
  offsetFromDate,
  type ClockOffset,
  isFarApart,
  clocksOf,
  type ComparedClocks,
} from '#record/clock-offset.ts'
import { wordsOf } from '#protocol/answer-words.ts'
import { isAboutNode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply, NetworkProbe, Transport } from '#protocol/transport.ts'
import { failureOfTransport, readReply } from '#protocol/read-reply.ts'
import type { Signer } from '#signing/signer.ts'
import { profileOf } from '#signing/presets.ts'
import type { NodeLive } from '#fleet/live.ts'
import { requestBase, isMixedContent, isOpenToOthers, serviceIdOf, type ServiceId } from '#record/service.ts'
import { badFields } from '#metrics/answer.ts'
import { RECORD_MEMBERS, type StatusRecord } from '#metrics/status-record.ts'
import { statusQuery, statusUrl } from '#signing/signing-values.ts'
import { settledByProbes } from '#evaluate/blame.ts'
import { TEST_STEPS, type TestDraft, type TestStep, type TestStepName } from './connection-test.ts'
import { exchangeOf } from './exchange.ts'
import { offsetOfReply } from './reply-clock.ts'
import { deadlineOf, runPoll, send, targetFor, type SentPoll } from './poll.ts'
import { investigate, isProbed, isProfileGuessed, probeSubject } from './probes.ts'

type TestPorts = {
  readonly clock: Clock
  readonly transport: Transport
  readonly signer: Signer
  readonly probe?: NetworkProbe | undefined
  /** Clock offset of a watched service by its nodes' heartbeats, for services whose Date cannot be read. */
  readonly heartbeatOffset?: ((id: ServiceId) => ClockOffset | undefined) | undefined
  readonly watched?: ((id: ServiceId) => readonly Pick<NodeLive, 'reading'>[]) | undefined
}
type Report = (step: TestStep) => void

/** A test is not a round of polls. In a large fleet this many nodes show enough. */
const NODES_ASKED_MAX = 20

/**
 * Runs the steps in order; the first failure ends the test and the remaining steps are reported as skipped. Sends one request
 * at a time, each within the service's timeout. Never rejects because of a service.
 */
export async function runConnectionTest(ports: TestPorts, draft: TestDraft, report: Report): Promise<void> {
  const reported = new Set<TestStepName>()
  const tell: Report = (step) => {
    reported.add(step.name)
    report(step)
  }
  const unsigned = await reach(ports, draft, tell)
  if (unsigned !== undefined) await useKey(ports, draft, unsigned, tell)
  for (const name of TEST_STEPS) if (!reported.has(name)) report({ name, state: 'skipped' })
}

/** Checks without a signature whether the service answers, whether this page may read it, and what time it has. */
async function reach(ports: TestPorts, draft: TestDraft, tell: Report): Promise<HttpReply | undefined> {
  const { clock, transport } = ports
  tell({ name: 'reached', state: 'running' })
  const base = baseOf(draft)
  if (isMixedContent(draft.serverUrl, base)) {
    tell({ name: 'reached', state: 'failed', failure: { kind: 'mixed-content' } })
    return undefined
  }
  const startedMs = clock.monotonicMs()
  const reply = await askUnsigned(transport, draft, base)
  const latencyMs = clock.monotonicMs() - startedMs
  if (!reply.ok) {
    const answered = ['redirected', 'too-large', 'cut-off'].includes(reply.error.kind)
    if (answered) tell({ name: 'reached', state: 'ok', latencyMs })
    tell(await failed(ports, draft, answered ? 'readable' : 'reached', reply.error))
    return undefined
  }
  tell({ name: 'reached', state: 'ok', latencyMs })
  tell(readableStep(draft, reply.value, latencyMs))
  const receivedMs = clock.wallMs()
  tell(
    clockStep(compared(ports, draft, offsetFromDate(reply.value.date, receivedMs - latencyMs, receivedMs))),
  )
  return reply.value
}

/** A service may refuse an unsigned request with a web page, so the page counts only if no signed request follows. */
function readableStep({ sign }: TestDraft, reply: HttpReply, latencyMs: number): TestStep {
  const { status, page } = wordsOf(reply)
  return sign || page === undefined
    ? { name: 'readable', state: 'ok', latencyMs }
    : { name: 'readable', state: 'warning', latencyMs, status, page }
}

/** Accepts any answer of the service, including a refusal, because nothing was signed. */
async function askUnsigned(
  transport: Transport,
  draft: TestDraft,
  base: string,
): Promise<Result<HttpReply, PollFailure>> {
  const { timeoutMs, via } = draft.service
  const nodeId = draft.nodes[0]?.id
  const url = statusUrl(base, statusQuery(nodeId))
  const deadlineMs = deadlineOf({ timeoutMs, proxied: via === 'proxy' })
  const sent = await send(transport, url, {}, deadlineMs, new AbortController().signal)
  if (!sent.ok) return err(failureOfTransport(sent.error, via === 'proxy'))
  if (sent.value.proxyFailure === undefined && sent.value.isOfFront === undefined) return ok(sent.value)
  const read = readReply(sent.value, { nodeId, timeoutMs, wallMs: 0, metrics: METRICS })
  return read.ok ? ok(sent.value) : err(read.error)
}

async function failed(
  ports: TestPorts,
  draft: TestDraft,
  name: TestStepName,
  failure: PollFailure,
  sent?: SentPoll,
): Promise<TestStep> {
  const subject = probeSubject(draft, baseOf(draft), draft.nodes[0]?.id, failure)
  const exchange = sent && { exchange: exchangeOf(sent, sent.reply) }
  if (!isProbed(subject)) return { name, state: 'failed', failure, ...exchange }
  const diagnosis = await investigate(ports, subject, () => ({
    reply: sent?.reply,
    clocks: compared(ports, draft, sent && offsetOfReply(sent)),
    correction: sent?.correction,
    isPlain: isOpenToOthers(draft.service.baseUrl),
    wasReadable: false,
    isProfileGuessed: isProfileGuessed(
      draft.service,
      ports.watched?.(serviceIdOf(draft.service.baseUrl)) ?? [],
    ),
  }))
  const settled = settledByProbes(failure, diagnosis)
  return { name, state: 'failed', failure: settled, ...(diagnosis && { diagnosis }), ...exchange }
}

/** Compares the clocks by an answer's Date, otherwise by the heartbeats of watched nodes. */
function compared(
  { heartbeatOffset }: TestPorts,
  { service }: TestDraft,
  offset: ClockOffset | undefined,
): ComparedClocks | undefined {
  return clocksOf({ offset, heartbeatOffset: heartbeatOffset?.(serviceIdOf(service.baseUrl)) })
}

function clockStep(clocks: ComparedClocks | undefined): TestStep {
  if (clocks === undefined) return { name: 'clocks', state: 'ok', offset: undefined }
  return { name: 'clocks', state: isFarApart(clocks.offset) ? 'warning' : 'ok', ...clocks }
}

async function useKey(ports: TestPorts, draft: TestDraft, unsigned: HttpReply, tell: Report): Promise<void> {
  if (!draft.sign) return
  tell({ name: 'key', state: 'running' })
  // Without nodes, the test polls the default node.
  const [first, ...others] = draft.nodes.slice(0, NODES_ASKED_MAX)
  const outcome = await ask(ports, draft, first?.id)
  if (!outcome.ok) {
    tell({ name: 'key', state: 'failed', failure: outcome.error })
    return
  }
  const sent = outcome.value
  tell({ name: 'key', state: 'ok', publicKey: publicKeyOf(draft, sent) })
  if (!sent.result.ok && !isAboutNode(sent.result.error)) {
    tell(await failed(ports, draft, 'signature', sent.result.error, sent))
    return
  }
  const corrected = sent.correction?.state === 'used' ? offsetOfReply(sent) : undefined
  const { latencyMs } = sent
  // A service that gives the same status without a signature did not check it.
  const isLookedAt = sent.result.ok || sent.reply?.status !== unsigned.status
  if (!isLookedAt) tell({ name: 'signature', state: 'skipped' })
  else if (corrected === undefined) tell({ name: 'signature', state: 'ok', latencyMs })
  else tell({ name: 'signature', state: 'warning', latencyMs, corrected })
  await findNodes(ports, draft, { id: first?.id, sent }, others, tell)
}

async function findNodes(
  ports: TestPorts,
  draft: TestDraft,
  first: { readonly id: string | undefined; readonly sent: SentPoll },
  others: readonly { readonly id?: string | undefined }[],
  tell: Report,
): Promise<void> {
  tell({ name: 'nodes', state: 'running' })
  const asked = 1 + others.length
  const missing: string[] = []
  let record: StatusRecord | undefined
  let failure: PollFailure | undefined
  const note = (id: string | undefined, result: Result<StatusRecord, PollFailure>): void => {
    if (result.ok) record ??= result.value
    else {
      failure ??= result.error
      missing.push(id ?? '')
    }
  }
  note(first.id, first.sent.result)
  for (const { id } of others) {
    const outcome = await ask(ports, draft, id, first.sent.correction?.ms)
    note(id, outcome.ok ? outcome.value.result : outcome)
  }
  const found = asked - missing.length
  if (record === undefined && failure !== undefined) {
    const exchange = exchangeOf(first.sent, first.sent.reply)
    tell({ name: 'nodes', state: 'failed', failure, exchange })
  } else if (missing.length > 0) tell({ name: 'nodes', state: 'warning', found, asked, missing })
  else tell({ name: 'nodes', state: 'ok', found, asked, untested: Math.max(0, draft.nodes.length - asked) })
  if (record !== undefined) tell(recordStep(record))
}

function recordStep(record: StatusRecord): TestStep {
  const fields = RECORD_MEMBERS.length - badFields(record, METRICS).length
  return { name: 'record', state: fields === RECORD_MEMBERS.length ? 'ok' : 'warning', record, fields }
}

/** Sends one signed request, as a poll does. */
async function ask(
  ports: TestPorts,
  draft: TestDraft,
  nodeId: string | undefined,
  correctionMs?: number,
): Promise<Result<SentPoll, PollFailure>> {
  const target = { ...targetFor(draft.service, baseOf(draft), nodeId), correctionMs, metrics: METRICS }
  const pollPorts = { ...ports, nowMs: ports.clock.monotonicMs }
  const outcome = await runPoll(pollPorts, target, new AbortController().signal)
  if (outcome.kind === 'sent') return ok(outcome)
  return err(outcome.kind === 'not-sent' ? outcome.failure : { kind: 'signer-failed', reason: 'error' })
}

/** The key that signed, if the profile sends it; otherwise the configured one. */
function publicKeyOf({ service }: TestDraft, { requestHeaders }: SentPoll): string | undefined {
  const profile = profileOf(service)
  const header = Object.entries(profile?.headers ?? {}).find(([, template]) => template === '{key.hex}')?.[0]
  return (header === undefined ? undefined : requestHeaders[header]) ?? service.key
}

const baseOf = ({ service, serverUrl }: TestDraft): string =>
  requestBase(serviceIdOf(service.baseUrl), service.via, serverUrl)
