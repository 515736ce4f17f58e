import type { ReportFigure } from '#metrics/metric.ts'
import { formatAge, formatCount, formatPercent } from './format.ts'

const nodes = (count: number): string => (count === 1 ? '1 node' : `${formatCount(count)} nodes`)

/** Reports: availability and figures of a range. */
export const availabilityTexts = {
  title: 'Report',
  form: {
    nodes: 'Nodes',
    all: (count: number) => `All (${formatCount(count)})`,
    tagged: (tag: string, count: number) => `Tagged ${tag} (${formatCount(count)})`,
    selected: (count: number) => `Selected (${formatCount(count)})`,
    from: (zone: string) => `From (${zone})`,
    to: (zone: string) => `To (${zone})`,
    target: 'Target (%)',
    source: 'Source',
    quick: 'Time range',
    ranges: {
      month: 'This month',
      lastMonth: 'Last month',
      week: 'Last 7 days',
      days: 'Last 30 days',
    },
    show: 'Show report',
    badTarget: 'Enter a percentage above 0 and below 100.',
    badRange: 'Enter a start in the past and a later end, at most 3 years apart.',
  },
  actions: { print: 'Print', csv: 'CSV', json: 'JSON', stop: 'Stop' },
  reading: (done: number, all: number) => `Reading ${formatCount(done)} of ${nodes(all)}`,
  stopped: (done: number, all: number) => `Stopped after ${formatCount(done)} of ${nodes(all)}`,
  unreadable: 'History can’t be read.',
  noApi: 'No query API for this node’s service.',
  noAnswer: 'No answer.',
  problems: (count: number) => `data of ${nodes(count)} could not be read`,
  empty: { title: 'No nodes to report on', text: 'Choose all nodes, or another tag.' },
  sources: { browser: 'This browser’s history', api: (name: string) => name },
  /** How a query API's figures are computed. */
  coarse: (step: string) => `in steps of ${step}; mean and p95 from one value per step`,
  range: (from: string, to: string, zone: string) => `${from} to ${to} ${zone}`,
  stats: {
    label: 'Summary',
    availability: 'Availability',
    target: (target: string) => `target ${target}`,
    below: 'Below target',
    belowNote: (all: number) => `of ${nodes(all)} with a known outcome`,
    known: 'Known',
    knownNote: (known: string, all: string) => `${known} of ${all}, maintenance excluded`,
    noKnown: 'nothing known',
    outages: 'Outages',
    outagesNote: (length: string) => `${length} without an answer`,
  },
  table: {
    label: 'Nodes, lowest availability first',
    node: 'Node',
    availability: 'Availability',
    budget: 'Budget left',
    answered: 'Answered',
    noAnswer: 'No answer',
    notWatched: 'Not watched',
    outages: 'Outages',
    cut: (shown: number, all: number) =>
      `${formatCount(shown)} of ${nodes(all)} shown. CSV and JSON contain all of them.`,
  },
  budget: (left: number, whole: number) =>
    left < 0
      ? `${formatAge(-left)} over the ${formatAge(whole)} budget`
      : `${formatAge(left)} of ${formatAge(whole)} left`,
  over: (ms: number) => `−${formatAge(ms)}`,
  share: (time: string, share: number) => `${time} (${formatPercent(share)})`,
  figures: {
    mean: (heading: string) => `${heading}, mean`,
    min: (heading: string) => `${heading}, lowest`,
    p95: (heading: string) => `${heading}, p95`,
    first: (heading: string) => `${heading}, start`,
    last: (heading: string) => `${heading}, end`,
    increase: (heading: string) => heading,
  } satisfies Record<ReportFigure, (heading: string) => string>,
  node: {
    maintenanceTime: 'Maintenance',
    belowTarget: 'below target',
    outages: 'Outages',
    noOutages: 'No outages while watched',
    outagesUnknown: 'Outages unknown: the node was not watched in this range',
    moreOutages: (shown: number, all: number) =>
      `The first ${formatCount(shown)} of ${formatCount(all)} outages`,
    start: (zone: string) => `Start (${zone})`,
    length: 'Length',
    cause: 'Cause',
    unknownCause: 'unknown',
    atLeast: (length: string) => `at least ${length}`,
    maintenance: 'Maintenance, excluded from every figure',
    reason: 'Reason',
    noReason: 'no reason given',
    moreWindows: (count: number) => `and ${formatCount(count)} more`,
  },
  link: 'Report',
  fileName: (from: string, to: string, ending: string) => `report_${from}_${to}.${ending}`,
} as const
