import { toVisibleText } from '#base/visible-text.ts'
import {
  offsetMs,
  offsetUncertaintyMs,
  type ClockOffset,
  type WhoseClock,
  OFFSET_WARNING_MS,
} from '#record/clock-offset.ts'
import type { BadField } from '#metrics/answer.ts'
import { NODE_ID_MEMBER } from '#record/member-names.ts'
import type { Clue } from '#fleet/diagnosis.ts'
import type { FailureKind, PollFailure } from '#protocol/failure.ts'
import type { Cause, Evidence } from '#fleet/cause.ts'
import { clockByHeartbeats, clocksTitle, pollingComputer } from './en-clock.ts'
import { proofWords } from './en-proof-causes.ts'
import { failureWords, whoOf } from './en-failures.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'
import { formatClock, type Zone } from './format-time.ts'
import { counted, formatAge, formatCount, formatExact, formatLatency, formatSpan } from './format.ts'
import { formatApart, formatUncertainty } from './format-clock.ts'

export type CauseContext = FailureContext & { readonly zone: Zone }

export function causeWords({ evidence }: Cause, context: CauseContext): FailureWords {
  switch (evidence.kind) {
    case 'failure':
      return failedWords(evidence, context)
    case 'portal':
      return {
        title: 'A captive portal answers instead of the services',
        meaning: `Requests to ${evidence.services} services get a web page or a redirect, probably this network’s sign-in page.`,
        next: 'Open any web page in a tab and sign in to the network. Polling resumes automatically.',
      }
    case 'no-network': {
      const whose = evidence.of === 'server' ? 'the dashboard server' : pollingComputer(context)
      return {
        title: 'No service can be reached over the network',
        meaning: `${evidence.services} services stopped answering, so the likely cause is the network of ${whose}.`,
        next: `Check the network of ${whose}, including any VPN. Polling resumes automatically.`,
      }
    }
    case 'bad-fields':
      return badFieldWords(evidence, context)
    case 'odd-record':
      return oddWords(evidence)
    case 'unknown-status':
      return {
        title: `Unknown ${evidence.metric.toLowerCase()} ${toVisibleText(evidence.status)}: set what it means`,
        meaning: 'This status counts as info until its meaning is set.',
        next: 'Ask the service operator what it means, and set it here.',
      }
    case 'proof':
      return proofWords(evidence.verdict)
    case 'out-of-unit':
      return {
        title: `${evidence.metric} is out of range`,
        meaning: `The service sent ${formatExact(evidence.text)}. It is shown as sent but not charted.`,
        next: 'Set its unit in the settings, e.g. whether participation is a ratio or a percentage.',
      }
    case 'counter-restarted':
      return {
        title:
          evidence.restarts === 1
            ? `${evidence.metric} reset`
            : `${evidence.metric} reset ${formatCount(evidence.restarts)} times`,
        meaning:
          'The dashboard counts this as a restart of the node and keeps the earlier count in its total.',
        next:
          evidence.restarts < RESTARTS_EXPECTED
            ? 'No action is needed if the restart was planned.'
            : 'If the node did not restart this often, several servers with separate counts answer for it: tell the service operator.',
      }
    case 'cached':
      return {
        title: 'A cache answers instead of the service',
        meaning: `The last answer was already ${formatAge(evidence.forS * 1_000)} old on arrival. Values are shown with that age.`,
        next: 'Disable caching of node status in front of the service.',
      }
    case 'clock-offset':
    case 'timestamp-ahead':
      return clockWords(evidence, context)
    case 'round-too-long':
      return roundWords(evidence, context)
    case 'gap':
    case 'overdue':
    case 'behind':
      return watchWords(evidence, context)
  }
}

function failedWords(
  { failure, diagnosed, mixed, alternates, clockSet }: Of<'failure'>,
  context: CauseContext,
): FailureWords {
  if (alternates === true) return replicaWords(failure, context)
  const { polling, ...words } = failureWords(failure, context, diagnosed?.diagnosis)
  if (mixed === true)
    return {
      ...words,
      title: `Polls of ${context.service} fail in different ways`,
      meaning: `Most common failure: ${words.title}. ${words.meaning}`,
    }
  const offset = diagnosed && askedOffset(diagnosed.diagnosis.clues)
  return {
    ...words,
    title: offset === undefined ? words.title : clocksTitle(offset, clockSet, context),
    meaning: polling === undefined ? words.meaning : `${words.meaning} ${polling}`,
  }
}

const REFUSES: Readonly<Partial<Record<FailureKind, string>>> = {
  unauthorized: 'reject the credentials (401)',
  forbidden: 'don’t permit the requests (403)',
  'node-unknown': 'don’t know every node (404)',
  'node-id-invalid': 'reject node ids (400)',
}

const replicaWords = (failure: PollFailure, { service }: CauseContext): FailureWords => ({
  title: `Some replicas of ${service} ${'page' in failure ? 'answer with a web page' : (REFUSES[failure.kind] ?? 'reject requests')}`,
  meaning:
    'The service sometimes answers and sometimes rejects the same requests, so neither the credentials nor the nodes are the cause.',
  next: `Tell the operator of ${service}: the servers behind its address do not all have the same keys and nodes.`,
})

/** The clock offset, if the operator must approve signing with the service's time. */
function askedOffset(clues: readonly Clue[]): ClockOffset | undefined {
  const isAsked = clues.some((clue) => clue.kind === 'correction' && clue.correction.state === 'ask')
  const clocks = clues.find((clue) => clue.kind === 'clocks')
  return isAsked ? clocks?.offset : undefined
}

/** This many restarts in one message can't all be planned. */
const RESTARTS_EXPECTED = 3

type Of<K extends Evidence['kind']> = Extract<Evidence, { readonly kind: K }>

const lostWithout = ({ field, heading = field }: BadField): string =>
  field === NODE_ID_MEMBER
    ? 'Without it, the dashboard can’t tell whether the answer is about this node.'
    : `${heading} is unknown until the field is back.`

function badFieldWords({ fields }: Of<'bad-fields'>, { node }: CauseContext): FailureWords {
  const names = fields.map(({ field }) => field)
  const [first] = fields
  const isMissing = fields.every(({ problem }) => problem === 'missing')
  const title =
    names.length === 1
      ? `${names.join('')} ${isMissing ? 'is missing' : 'can’t be used'}`
      : `${names.length} fields ${isMissing ? 'are missing' : 'can’t be used'}`
  return {
    title,
    meaning: `The dashboard uses the rest of the record. ${fields.length === 1 && first !== undefined ? lostWithout(first) : `The fields are ${names.join(', ')}.`}`,
    next:
      node === undefined
        ? 'The raw record on each node’s page shows what the service sent.'
        : 'The raw record on the node’s page shows what the service sent.',
  }
}

function oddWords({ ambiguous, error }: Of<'odd-record'>): FailureWords {
  const twice =
    ambiguous.length === 0
      ? ''
      : `It contains ${ambiguous.map((name) => toVisibleText(name)).join(', ')} more than once, with different values; the last one is shown. `
  return {
    title:
      error === undefined
        ? 'The record contradicts itself'
        : 'The record reports an error alongside its values',
    meaning: `${twice}${error === undefined ? '' : `The error: “${toVisibleText(error)}”. The values are shown as sent.`}`,
    next: 'Tell the service operator; the raw record is on the node’s page.',
  }
}

function clockWords(evidence: Of<'clock-offset' | 'timestamp-ahead'>, context: CauseContext): FailureWords {
  const { service } = context
  const next = 'Synchronize the clock that is wrong (NTP).'
  if (evidence.kind === 'timestamp-ahead')
    return {
      title: `${evidence.metric} is ${formatAge(evidence.aheadMs)} in the future`,
      meaning:
        evidence.unchecked === true
          ? 'The service’s time can’t be read, so this computer’s clock is used. Either that clock is slow or the node’s is fast, so the age is unknown.'
          : 'The clocks of the node and the service disagree, so the age is unknown.',
      next,
    }
  const { offset, services, corrected, by, agesUnknown } = evidence
  const whose = wrongClock(evidence)
  const who = services > 1 ? `${services} services` : service
  const known =
    by === 'heartbeats'
      ? `The time of the answers can’t be read; ${clockByHeartbeats(offset, who)}.`
      : `Measured to ± ${formatUncertainty(offsetUncertaintyMs(offset))} from the Date header in answers from ${who}.`
  const signed = corrected
    ? 'Requests with this computer’s time were rejected, so they are now signed with the service’s time.'
    : `Signed requests may be rejected when clocks differ by more than ${formatSpan(OFFSET_WARNING_MS)}.`
  return {
    title:
      by === 'heartbeats' && whose === undefined
        ? `Clocks disagree by about ${formatApart(offsetMs(offset))}`
        : clocksTitle(offset, whose, context),
    meaning: `${known} ${signed}${agesUnknown === true ? '' : ' Ages are corrected for this.'}`,
    next: whose === 'computer' ? 'Synchronize this computer’s clock (NTP).' : whoseClock(evidence, service),
  }
}

/** Undefined if it is unknown. */
const wrongClock = ({ services, whose, clockSet }: Of<'clock-offset'>): WhoseClock | undefined =>
  services > 1 ? 'computer' : whose === 'service' ? whose : clockSet

/** A late record looks the same as a fast clock of this computer. */
function whoseClock({ offset, by, whose, clockSet }: Of<'clock-offset'>, service: string): string {
  const isAhead = offsetMs(offset) > 0
  if (clockSet === 'service')
    return `Tell the operator of ${service}: its clock was changed; this computer’s clock was not.`
  if (whose === 'service')
    return `Tell the operator of ${service}: its clock differs from those of other services, which agree with each other or with this computer.`
  if (whose === 'unknown')
    return 'Compare this computer’s clock with NTP: the services differ from each other too, so not all of them can be right.'
  const others =
    by === undefined
      ? `the clock of ${service} is ${isAhead ? 'fast' : 'slow'}`
      : `the clocks of the nodes of ${service} are ${isAhead ? 'fast' : 'slow, or its records arrive late'}`
  return `Synchronize this computer’s clock (NTP); if it is right, ${others}.`
}

function roundWords({ round, via }: Of<'round-too-long'>, { service }: CauseContext): FailureWords {
  const { nodes, requests, takesMs, intervalMs, answerMs, inFlight, isShared, limit } = round
  const count = counted(nodes, 'node')
  const longer = `Set a poll interval of ${formatSpan(fittingMs(takesMs))} or more`
  const meaning = `Polling ${count} of ${service} takes ${roundTime(takesMs)}; the interval is ${formatSpan(intervalMs)}. Nodes are polled as fast as the limits allow.`
  const title = 'Polling takes longer than the interval'
  if (limit === 'pace')
    return {
      title,
      meaning: `${meaning} The limit is the pace set for the service.`,
      next: `Set a pace of ${counted(Math.ceil((requests / intervalMs) * 1_000), 'request')} per second or more, or a poll interval of ${formatSpan(fittingMs(takesMs))} or more.`,
    }
  const answers = `An answer takes ${formatLatency(answerMs)} on average`
  if (limit === 'answers') return { title, meaning: `${meaning} ${answers}.`, next: `${longer}.` }
  const places = `${answers}, with ${counted(Math.round(inFlight), 'request')} in flight at a time`
  const elsewhere =
    via === 'proxy' && isShared
      ? 'connect to the service directly, so that it does not share the dashboard server’s connections'
      : 'watch some of the nodes through another address: each host and port has its own connections'
  return {
    title,
    meaning: `${meaning} ${places}.`,
    next: `${longer}, watch fewer nodes, or ${elsewhere}.`,
  }
}

const roundTime = (ms: number): string =>
  ms < 10_000 ? formatSpan(Math.ceil(ms / 100) * 100) : formatApart(ms)
/** Adds a tenth, because response times vary. */
const fittingMs = (takesMs: number): number => Math.ceil((takesMs * 1.1) / 1_000) * 1_000

const heldWords = (hanging: number | undefined): string =>
  hanging === undefined
    ? ''
    : ` Requests about ${counted(hanging, 'node')} hold connections until they time out.`
const FIND_HANGING =
  'Find out why these requests get no answer. Polling continues as connections become free.'

const overdueWords = ({
  intervalMs,
  collectedMs,
  hanging,
}: Of<'overdue'>): Pick<FailureWords, 'meaning' | 'next'> =>
  collectedMs === undefined
    ? {
        meaning: `The last values are older than the poll interval (${formatSpan(intervalMs)}) allows.${heldWords(hanging)}`,
        next:
          hanging === undefined
            ? 'Polling continues; the values are shown as old until an answer arrives.'
            : FIND_HANGING,
      }
    : {
        meaning: `The collector’s values were ${formatAge(collectedMs)} old when they arrived.`,
        next: 'Check the collector and the Prometheus that scrapes it.',
      }

function watchWords(evidence: Of<'gap' | 'overdue' | 'behind'>, context: CauseContext): FailureWords {
  const { zone, service } = context
  if (evidence.kind === 'overdue')
    return {
      title:
        context.onlyNodes === undefined
          ? `No recent reading from ${service}`
          : `No recent reading of ${whoOf(context)}`,
      ...overdueWords(evidence),
    }
  if (evidence.kind === 'behind')
    return {
      title: 'Polling is behind schedule',
      meaning: `The most overdue poll is ${formatAge(evidence.behindMs)} late; the interval is ${formatSpan(evidence.intervalMs)}.${heldWords(evidence.hanging)}`,
      next:
        evidence.hanging === undefined
          ? 'Set a longer poll interval in the settings, or watch fewer nodes.'
          : FIND_HANGING,
    }
  const { fromWallMs, toWallMs, reason, set } = evidence.gap
  if (reason === 'clock-step')
    return {
      title: `This computer’s clock was set back by ${formatAge(fromWallMs - toWallMs)}`,
      meaning: 'Nothing was missed. Earlier times are shifted to the new clock.',
      next: 'No action is needed; polling continues.',
    }
  if (set === 'ahead')
    return {
      title: `This computer’s clock was set ahead by ${formatAge(toWallMs - fromWallMs)}`,
      meaning: 'The service’s time shows that nothing was missed, but charts show a gap.',
      next: 'No action is needed; polling continues.',
    }
  return {
    title: `Not watched from ${formatClock(fromWallMs, zone)} to ${formatClock(toWallMs, zone)}`,
    meaning:
      set === 'maybe'
        ? 'The computer was asleep, or its clock was set ahead. Charts show a gap.'
        : 'The computer was asleep, or the browser suspended the tab. Charts show a gap.',
    next: 'Polling continues. To prevent gaps, turn off sleep on this computer.',
  }
}
