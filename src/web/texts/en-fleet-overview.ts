import { AGE_EDGES_MS, type Coverage, type NetworkFigure } from '#fleet/network-metrics.ts'
import { counted, formatCount, formatSpan, joined } from './format.ts'

export const fleetOverviewTexts = {
  overview: {
    label: 'All nodes',
    within: 'Within limits',
    of: (all: number) => `of ${formatCount(all)}`,
    map: (nodes: number) => `Map of ${counted(nodes, 'node')}`,
    everyNode: (tags: number) =>
      tags === 1 ? 'All nodes' : `All nodes by name (${formatCount(tags)} tags, too many for groups)`,
    untagged: 'No tag',
    cell: (name: string, severity: string, what: string | undefined) => joined(' · ', [name, severity, what]),
    hint: 'One cell per node. Arrow keys move, Enter opens.',
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
            ? `Stake on nodes with good ${name.toLowerCase()}`
            : `Nodes with good ${name.toLowerCase()}`
        case 'rate':
          return `${name} per hour`
        case 'ages':
          return `${name}, under ${formatSpan(AGE_EDGES_MS[0])}`
      }
    },
    notKnown: 'unknown',
    coverage: ({ nodes, old, of }: Omit<Coverage, 'oldestMs'>, oldest: string | undefined) =>
      joined(', ', [
        `${formatCount(nodes)} of ${formatCount(of)} nodes`,
        old > 0 && `last values of ${formatCount(old)} more`,
        oldest !== undefined && `up to ${oldest} old`,
      ]),
    last: (value: string, oldest: string) => `last ${value}, up to ${oldest} old`,
    /** Number of nodes behind the trend, if it varied. */
    courseOver: (least: number, most: number) =>
      least === most
        ? `trend: ${counted(least, 'node')}`
        : `trend: ${formatCount(least)} to ${formatCount(most)} nodes`,
    courseFrom: (name: string) => `earlier trend from ${name}`,
    below: (age: string) => `under ${age}`,
    older: (age: string) => `${age} or more`,
    ages: (counts: readonly string[]) => `Nodes by age: ${counts.join(', ')}`,
    course: (span: string, low: string, high: string) => `Last ${span}: ${low} to ${high}`,
  },
} as const
