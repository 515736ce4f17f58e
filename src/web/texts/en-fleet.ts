import { AGE_EDGES_MS, type NetworkFigure } from '#fleet/network-metrics.ts'
import { formatCount, formatSpan } from './format.ts'

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
  /** Small charts beside values, in words. */
  trend: {
    range: (heading: string, low: string, high: string) => `${heading}, last 24 h: ${low} to ${high}`,
    total: (heading: string, count: string) => `${heading}, last 24 h: ${count}`,
    answered: (share: string) => `Last 24 h: ${share} of watched time answered`,
    notWatched: 'Last 24 h: not watched',
    limits: (heading: string) => `${heading} against its limits`,
  },
  heading: {
    attention: 'Needs attention',
    attentionNote: (nodes: number) =>
      `${formatCount(nodes)} ${nodes === 1 ? 'node' : 'nodes'}, worst first. On top whatever the sorting.`,
    more: (nodes: number) => `Show ${formatCount(nodes)} more`,
    moreNote: (counts: Readonly<Record<'critical' | 'warning' | 'no-data' | 'info', number>>) =>
      [
        [counts.critical, 'critical'] as const,
        [counts.warning, 'warning'] as const,
        [counts['no-data'], 'no data'] as const,
        [counts.info, 'info'] as const,
      ]
        .flatMap(([count, name]) => (count === 0 ? [] : [`${formatCount(count)} ${name}`]))
        .join(', '),
    rest: 'Within limits',
    /** Nodes without what the others are grouped by. */
    none: 'None',
    nodes: (nodes: number) => `${formatCount(nodes)} ${nodes === 1 ? 'node' : 'nodes'}`,
    current: (nodes: number) => `${formatCount(nodes)} with current values`,
  },
  sort: {
    label: 'Sort nodes',
    byName: 'Sort: name',
    by: (heading: string, descending: boolean) =>
      `${heading}, ${descending ? 'highest first' : 'lowest first'}`,
  },
  group: {
    label: 'Group nodes',
    none: 'Not grouped',
    by: (what: string) => `Group: ${what}`,
    tag: 'first tag',
    service: 'service',
  },
  choose: {
    button: 'Columns',
    title: 'Columns',
    close: 'Done',
    usual: 'Reset columns',
    density: 'Row height',
    densities: { normal: 'Normal rows', compact: 'Compact rows' },
    automatic: 'Automatic width',
    rem: (rem: number) => `${rem} characters wide`,
    width: (heading: string) => `Width of ${heading}`,
    up: (heading: string) => `Move ${heading} left`,
    down: (heading: string) => `Move ${heading} right`,
  },
  held: 'The order stays while you point at the table.',
  /** Its metrics of which another service says something else. */
  differs: (metrics: string) => `≠ ${metrics}`,
  differsWhy: 'Services disagree about it: see the node’s page',
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
  overview: {
    label: 'All nodes',
    within: 'Within limits',
    of: (all: number) => `of ${formatCount(all)}`,
    map: (nodes: number) => `Map of ${formatCount(nodes)} nodes`,
    everyNode: 'All nodes',
    untagged: 'No tag',
    cell: (name: string, severity: string, what: string | undefined) =>
      [name, severity, what].filter((part) => part !== undefined).join(' · '),
    hint: 'Every node, one cell. Arrow keys move, Enter opens.',
  },
  network: {
    label: 'Network',
    heading: ({ kind, metric, ...figure }: NetworkFigure): string => {
      const name = metric.heading
      const isWeighted = 'isWeighted' in figure && figure.isWeighted
      switch (kind) {
        case 'total':
          return `Total ${name.toLowerCase()}`
        case 'mean':
          return isWeighted ? `${name}, weighted by stake` : `${name}, mean`
        case 'share':
          return isWeighted
            ? `Stake with good ${name.toLowerCase()}`
            : `Nodes with good ${name.toLowerCase()}`
        case 'rate':
          return `${name} per hour`
        case 'ages':
          return `${name}, under ${formatSpan(AGE_EDGES_MS[0])}`
      }
    },
    notKnown: 'not known',
    coverage: (nodes: number, of: number, oldest: string | undefined) =>
      `${formatCount(nodes)} of ${formatCount(of)} nodes${oldest === undefined ? '' : `, up to ${oldest} old`}`,
    below: (age: string) => `under ${age}`,
    older: (age: string) => `${age} or more`,
    ages: (counts: readonly string[]) => `Nodes by age: ${counts.join(', ')}`,
    course: (span: string, low: string, high: string) => `Last ${span}: ${low} to ${high}`,
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
  noneFound: 'No nodes match this filter',
  noneTagged: (tag: string) => `No matching nodes with tag ${tag}`,
} as const
