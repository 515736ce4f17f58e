import { formatCount } from './format.ts'

/** The table of watched nodes. */
export const fleetTexts = {
  alarmMark: {
    unack: (severity: string): string => `${severity}, unacknowledged`,
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
  addService: 'Add service',
  wall: 'Wall screen',
  columns: {
    severity: 'Severity',
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
    if (doubt === 'at-least') return `${age} or more`
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
    text: 'Watched nodes appear here, worst first.',
  },
  noMatch: {
    critical: 'No critical nodes',
    warning: 'No nodes with a warning',
    info: 'No info nodes',
    'no-data': 'No nodes without data',
  },
  showAll: 'Show all nodes',
  anyTag: (tag: string) => `Tag ${tag}: show all tags`,
  noneTagged: (tag: string) => `No matching nodes with tag ${tag}`,
} as const
