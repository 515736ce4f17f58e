import { formatCount } from './format.ts'

export const messageTexts = {
  since: 'since ',
  misses: (misses: number) => (misses === 1 ? '1 poll' : `${formatCount(misses)} polls`),
  nextIn: 'next try in ',
  trying: 'trying now',
  allNodes: (nodes: number, service: string) =>
    nodes === 1 ? `the only node of ${service}` : `all ${formatCount(nodes)} nodes of ${service}`,
  someNodes: (nodes: number, service: string) => `${formatCount(nodes)} nodes of ${service}`,
  nodes: (nodes: number) => (nodes === 1 ? '1 node' : `${formatCount(nodes)} nodes`),
  /** `name` is undefined for the default node. */
  seenAt: (name: string | undefined) => `from ${name ?? 'the default node'}; other nodes differ in details`,
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
  tooFar: 'Too far apart: set this computer’s clock',
  copied: 'Copied',
  copyFailed: 'The browser blocked copying',
} as const
