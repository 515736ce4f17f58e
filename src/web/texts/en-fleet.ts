import { counted } from './format.ts'

export const fleetTexts = {
  select: { all: 'Select all nodes shown', one: (name: string) => `Select ${name}` },
  alarmMark: {
    unack: (severity: string): string => `${severity}, unacknowledged`,
    acked: (severity: string): string => `${severity}, acknowledged`,
    quiet: (severity: string): string => `${severity}, shelved or in maintenance`,
  },
  title: 'Nodes',
  summary: (nodes: number, services: number) =>
    `${counted(nodes, 'node')} on ${counted(services, 'service')}`,
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
    health: 'Answered, 24 h',
  },
  held: 'Rows keep their order while you point at the table.',
  /** Metrics on which services disagree, followed by any other problem. */
  differs: (metrics: string, condition: string | undefined) =>
    `Services disagree: ${metrics}${condition === undefined ? '' : ` · ${condition}`}`,
  within: 'Within limits',
  notKnown: 'unknown',
  /** `doubt` is the uncertainty as returned by `doubtOf`. */
  age: (age: string, doubt: string | undefined) => {
    if (doubt === undefined) return age
    if (doubt === 'at-least') return `${age} or more`
    return doubt === 'unchecked' ? `${age}, unchecked` : `${age} ± ${doubt}`
  },
  ago: (age: string) => `${age} ago`,
  asOf: (age: string) => `${age} old`,
  never: 'no status yet',
  anyTag: (tag: string) => `Tag ${tag}: show all tags`,
} as const
