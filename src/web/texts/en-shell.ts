import { formatCount, joined } from './format.ts'

export const shellTexts = {
  brand: 'immune',
  skip: 'Skip to content',
  nav: 'Main',
  nodes: 'Nodes',
  alarms: 'Alarms',
  rules: 'Rules and maintenance',
  wall: 'Wall screen',
  journal: 'Journal',
  settings: 'Settings',
  about: 'About',
  compare: 'Compare nodes',
  report: 'Report',
  goTo: 'Go to node or command',
  lockNow: 'Lock now',
  tiles: 'Nodes by severity',
  theme: {
    system: 'Theme: system. Switch to dark',
    dark: 'Theme: dark. Switch to light',
    light: 'Theme: light. Switch to system',
  },
  messages: 'Messages',
  allMessages: (count: number) => (count === 1 ? 'Details' : `All ${formatCount(count)} messages`),
  closeMessages: 'Close messages',
  status: {
    label: 'Status',
    /** `failing` nodes missed a poll, but all readings are still current. */
    live: (failing: number, all: number) =>
      failing === 0 ? 'Live' : `Live, last poll failed for ${formatCount(failing)} of ${formatCount(all)}`,
    /** `unknown` nodes have no current reading; `locked` nodes wait for a passphrase. */
    partly: (unknown: number, locked: number, all: number) =>
      joined(', ', [
        unknown > 0 && `${formatCount(unknown)} of ${formatCount(all)} without data`,
        locked > 0 && `${formatCount(locked)} locked`,
      ]),
    waiting: 'Waiting for the service',
    ownServer: 'The dashboard server does not answer',
    firstAnswers: 'Waiting for the first answers',
    starting: 'Starting',
    locked: 'Key locked, polling stopped',
    noToken: 'Token needed, polling stopped',
    noKey: 'No key, polling stopped',
    signerFailed: 'Requests can’t be signed',
    offline: 'This computer is offline',
    signedOut: 'Signed out of this dashboard',
    nothing: 'No nodes to watch',
    elsewhere: 'Another tab is polling',
  },
  title: (name: string, alarm: string | undefined) =>
    alarm === undefined ? `${name} · immune` : `${alarm} · ${name} · immune`,
  titleCount: (count: number) => `(${formatCount(count)})`,
} as const
