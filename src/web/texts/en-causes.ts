import { toVisibleText } from '#base/visible-text.ts'
import { offsetMs, offsetUncertaintyMs, type ClockOffset } from '#record/clock-offset.ts'
import { METRICS } from '#metrics/metrics.ts'
import { NODE_ID_MEMBER } from '#record/field.ts'
import type { PollFailure } from '#protocol/failure.ts'
import type { Cause, Evidence } from '#evaluate/causes.ts'
import type { Clue } from '#fleet/diagnosis.ts'
import { OFFSET_WARNING_MS } from '#evaluate/clock-causes.ts'
import { clockByHeartbeats, clockTitle } from './en-clock.ts'
import { diagnosisWords, evidenceLabel } from './en-diagnosis.ts'
import { proofWords } from './en-proof-causes.ts'
import { failureWords } from './en-failures.ts'
import { corsLines } from './en-unreachable.ts'
import type { FailureContext, FailureWords } from './failure-words.ts'
import { formatClock, type Zone } from './format-time.ts'
import { formatAge, formatApart, formatExact, formatSpan, formatUncertainty } from './format.ts'

export type CauseContext = FailureContext & { readonly zone: Zone }

/** A message in words: a failure's, or that of an answer that is good but odd, or of the watching itself. */
export function causeWords({ evidence }: Cause, context: CauseContext): FailureWords {
  switch (evidence.kind) {
    case 'failure':
      return diagnosedWords(evidence, context)
    case 'portal':
      return {
        title: 'Something else answers in place of every service',
        meaning: `All ${evidence.services} services answer with a web page or lead elsewhere, so it is probably a sign-in page of this network (a captive portal) and not the services.`,
        next: 'Open any web page in a tab and sign in to the network. Polling goes on by itself.',
      }
    case 'no-network':
      return {
        title: 'No service can be reached',
        meaning: `All ${evidence.services} services stopped answering, so it is probably this computer’s network and not the services.`,
        next: 'Check the network of this computer, its VPN included. Polling goes on by itself.',
      }
    case 'bad-fields':
      return badFieldWords(evidence, context)
    case 'unknown-status':
      return {
        title: `Status ${toVisibleText(evidence.status)} has no meaning set`,
        meaning: 'It counts as info until its meaning is set.',
        next: 'Ask the service operator what it means, and set it here.',
      }
    case 'proof':
      return proofWords(evidence.verdict)
    case 'out-of-unit':
      return {
        title: 'Participation is beyond its unit',
        meaning: `The service wrote ${formatExact(evidence.text)}, which is more than all. It is shown as written and not charted.`,
        next: 'Set in the settings whether the service states participation as a ratio or as a percentage.',
      }
    case 'counter-restarted':
      return {
        title: 'The threat counter went down',
        meaning:
          'This is taken as a restart of the node: what was seen before is carried over, and the new count is added.',
        next: 'Nothing is to be done if the restart was planned.',
      }
    case 'cached':
      return {
        title: 'A cache answers instead of the service',
        meaning: `The last answer was already ${formatAge(evidence.forS * 1_000)} old when it came, so everything in it is older than it looks.`,
        next: 'Have whatever stands in front of the service not cache node status.',
      }
    case 'clock-offset':
    case 'heartbeat-ahead':
      return clockWords(evidence, context)
    case 'gap':
    case 'behind':
      return watchWords(evidence, context)
  }
}

/** A failure in words, with what probes found out about it. */
function diagnosedWords({ failure, diagnosed }: Of<'failure'>, context: CauseContext): FailureWords {
  const plain = failureWords(failure, context)
  const isRefused = failure.kind === 'unauthorized' || failure.kind === 'forbidden'
  // What probes find out about a refusal speaks of keys and of what was signed.
  if (diagnosed === undefined || (isRefused && (context.credential ?? 'key') !== 'key')) return plain
  const { title, meaning, next, needsCors, evidence } = diagnosisWords(diagnosed.diagnosis, context)
  const offset = askedOffset(diagnosed.diagnosis.clues)
  return {
    title: offset === undefined ? (title ?? plain.title) : clockTitle(offset),
    meaning: `${answeredWith(failure)}${meaning}`,
    next,
    ...(needsCors && { lines: corsLines(context) }),
    evidence: { label: evidenceLabel, items: evidence },
  }
}

/** How far the clocks are apart, where only the operator may have the service's time signed. */
function askedOffset(clues: readonly Clue[]): ClockOffset | undefined {
  const isAsked = clues.some((clue) => clue.kind === 'correction' && clue.correction.state === 'ask')
  const clocks = clues.find((clue) => clue.kind === 'clocks')
  return isAsked ? clocks?.offset : undefined
}

const answeredWith = (failure: PollFailure): string => {
  if (failure.kind === 'unauthorized') return 'It answered 401. '
  return failure.kind === 'forbidden' ? 'It answered 403. ' : ''
}

type Of<K extends Evidence['kind']> = Extract<Evidence, { readonly kind: K }>

/** What can't be judged without a field. */
function lostWithout(field: string): string {
  if (field === NODE_ID_MEMBER) return 'Whether the answer is about this very node can’t be checked.'
  const metric = METRICS.find((each) => each.field === field)
  return `${metric?.heading ?? field} is not known until the field is back.`
}

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
    meaning: `The rest of the record is used. ${fields.length === 1 && first !== undefined ? lostWithout(first.field) : `It is about ${names.join(', ')}.`}`,
    next:
      node === undefined
        ? 'The raw record on each node’s page shows what was sent instead.'
        : 'The raw record on the node’s page shows what was sent instead.',
  }
}

function clockWords(
  evidence: Of<'clock-offset' | 'heartbeat-ahead'>,
  { service }: CauseContext,
): FailureWords {
  const next = 'Set the clock of the one that is wrong, best by a time server (NTP).'
  if (evidence.kind === 'heartbeat-ahead')
    return {
      title: `The last heartbeat lies ${formatAge(evidence.aheadMs)} in the future`,
      meaning:
        evidence.unchecked === true
          ? 'So it is by this screen’s clock alone, since the service’s time can’t be read: this screen’s clock is slow by at least that, or the node’s is fast. No heartbeat age is claimed until the node was seen to beat.'
          : 'The clocks of the node and of the service disagree, so no heartbeat age is claimed.',
      next,
    }
  const { offset, services, corrected, by } = evidence
  const who = services > 1 ? `all ${services} services` : service
  const known =
    by === 'heartbeats'
      ? `The time of the answers can’t be read; ${clockByHeartbeats(offset, who)}.`
      : `Known from the Date of the answers of ${who}, ± ${formatUncertainty(offsetUncertaintyMs(offset))}.`
  const signed = corrected
    ? 'Requests with this screen’s time were refused, so they are signed with the service’s.'
    : `Signed requests may be refused beyond ${formatSpan(OFFSET_WARNING_MS)}.`
  return {
    title:
      corrected || services > 1
        ? clockTitle(offset)
        : `Clocks disagree by ${by === 'heartbeats' ? 'about ' : ''}${formatApart(offsetMs(offset))}`,
    meaning: `${known} ${signed} Ages are corrected by it.`,
    next:
      services > 1
        ? 'Set this computer’s clock, best by a time server (NTP).'
        : `Set this computer’s clock, best by a time server (NTP); if it is right, ${by === 'heartbeats' ? 'the clocks of the nodes of' : 'the clock of'} ${service} ${by === 'heartbeats' ? 'are' : 'is'} ${offsetMs(offset) > 0 ? 'fast' : 'slow'}.`,
  }
}

function watchWords(evidence: Of<'gap' | 'behind'>, { zone }: CauseContext): FailureWords {
  if (evidence.kind === 'behind')
    return {
      title: 'Asking all nodes takes longer than the interval',
      meaning: `The most overdue request is ${formatAge(evidence.behindMs)} late; the interval is ${formatSpan(evidence.intervalMs)}. Readings are older than they should be.`,
      next: 'Set a longer poll interval in the settings, or watch fewer nodes.',
    }
  const { fromWallMs, toWallMs, reason } = evidence.gap
  return {
    title: `Not watched from ${formatClock(fromWallMs, zone)} to ${formatClock(toWallMs, zone)}`,
    meaning:
      reason === 'asleep'
        ? 'The computer was asleep or the tab was put aside by the browser. The charts show this as a gap, not as zero.'
        : 'The clock of this computer was set. The charts show this as a gap, not as zero.',
    next: 'Nothing is to be done; watching goes on.',
  }
}
