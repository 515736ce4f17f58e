import { AGE_EDGES_MS, type NetworkFigure } from '#fleet/network-metrics.ts'
import { counted, formatCount, formatSpan } from './format.ts'
import { nameOf as shortName } from './format-metric.ts'

export const wallTexts = {
  title: 'Wall screen',
  allNodes: 'All nodes',
  notWatched: 'Node not watched',
  notWatchedHelp: 'The URL of this wall screen names a node that this browser does not watch.',
  stuck: 'This screen is frozen',
  silent: (age: string) => `This screen has received no data for ${age}`,
  reported: (name: string) => `${name}, as reported`,
  stateOld: (name: string) => `${name}, last known`,
  stateNever: 'No status yet',
  noWord: 'not usable',
  age: (name: string) => `Last ${name.toLowerCase()}`,
  ageOld: (name: string) => `Last known ${name.toLowerCase()}`,
  ago: 'ago',
  none: '—',
  forAge: (age: string, unseen?: string) =>
    unseen === undefined ? `for ${age}` : `for ${age}, ${unseen} not watched`,
  asOf: (age: string) => `as of ${age} ago`,
  unchecked: 'clocks not compared',
  perHour: '/h',
  inTime: (span: string) => `in ${span}`,
  strip: 'Status over 24 hours',
  ago24h: '24 h ago',
  hours: (hours: number) => `${hours} h`,
  now: 'now',
  within: (nodes: number) => (nodes === 1 ? 'node within limits' : 'nodes within limits'),
  quietFor: (age: string, at: string) => `for ${age}, last alarm event ${at}`,
  mosaic: (nodes: number, abnormal: number) =>
    `${counted(nodes, 'node')}, ${formatCount(abnormal)} not within limits`,
  answered: 'last poll: ',
  answeredLast: 'last poll',
  of: (all: number) => `of ${formatCount(all)}`,
  answeredOf: (all: number) => ` of ${formatCount(all)} answered`,
  withinOf: (all: number) => ` of ${formatCount(all)} within limits`,
  network: ({ kind, metric }: NetworkFigure): string => {
    const name = shortName(metric).toLowerCase()
    if (kind === 'total') return `total ${name}`
    if (kind === 'rate') return `${name}/h`
    if (kind === 'ages') return `${name} under ${formatSpan(AGE_EDGES_MS[0])}`
    return kind === 'share' ? `good ${name}` : name
  },
  more: (more: number) => `and ${formatCount(more)} more`,
  sinceAgo: (age: string) => `for ${age}`,
  muted: (until: string) => `sound muted until ${until}`,
  lacks: {
    unlocking: {
      title: 'Locked',
      text: 'Polling is stopped. Touch this screen, leave the wall screen and unlock the key.',
    },
    key: {
      title: 'No key',
      text: 'Polling is stopped. Touch this screen, leave the wall screen and add a key.',
    },
  },
  notWatching: 'Not watching',
  odd: (parts: string) => `Invalid option in this URL: ${parts}`,
  awake: {
    refused: 'The browser refused the wake lock: this screen may go dark',
    unsupported: 'This browser has no wake lock: this screen may go dark',
  },
  bar: {
    label: 'This wall screen',
    leave: 'Leave wall screen',
    full: 'Full screen',
    endFull: 'Exit full screen',
    previous: 'Previous view',
    next: 'Next view',
    acknowledge: (count: number) => (count === 1 ? 'Acknowledge' : `Acknowledge ${formatCount(count)}`),
  },
} as const
