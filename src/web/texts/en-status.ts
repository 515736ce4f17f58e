import { formatCount, formatSpan } from './format.ts'

/** Words of the status line beside what the screen is doing. */
export const statusTexts = {
  poll: 'poll every ',
  pollMany: (nodes: number) => `${formatCount(nodes)} nodes every `,
  pollBetween: (fromMs: number, toMs: number) => `${formatSpan(fromMs)} to ${formatSpan(toMs)}`,
  slowed: ', slowed',
  next: 'next in ',
  asking: 'asking now',
  notPlanned: 'nothing planned',
  session: 'this session: ',
  answered: ' answered, ',
  failed: ' failed',
  offset: 'clock offset ',
  offsetUnknown: 'not known',
  offsetWhy: 'How far the service’s clock is ahead of this computer’s, as its answers tell',
  offsetUnknownWhy: 'The service’s answers do not let this page read their time',
  behind: 'behind schedule by ',
  behindWhy: 'Answers take longer than the interval allows: set a longer poll interval, or watch fewer nodes',
  key: 'key ',
  noKeyShort: 'no key',
  noKeyNeeded: 'no key needed',
  moreKeys: (count: number): string => `; ${count} more ${count === 1 ? 'signs' : 'sign'}`,
  custody: {
    device: ', kept in this browser',
    vault: ', in the vault',
    locked: ', locked',
    session: ', until the last tab closes',
  },
} as const
