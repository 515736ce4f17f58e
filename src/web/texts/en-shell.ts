import { formatCount, formatSpan } from './format.ts'

/** Words around every page: bar, status line, messages. */
export const shellTexts = {
  brand: 'immune',
  skip: 'Skip to content',
  nav: 'Main',
  nodes: 'Nodes',
  settings: 'Settings',
  ownNode: 'The key’s own node',
  tiles: 'Nodes by condition',
  tile: {
    critical: 'critical',
    warning: 'warning',
    notice: 'notice',
    'no-data': 'no data',
  },
  theme: {
    system: 'Theme: as the system has it. Change to dark',
    dark: 'Theme: dark. Change to light',
    light: 'Theme: light. Change to the system’s',
  },
  messages: 'Messages',
  moreMessages: (count: number) =>
    count === 1 ? 'and 1 more message' : `and ${formatCount(count)} more messages`,
  status: {
    label: 'State of this screen',
    live: 'Live',
    liveExcept: (failing: number, all: number) =>
      `Live, ${formatCount(failing)} of ${formatCount(all)} not answering`,
    waiting: 'Waiting for the service',
    firstAnswers: 'Waiting for the first answers',
    starting: 'Getting ready',
    noKey: 'No key, nothing is asked',
    signerFailed: 'Requests can’t be signed',
    offline: 'This computer is offline',
    nothing: 'No nodes to watch',
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
    behindWhy:
      'Answers take longer than the interval allows: set a longer poll interval, or watch fewer nodes',
    key: 'key ',
    noKeyShort: 'no key',
    custody: {
      device: ', kept in this browser',
      vault: ', in the vault',
      locked: ', locked',
      session: ', until the last tab closes',
    },
  },
  problem: {
    unreadable: {
      title: 'The settings in this browser can’t be read',
      text: 'They are damaged or were written by a later version, so the dashboard started without them. Saving settings replaces them.',
    },
    'no-storage': {
      title: 'This browser keeps nothing for this page',
      text: 'Settings and keys hold until the last tab is closed. A private window or blocked site data usually cause this.',
    },
    'not-saved': {
      title: 'The settings hold in this tab, but the browser did not keep them',
      text: 'Its storage may be full or blocked. They will be gone after a reload.',
    },
    'config-unreadable': {
      title: 'The server’s configuration can’t be read',
      text: 'What it provides (config.json) is missing here; only the settings of this browser are used. The terminal in which the dashboard runs says what is wrong with it.',
    },
  },
  signerFailed: {
    title: 'The part of this page that holds the key did not start',
    text: 'Without it no request can be signed, so nothing is asked. Close other tabs of this dashboard and reload this page.',
  },
  openSettings: 'Open settings',
  title: (name: string, loudest: string | undefined) =>
    loudest === undefined ? `${name} · immune` : `${loudest} · ${name} · immune`,
  titleCount: (count: number) => `(${formatCount(count)})`,
  announceCritical: (title: string) => `Critical: ${title}`,
} as const
