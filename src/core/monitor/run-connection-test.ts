import { METRICS } from '#metrics/metrics.ts'
import { err, ok, type Result } from '#base/result.ts'
import { offsetFromDate, type ClockOffset, isFarApart, clocksOf } from '#record/clock-offset.ts'
import { wordsOf } from '#protocol/answer-words.ts'
import { isAboutNode, type PollFailure } from '#protocol/failure.ts'
import type { HttpReply, NetworkProbe } from '#protocol/transport.ts'
import { failureOfTransport, readReply } from '#protocol/read-reply.ts'
import { profileOf } from '#signing/presets.ts'
import type { NodeLive } from '#fleet/live.ts'
import type { Service } from '#settings/schema.ts'
import { requestBase, isMixedContent, serviceIdOf, type ServiceId } from '#record/service.ts'
import { badFields } from '#metrics/answer.ts'
import { RECORD_MEMBERS, type StatusRecord } from '#metrics/status-record.ts'
import { statusQuery, statusUrl } from '#signing/signing-values.ts'
import { settledByProbes } from '#evaluate/blame.ts'
import { TEST_STEPS, type TestDraft, type TestStep, type TestStepName } from './connection-test.ts'
import { exchangeOf } from './exchange.ts'
import { offsetOfReply } from './reply-clock.ts'
import { deadlineOf, runPoll, send, targetFor, type PollPorts, type SentPoll } from './poll.ts'
import { investigate, isProbed, isProfileGuessed } from './probes.ts'

type TestPorts = Omit<PollPorts, 'nowMs'> & {
  readonly probe?: NetworkProbe | undefined
  /** Clock offset of a watched service by its nodes' heartbeats, for services whose Date cannot be read. */
  readonly heartbeatOffset?: ((id: ServiceId) => ClockOffset | undefined) | undefined
  readonly watched?: ((id: ServiceId) => readonly Pick<NodeLive, 'reading'>[]) | undefined
}
type Report = (step: TestStep) => void

type Test = TestPorts &
  TestDraft & { readonly serviceId: ServiceId; readonly base: string; readonly tell: Report }

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
  const { service, serverUrl } = draft
  const serviceId = serviceIdOf(service.baseUrl)
  const base = requestBase(serviceId, service.via, serverUrl)
  const test = { ...draft, ...ports, serviceId, base, tell }
  const unsigned = await reach(test)
  if (unsigned !== undefined && draft.sign) await useKey(test, unsigned)
  for (const name of TEST_STEPS) if (!reported.has(name)) report({ name, state: 'skipped' })
}

/** Checks without a signature whether the service answers, whether this page may read it, and what time it has. */
async function reach(test: Test): Promise<HttpReply | undefined> {
  const { clock, serverUrl, base, tell } = test
  tell({ name: 'reached', state: 'running' })
  if (isMixedContent(serverUrl, base)) {
    tell({ name: 'reached', state: 'failed', failure: { kind: 'mixed-content' } })
    return undefined
  }
  const startedMs = clock.monotonicMs()
  const reply = await askUnsigned(test)
  const latencyMs = clock.monotonicMs() - startedMs
  if (!reply.ok) {
    const answered = ['redirected', 'too-large', 'cut-off'].includes(reply.error.kind)
    if (answered) tell({ name: 'reached', state: 'ok', latencyMs })
    tell(await failed(test, answered ? 'readable' : 'reached', reply.error))
    return undefined
  }
  tell({ name: 'reached', state: 'ok', latencyMs })
  tell(readableStep(test, reply.value, latencyMs))
  const receivedMs = clock.wallMs()
  const clocks = compared(test, offsetFromDate(reply.value.date, receivedMs - latencyMs, receivedMs))
  const areApart = clocks !== undefined && isFarApart(clocks.offset)
  tell({ name: 'clocks', state: areApart ? 'warning' : 'ok', offset: undefined, ...clocks })
  return reply.value
}

/** A service may refuse an unsigned request with a web page, so the page counts only if no signed request follows. */
function readableStep({ sign }: Test, reply: HttpReply, latencyMs: number): TestStep {
  const { status, page } = wordsOf(reply)
  return sign || page === undefined
    ? { name: 'readable', state: 'ok', latencyMs }
    : { name: 'readable', state: 'warning', latencyMs, status, page }
}

/** Accepts any answer of the service, including a refusal, because nothing was signed. */
async function askUnsigned(test: Test): Promise<Result<HttpReply, PollFailure>> {
  const target = targetFor(test.service, test.base, test.nodes[0]?.id)
  const url = statusUrl(target.base, statusQuery(target.nodeId))
  const sent = await send(test.transport, url, {}, deadlineOf(target), new AbortController().signal)
  if (!sent.ok) return err(failureOfTransport(sent.error, target.proxied))
  if (sent.value.proxyFailure === undefined && sent.value.isOfFront === undefined) return ok(sent.value)
  const read = readReply(sent.value, { ...target, wallMs: 0, metrics: METRICS })
  return read.ok ? ok(sent.value) : err(read.error)
}

async function failed(
  test: Test,
  name: TestStepName,
  failure: PollFailure,
  sent?: SentPoll,
): Promise<TestStep> {
  const { service, serviceId, nodes, watched } = test
  const subject = { ...test, nodeId: nodes[0]?.id, failure }
  const exchange = sent && { exchange: exchangeOf(sent) }
  if (!isProbed(subject)) return { name, state: 'failed', failure, ...exchange }
  const diagnosis = await investigate(test, subject, () => ({
    signed: sent?.reply && wordsOf(sent.reply),
    offset: undefined,
    ...compared(test, sent && offsetOfReply(sent)),
    correction: sent?.correction,
    wasReadable: false,
    isProfileGuessed: isProfileGuessed(service, watched?.(serviceId) ?? []),
  }))
  const settled = settledByProbes(failure, diagnosis)
  return { name, state: 'failed', failure: settled, ...(diagnosis && { diagnosis }), ...exchange }
}

/** Compares the clocks by an answer's Date, otherwise by the heartbeats of watched nodes. */
const compared = ({ heartbeatOffset, serviceId }: Test, offset: ClockOffset | undefined) =>
  clocksOf({ offset, heartbeatOffset: heartbeatOffset?.(serviceId) })

async function useKey(test: Test, unsigned: HttpReply): Promise<void> {
  const { service, nodes, tell } = test
  tell({ name: 'key', state: 'running' })
  // Without nodes, the test polls the default node.
  const ids = nodes.length === 0 ? [undefined] : nodes.slice(0, NODES_ASKED_MAX).map(({ id }) => id)
  const outcome = await ask(test, ids[0])
  if (!outcome.ok) {
    tell({ name: 'key', state: 'failed', failure: outcome.error })
    return
  }
  const sent = outcome.value
  tell({ name: 'key', state: 'ok', publicKey: publicKeyOf(service, sent) })
  if (!sent.result.ok && !isAboutNode(sent.result.error)) {
    tell(await failed(test, 'signature', sent.result.error, sent))
    return
  }
  const corrected = sent.correction?.state === 'used' ? offsetOfReply(sent) : undefined
  const { latencyMs } = sent
  // A service that gives the same status without a signature did not check it.
  const isLookedAt = sent.result.ok || sent.reply?.status !== unsigned.status
  if (!isLookedAt) tell({ name: 'signature', state: 'skipped' })
  else if (corrected === undefined) tell({ name: 'signature', state: 'ok', latencyMs })
  else tell({ name: 'signature', state: 'warning', latencyMs, corrected })
  await findNodes(test, ids, sent)
}

/** `first`: the answer about the first node. */
async function findNodes(test: Test, ids: readonly (string | undefined)[], first: SentPoll): Promise<void> {
  const { nodes, tell } = test
  tell({ name: 'nodes', state: 'running' })
  const missing: string[] = []
  let record: StatusRecord | undefined
  let failure: PollFailure | undefined
  for (const [place, id] of ids.entries()) {
    const outcome = place === 0 ? ok(first) : await ask(test, id, first.correction?.ms)
    const result = outcome.ok ? outcome.value.result : outcome
    if (result.ok) record ??= result.value
    else {
      failure ??= result.error
      missing.push(id ?? '')
    }
  }
  const asked = ids.length
  const found = asked - missing.length
  if (record === undefined && failure !== undefined) {
    tell({ name: 'nodes', state: 'failed', failure, exchange: exchangeOf(first) })
  } else if (missing.length > 0) tell({ name: 'nodes', state: 'warning', found, asked, missing })
  else tell({ name: 'nodes', state: 'ok', found, asked, untested: Math.max(0, nodes.length - asked) })
  if (record !== undefined) tell(recordStep(record))
}

function recordStep(record: StatusRecord): TestStep {
  const fields = RECORD_MEMBERS.length - badFields(record, METRICS).length
  return { name: 'record', state: fields === RECORD_MEMBERS.length ? 'ok' : 'warning', record, fields }
}

/** Sends one signed request, as a poll does. */
async function ask(
  test: Test,
  nodeId: string | undefined,
  correctionMs?: number,
): Promise<Result<SentPoll, PollFailure>> {
  const target = { ...targetFor(test.service, test.base, nodeId), correctionMs, metrics: METRICS }
  const ports = { ...test, nowMs: test.clock.monotonicMs }
  const outcome = await runPoll(ports, target, new AbortController().signal)
  if (outcome.kind === 'sent') return ok(outcome)
  return err(outcome.kind === 'not-sent' ? outcome.failure : { kind: 'signer-failed', reason: 'error' })
}

/** The key that signed, if the profile sends it; otherwise the configured one. */
function publicKeyOf(service: Service, { requestHeaders }: SentPoll): string | undefined {
  const profile = profileOf(service)
  const header = Object.entries(profile?.headers ?? {}).find(([, template]) => template === '{key.hex}')?.[0]
  return (header === undefined ? undefined : requestHeaders[header]) ?? service.key
}
