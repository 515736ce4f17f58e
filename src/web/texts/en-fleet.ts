import { formatCount } from './format.ts'

/** The table of watched nodes. */
export const fleetTexts = {
  alarmMark: {
    unack: (severity: string): string => `${severity}, not acknowledged`,
    acked: (severity: string): string => `${severity}, acknowledged`,
    quiet: (severity: string): string => `${severity}, shelved or in maintenance`,
  },
  title: 'Nodes',
  summary: (nodes: number, services: number) =>
    services === 1
      ? `${formatCount(nodes)} ${nodes === 1 ? 'node' : 'nodes'} on 1 service`
      : `${formatCount(nodes)} ${nodes === 1 ? 'node' : 'nodes'} on ${formatCount(services)} services`,
  panel: 'Worst first',
  table: 'Watched nodes, worst first',
  addNodes: 'Add nodes',
  wall: 'Wall screen',
  columns: {
    condition: 'Condition',
    node: 'Node',
    reading: 'Last answer',
    service: 'Service',
  },
  ownNode: 'the key’s own node',
  within: 'Within limits',
  notKnown: 'not known',
  /** With how uncertain it is, see `doubtOf`. */
  age: (age: string, doubt: string | undefined) => {
    if (doubt === undefined) return age
    return doubt === 'unchecked' ? `${age}, unchecked` : `${age} ± ${doubt}`
  },
  ago: (age: string) => `${age} ago`,
  never: 'no answer yet',
  filter: {
    legend: 'Show',
    all: 'All',
    critical: 'Critical',
    warning: 'Warning',
    info: 'Info',
    'no-data': 'No data',
  },
  empty: {
    title: 'No nodes yet',
    text: 'Every node that you watch stands here, worst first.',
  },
  noMatch: {
    critical: 'No node is critical now',
    warning: 'No node has a warning now',
    info: 'No node has info now',
    'no-data': 'There is data of every node',
  },
  showAll: 'Show all nodes',
  anyTag: (tag: string) => `Only tag ${tag}: show every tag`,
  noneTagged: (tag: string) => `No node with tag ${tag} is like that now`,
} as const
