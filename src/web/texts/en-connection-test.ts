import { unreachable } from '#base/never.ts'
import { offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import { TEST_STEPS, type TestStep, type TestStepName } from '#monitor/connection-test.ts'
import type { Credential } from '#signing/profile-needs.ts'
import { shortNodeId } from '#record/node-id.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { failedStepWords } from './en-connection-test-diagnosis.ts'
import type { TestedService, StepWords } from './en-connection-test-failures.ts'
import { clockByHeartbeats, clockTitle } from './en-clock.ts'
import { formatLatency, formatOffset, formatUncertainty } from './format.ts'

/** Missing ids that are named; the rest is counted. */
const MISSING_SHOWN_MAX = 3

/** The connection test: its frame, and what each step is called before it has an outcome. */
export const connectionTestTexts = {
  title: 'Trying the connection',
  label: 'Steps of the connection test',
  test: 'Test',
  testAgain: 'Test again',
  testing: 'Testing',
  broken: 'The test itself broke off. Try it again; reload the page if it stays so.',
  answer: 'It answered:',
  states: {
    ok: 'passed',
    failed: 'failed',
    warned: 'passed, with a warning',
    running: 'under way',
    waiting: 'not reached',
  },
  ended: {
    ok: 'Connection test passed.',
    warned: 'Connection test passed, with a warning.',
    failed: 'Connection test failed.',
    partly: 'The service was reached. Key and nodes are tried once there is a key.',
  },
  names: {
    reached: 'Service reached',
    readable: 'This page may read the answer',
    clocks: 'Clocks agree',
    key: 'Key at hand',
    signature: 'Signature accepted',
    nodes: 'Nodes found',
    record: 'Record complete',
  } satisfies Readonly<Record<TestStepName, string>>,
} as const

type StepState = keyof typeof connectionTestTexts.states

/** A step as the list shows it. `answer` is the service's own text and needs to be made visible. */
type Step = StepWords & {
  readonly id: TestStepName
  readonly state: StepState
  readonly stateLabel: string
}

/** Every step, in order; those without an outcome are waiting. Without a context there is nothing to say yet. */
export const stepsInWords = (
  steps: readonly TestStep[],
  context: TestedService | undefined,
): readonly Step[] => {
  // After a failure the steps that were left out speak for themselves.
  const told = steps.some(({ state }) => state === 'failed')
    ? steps.filter(({ state }) => state !== 'skipped')
    : steps
  return TEST_STEPS.map((id) => {
    const step = told.find(({ name }) => name === id)
    if (step === undefined || context === undefined)
      return {
        id,
        state: 'waiting',
        stateLabel: connectionTestTexts.states.waiting,
        title: nameOf(id, context),
      }
    const state = STATES[step.state]
    return { id, state, stateLabel: connectionTestTexts.states[state], ...wordsOfStep(step, context) }
  })
}

/** Where nothing is signed there is no key to speak of. */
const nameOf = (id: TestStepName, context: TestedService | undefined): string =>
  UNSIGNED_NAMES[context?.credential ?? 'key']?.[id] ?? connectionTestTexts.names[id]

const UNSIGNED_NAMES: Readonly<Partial<Record<Credential, Readonly<Partial<Record<TestStepName, string>>>>>> =
  {
    token: { key: 'Token at hand', signature: 'Token accepted' },
    none: { key: 'No key needed', signature: 'Request accepted' },
  }

const STATES: Readonly<Record<TestStep['state'], StepState>> = {
  ok: 'ok',
  warning: 'warned',
  failed: 'failed',
  running: 'running',
  skipped: 'waiting',
}

/** What a test that has ended came to, in one sentence. */
export function connectionTestSummary(steps: readonly TestStep[]): string {
  const states = new Set(steps.map(({ state }) => state))
  if (states.has('failed')) return connectionTestTexts.ended.failed
  if (states.has('warning')) return connectionTestTexts.ended.warned
  return states.has('skipped') ? connectionTestTexts.ended.partly : connectionTestTexts.ended.ok
}

/** One step in words. `took` is how long its request took, where that is of interest. */
export function wordsOfStep(step: TestStep, context: TestedService): StepWords {
  const title = nameOf(step.name, context)
  switch (step.state) {
    case 'running':
      return { title }
    case 'skipped':
      return step.name === 'key'
        ? { title, note: 'This and what follows is tried once there is a key.' }
        : { title }
    case 'failed':
      return failedStepWords(step.name, step.failure, context, step.diagnosis)
    case 'ok':
    case 'warning':
      return outcomeWords(step, title, context)
    default:
      return unreachable(step)
  }
}

type Outcome = Extract<TestStep, { readonly state: 'ok' | 'warning' }>

function outcomeWords(step: Outcome, title: string, { credential = 'key' }: TestedService): StepWords {
  switch (step.name) {
    case 'reached':
    case 'readable':
      return { title, took: formatLatency(step.latencyMs) }
    case 'signature':
      return signatureWords(step, title)
    case 'clocks':
      return clockWords(step, title)
    case 'key':
      if (credential !== 'key') return { title }
      return { title, note: `public key ${step.publicKey.slice(0, 4)}…${step.publicKey.slice(-4)}` }
    case 'nodes':
      return nodesWords(step, title)
    case 'record':
      return recordWords(step, title)
    default:
      return unreachable(step)
  }
}

function signatureWords(
  { corrected, latencyMs }: Extract<Outcome, { readonly name: 'signature' }>,
  title: string,
): StepWords {
  const took = formatLatency(latencyMs)
  if (corrected === undefined) return { title, took }
  return {
    title: 'Signature accepted with the service’s time',
    note: `${clockTitle(corrected)}, by the Date of its answers, ± ${formatUncertainty(offsetUncertaintyMs(corrected))}. This screen’s time was refused; from now on the service’s is signed. Set this computer’s clock.`,
    took,
  }
}

function clockWords(step: Extract<Outcome, { readonly name: 'clocks' }>, title: string): StepWords {
  if (step.offset === undefined)
    return {
      title: 'Clocks not compared',
      note: 'The service’s time can’t be read from here. Signed times are taken from this computer’s clock.',
    }
  if (step.by === 'heartbeats')
    return {
      title: step.state === 'ok' ? title : 'Clocks disagree',
      note: `The time of the answers can’t be read; ${clockByHeartbeats(step.offset, 'the service')}.${step.state === 'ok' ? '' : ' The service may refuse signed times; set this computer’s clock by the network, or the nodes’.'}`,
    }
  const offset = `offset ${formatOffset(offsetMs(step.offset))} ± ${formatUncertainty(offsetUncertaintyMs(step.offset))}`
  if (step.state === 'ok') return { title, note: offset }
  const ahead = offsetMs(step.offset) > 0
  return {
    title: 'Clocks disagree',
    note: `${offset}: this computer is ${ahead ? 'behind' : 'ahead'}. The service may refuse signed times; set this computer’s clock by the network, or the service’s.`,
  }
}

function nodesWords(step: Extract<Outcome, { readonly name: 'nodes' }>, title: string): StepWords {
  const note = `${step.found} of ${step.asked}`
  if (step.state === 'ok') return { title, note }
  const shown = step.missing.slice(0, MISSING_SHOWN_MAX).map(shortNodeId).join(', ')
  const more = step.missing.length - MISSING_SHOWN_MAX
  return {
    title: 'Not every node found',
    note: `${note}. Not known to the service: ${shown}${more > 0 ? ` and ${more} more` : ''}. Compare these ids with what the nodes print.`,
  }
}

function recordWords(step: Extract<Outcome, { readonly name: 'record' }>, title: string): StepWords {
  const note = `${step.fields} of ${RECORD_MEMBERS.length} fields`
  return step.state === 'ok'
    ? { title, note }
    : { title: 'Record incomplete', note: `${note}. The rest is shown as unknown; watching works.` }
}
