import { offsetMs, offsetUncertaintyMs, type ClockOffset, type WhoseClock } from '#record/clock-offset.ts'
import { formatDoubt } from './age-doubt.ts'
import type { FailureContext, Reader } from './failure-words.ts'
import { formatApart } from './format-clock.ts'

/** The computer that polls, as the reader knows it. */
export const pollingComputer = ({ isAway }: Reader): string =>
  isAway === true ? 'the computer that polls' : 'this computer'

/** For example "This computer’s clock is 73 s slow". Names a clock only if it is known which one is wrong. */
export function clocksTitle(
  offset: ClockOffset,
  whose: WhoseClock | undefined,
  { service, isAway }: Pick<FailureContext, 'service' | 'isAway'>,
): string {
  const apart = formatApart(offsetMs(offset))
  if (whose === undefined) return `Clocks disagree by ${apart}`
  const isAhead = offsetMs(offset) > 0
  if (whose === 'service') return `The clock of ${service} is ${apart} ${isAhead ? 'fast' : 'slow'}`
  const own = isAway === true ? 'The clock of the computer that polls' : 'This computer’s clock'
  return `${own} is ${apart} ${isAhead ? 'slow' : 'fast'}`
}

/** For example "this computer’s clock is about 73 s (± 9 s) behind those of the nodes of api, judging by their heartbeats". */
export const clockByHeartbeats = (offset: ClockOffset, service: string): string =>
  `this computer’s clock is about ${formatApart(offsetMs(offset))} (± ${formatDoubt(offsetUncertaintyMs(offset))}) ${offsetMs(offset) > 0 ? 'behind' : 'ahead of'} those of the nodes of ${service}, judging by their heartbeats`
