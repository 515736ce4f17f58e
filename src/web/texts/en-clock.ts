import { offsetMs, offsetUncertaintyMs, type ClockOffset, type WhoseClock } from '#record/clock-offset.ts'
import { formatDoubt } from './age-doubt.ts'
import type { FailureContext, Reader } from './failure-words.ts'
import { formatApart } from './format-clock.ts'

/** The computer that polls, as the reader knows it. */
export const pollingComputer = ({ isAway }: Reader): string =>
  isAway === true ? 'the computer that polls' : 'this computer'

/** For example "This computer’s clock is 73 s slow". */
export const clockTitle = (offset: ClockOffset, { isAway }: Reader = {}): string =>
  `${isAway === true ? 'The clock of the computer that polls' : 'This computer’s clock'} is ${formatApart(offsetMs(offset))} ${offsetMs(offset) > 0 ? 'slow' : 'fast'}`

/** Names a clock only if it is known which one is wrong. */
export function clocksTitle(
  offset: ClockOffset,
  whose: WhoseClock | undefined,
  context: Pick<FailureContext, 'service' | 'isAway'>,
): string {
  if (whose === 'computer') return clockTitle(offset, context)
  const apart = formatApart(offsetMs(offset))
  return whose === 'service'
    ? `The clock of ${context.service} is ${apart} ${offsetMs(offset) > 0 ? 'fast' : 'slow'}`
    : `Clocks disagree by ${apart}`
}

/** For example "this computer’s clock is about 73 s (± 9 s) slow, judging by the heartbeats of the nodes of api". */
export const clockByHeartbeats = (offset: ClockOffset, service: string): string =>
  `this computer’s clock is about ${formatApart(offsetMs(offset))} (± ${formatDoubt(offsetUncertaintyMs(offset))}) ${offsetMs(offset) > 0 ? 'slow' : 'fast'}, judging by the heartbeats of the nodes of ${service}`
