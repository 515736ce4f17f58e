import { counted, formatCount } from './format.ts'

export const messageTexts = {
  since: 'since ',
  misses: (misses: number) => counted(misses, 'failed poll'),
  nextIn: 'next try in ',
  trying: 'trying now',
  allNodes: (nodes: number, service: string) =>
    nodes === 1 ? `the only node of ${service}` : `all ${formatCount(nodes)} nodes of ${service}`,
  someNodes: (nodes: number, service: string) => `${counted(nodes, 'node')} of ${service}`,
  nodes: (nodes: number) => counted(nodes, 'node'),
  /** `name` is undefined for the default node. */
  seenAt: (name: string | undefined) =>
    `details from ${name ?? 'the default node'}; other nodes’ details may differ`,
  answer: (text: string) => `answer: “${text}”`,
  tryNow: 'Try now',
  signIn: 'Sign in',
  openSettings: 'Open settings',
  openSigning: 'Signing profile',
  openKeys: 'Keys',
  openUnits: 'Units and limits',
  giveToken: 'Enter token',
  openNode: 'Open node',
  openInTab: 'Open in a tab',
  copyKey: 'Copy public key',
  copyLines: 'Copy headers',
  copyReport: 'Copy report',
  signServiceTime: 'Sign with the service’s time',
  tooFar: 'Clocks too far apart: synchronize the one that is wrong (NTP)',
  copied: 'Copied',
  copyFailed: 'The browser blocked copying',
} as const
