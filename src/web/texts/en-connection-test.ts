import { unreachable } from '#base/result.ts'
import { failureCode } from '#protocol/failure.ts'
import { offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import { TEST_STEPS, type TestStep, type TestStepName } from '#monitor/connection-test.ts'
import type { Credential } from '#signing/profile-needs.ts'
import { shortNodeId } from '#record/node-id.ts'
import { RECORD_MEMBERS } from '#metrics/status-record.ts'
import { failureWords, ofPage } from './en-failures.ts'
import type { FailureWords, TestedService } from './failure-words.ts'
import { clockByHeartbeats } from './en-clock.ts'
import { formatLatency } from './format.ts'
import { formatApart, formatOffset, formatUncertainty } from './format-clock.ts'

const MISSING_SHOWN_MAX = 3

/** The texts of a step; `lines` are to be copied exactly. */
type StepWords = Pick<FailureWords, 'title' | 'lines' | 'evidence'> & {
  readonly note?: string
  readonly took?: string
  readonly answer?: string
}

export const connectionTestTexts = {
  title: 'Connection test',
  label: 'Steps of the connection test',
  test: 'Test',
  testAgain: 'Test again',
  testing: 'Testing',
  broken: 'The test failed to run. Try again, or reload this page.',
  answer: 'Answer:',
  states: {
    ok: 'passed',
    failed: 'failed',
    warned: 'passed with a warning',
    running: 'running',
    waiting: 'not reached',
  },
  ended: {
    ok: 'Connection test passed.',
    warned: 'Connection test passed with a warning.',
    failed: 'Connection test failed.',
    partly: 'The service was reached. Key and nodes are tested once there is a key.',
  },
  names: {
    reached: 'Service reached',
    readable: 'Answer readable',
    clocks: 'Clocks agree',
    key: 'Key available',
    signature: 'Signature accepted',
    nodes: 'Nodes found',
    record: 'Record complete',
  } satisfies Readonly<Record<TestStepName, string>>,
} as const

type StepState = keyof typeof connectionTestTexts.states

/** A step in the list. `answer` is the service's text, so hidden characters must be made visible. */
type Step = StepWords & {
  readonly id: TestStepName
  readonly state: StepState
  readonly stateLabel: string
}

/** All steps in order; those without a result are waiting. Without a context only titles are known. */
export const stepsInWords = (
  steps: readonly TestStep[],
  context: TestedService | undefined,
): readonly Step[] => {
  // After a failure, skipped steps need no explanation.
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

/** Without signing, the step about the key has another name. */
const nameOf = (id: TestStepName, context: TestedService | undefined): string =>
  UNSIGNED_NAMES[context?.credential ?? 'key']?.[id] ?? connectionTestTexts.names[id]

const UNSIGNED_NAMES: Readonly<Partial<Record<Credential, Readonly<Partial<Record<TestStepName, string>>>>>> =
  {
    token: { key: 'Token available', signature: 'Token accepted' },
    server: { key: 'Signed by the dashboard server' },
    none: { key: 'No key needed', signature: 'Request accepted' },
  }

const STATES: Readonly<Record<TestStep['state'], StepState>> = {
  ok: 'ok',
  warning: 'warned',
  failed: 'failed',
  running: 'running',
  skipped: 'waiting',
}

export function connectionTestSummary(steps: readonly TestStep[]): string {
  const states = new Set(steps.map(({ state }) => state))
  if (states.has('failed')) return connectionTestTexts.ended.failed
  if (states.has('warning')) return connectionTestTexts.ended.warned
  return states.has('skipped') ? connectionTestTexts.ended.partly : connectionTestTexts.ended.ok
}

/** The attempted action of each step, for failures that can occur at any step. */
const TRIED: Readonly<Record<TestStepName, string>> = {
  reached: 'reaching the service',
  readable: 'reading the answer',
  clocks: 'comparing clocks',
  key: 'using the key',
  signature: 'sending a signed request',
  nodes: 'requesting the nodes',
  record: 'reading the record',
}

/** A service has no name during its first test. */
const SERVICE = 'the service'

/** Capitalizes "the service" at the start of a sentence. */
const capital = (text: string): string => text.replace(/(^|[.:] )the service/g, '$1The service')

function failedWords(
  { name, failure, diagnosis }: Extract<TestStep, { readonly state: 'failed' }>,
  service: TestedService,
): StepWords {
  const context = { ...service, service: SERVICE, node: undefined }
  const { title, meaning, next, lines, evidence } = failureWords(failure, context, diagnosis)
  const during =
    failure.kind === 'timeout' || failure.kind === 'cut-off' ? ` Failed while ${TRIED[name]}.` : ''
  return {
    title: capital(title),
    note: capital(`${meaning}${during} ${next} (${failureCode(failure)})`),
    ...('answer' in failure && failure.answer !== undefined && { answer: failure.answer }),
    ...(lines && { lines }),
    ...(evidence && { evidence }),
  }
}

/** The texts of one step. `took` is the duration of its request, where that matters. */
export function wordsOfStep(step: TestStep, context: TestedService): StepWords {
  const title = nameOf(step.name, context)
  switch (step.state) {
    case 'running':
      return { title }
    case 'skipped':
      return step.name === 'key' ? { title, note: 'Tested once there is a key.' } : { title }
    case 'failed':
      return failedWords(step, context)
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
      return {
        ...(step.state === 'warning' ? pageWords(step) : { title }),
        took: formatLatency(step.latencyMs),
      }
    case 'signature':
      return signatureWords(step, title)
    case 'clocks':
      return clockWords(step, title)
    case 'key':
      if (credential !== 'key' || step.publicKey === undefined) return { title }
      return { title, note: `public key ${step.publicKey.slice(0, 4)}…${step.publicKey.slice(-4)}` }
    case 'nodes':
      return nodesWords(step, title)
    case 'record':
      return recordWords(step, title)
    default:
      return unreachable(step)
  }
}

const pageWords = ({ status, page }: Extract<Outcome, { readonly page: string }>): StepWords => ({
  title: `Web page instead of an answer (${status})`,
  note: `${ofPage(page)} Check the base URL, and any proxy in front of the service. Adding a key will not change this.`,
})

function signatureWords(
  { corrected, latencyMs }: Extract<Outcome, { readonly name: 'signature' }>,
  title: string,
): StepWords {
  const took = formatLatency(latencyMs)
  if (corrected === undefined) return { title, took }
  return {
    title: 'Signature accepted with the service’s time',
    note: `Clocks disagree by ${formatApart(offsetMs(corrected))} (± ${formatUncertainty(offsetUncertaintyMs(corrected))}), according to the Date header of the service’s answers. This computer’s time was rejected, so requests are signed with the service’s time. Synchronize the clock that is wrong (NTP).`,
    took,
  }
}

function clockWords(step: Extract<Outcome, { readonly name: 'clocks' }>, title: string): StepWords {
  if (step.offset === undefined)
    return {
      title: 'Clocks not compared',
      note: 'The service’s time can’t be read. Requests are signed with this computer’s time.',
    }
  if (step.by === 'heartbeats')
    return {
      title: step.state === 'ok' ? title : 'Clocks disagree',
      note: `The time of the answers can’t be read; ${clockByHeartbeats(step.offset, 'the service')}.${step.state === 'ok' ? '' : ' The service may reject signatures with a wrong time; synchronize this computer’s clock, or the nodes’.'}`,
    }
  const offset = `offset ${formatOffset(offsetMs(step.offset))} ± ${formatUncertainty(offsetUncertaintyMs(step.offset))}`
  if (step.state === 'ok') return { title, note: offset }
  return {
    title: 'Clocks disagree',
    note: `${offset}. The service may reject signatures with a wrong time. Synchronize the clock that is wrong (NTP).`,
  }
}

function nodesWords(step: Extract<Outcome, { readonly name: 'nodes' }>, title: string): StepWords {
  const note = `${step.found} of ${step.asked}`
  if (step.state === 'ok')
    return {
      title,
      note: step.untested === 0 ? note : `${note} tested nodes; ${step.untested} more were not tested`,
    }
  const shown = step.missing.slice(0, MISSING_SHOWN_MAX).map(shortNodeId).join(', ')
  const more = step.missing.length - MISSING_SHOWN_MAX
  return {
    title: 'No record for some nodes',
    note: `${note}. No record for: ${shown}${more > 0 ? ` and ${more} more` : ''}. Compare these ids with those of the nodes; if they are right, run the test again.`,
  }
}

function recordWords(step: Extract<Outcome, { readonly name: 'record' }>, title: string): StepWords {
  const note = `${step.fields} of ${RECORD_MEMBERS.length} fields`
  return step.state === 'ok'
    ? { title, note }
    : { title: 'Record has unusable fields', note: `${note} are usable; the others are shown as unknown.` }
}
