import { formatCount, formatSpan } from './format.ts'

/** Separate from the shell's texts, because the status line loads after the first status. */
export const statusTexts = {
  poll: 'poll every ',
  pollMany: (nodes: number) => `${formatCount(nodes)} nodes every `,
  pollBetween: (fromMs: number, toMs: number) => `${formatSpan(fromMs)} to ${formatSpan(toMs)}`,
  slowed: ', slowed',
  next: 'next in ',
  asking: 'polling',
  notPlanned: 'not scheduled',
  session: 'this session: ',
  answered: ' answered, ',
  failed: ' failed',
  offset: 'clock offset ',
  offsetWhy: 'How far the service’s clock is ahead of this computer’s',
  behind: 'behind schedule by ',
  behindWhy: 'How late the most overdue poll is',
  key: 'key ',
  noKeyShort: 'no key',
  noKeyNeeded: 'no key needed',
  onServer: ', on the dashboard server',
  moreKeys: (count: number): string => `; ${count} more`,
  custody: {
    device: ', stored in this browser',
    vault: ', in the vault',
    locked: ', locked',
    session: ', until the last tab closes',
  },
} as const
