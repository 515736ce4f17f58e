import { toVisibleText } from '#base/visible-text.ts'
import { counted, formatCount, joined } from './format.ts'

/** Texts of the fleet page that the first rows do not need, loaded later. */
export const fleetToolTexts = {
  selection: {
    label: 'Selected nodes',
    count: (count: number) => `${formatCount(count)} selected`,
    compare: 'Compare',
    compareTooFew: 'Select a second node to compare',
    compareTooMany: (most: number) => `At most ${formatCount(most)} nodes can be compared`,
    addTag: 'Add tag',
    removeTag: 'Remove tag',
    tag: 'Tag',
    tagged: (tag: string, isAdded: boolean, nodes: number) =>
      `Tag ${toVisibleText(tag)} ${isAdded ? 'added to' : 'removed from'} ${counted(nodes, 'node')}`,
    setInterval: 'Set interval',
    interval: 'Poll interval (seconds)',
    intervalHint: 'Empty: the service’s interval.',
    intervalSet: (span: string | undefined, nodes: number) =>
      `${counted(nodes, 'node')} polled ${span === undefined ? 'at the service’s interval' : `every ${span}`}`,
    shelve: (alarms: number) => (alarms === 0 ? 'Shelve alarms' : `Shelve ${counted(alarms, 'alarm')}`),
    remove: (nodes: number) => (nodes === 0 ? 'Remove' : `Remove ${counted(nodes, 'node')}`),
    removed: (nodes: number) => `${counted(nodes, 'node')} removed`,
    configured: (nodes: number) =>
      `${counted(nodes, 'node')} ${nodes === 1 ? 'is' : 'are'} in the server configuration and can’t be changed here`,
    clear: 'Clear selection',
    cancel: 'Cancel',
  },
  trend: {
    range: (heading: string, low: string, high: string) => `${heading}, last 24 h: ${low} to ${high}`,
    total: (heading: string, count: string) => `${heading}, last 24 h: ${count}`,
    answered: (share: string) => `Last 24 h: answered for ${share} of watched time`,
    notWatched: 'Last 24 h: not watched',
    limits: (heading: string) => `${heading} against its limits`,
  },
  heading: {
    attention: 'Needs attention',
    attentionNote: (nodes: number) => `${counted(nodes, 'node')}, worst first. Always shown first.`,
    more: (nodes: number) => `Show ${formatCount(nodes)} more`,
    moreNote: (counts: Readonly<Record<'critical' | 'warning' | 'no-data' | 'info', number>>) =>
      joined(', ', [
        counts.critical > 0 && `${formatCount(counts.critical)} critical`,
        counts.warning > 0 && `${formatCount(counts.warning)} warning`,
        counts['no-data'] > 0 && `${formatCount(counts['no-data'])} no data`,
        counts.info > 0 && `${formatCount(counts.info)} info`,
      ]),
    rest: 'Within limits',
    restAwaited: 'Within limits, or waiting for the first answer',
    none: 'None',
    nodes: (nodes: number) => counted(nodes, 'node'),
    current: (nodes: number) => `${formatCount(nodes)} with current values`,
  },
  sort: {
    label: 'Sort nodes',
    byName: 'Sort: name',
    by: (heading: string, descending: boolean, isText: boolean) => {
      if (isText) return `${heading}, ${descending ? 'Z to A' : 'A to Z'}`
      return `${heading}, ${descending ? 'highest first' : 'lowest first'}`
    },
  },
  layout: { label: 'Layout', table: 'Table', grid: 'Grid' },
  group: {
    label: 'Group nodes',
    none: 'Not grouped',
    by: (what: string) => `Group: ${what}`,
    tag: 'first tag',
    service: 'service',
  },
  views: {
    button: 'Views',
    named: (name: string): string => `View: ${name}`,
  },
  choose: {
    button: 'Columns',
    title: 'Columns',
    close: 'Done',
    usual: 'Reset columns',
    density: 'Row height',
    densities: { normal: 'Normal rows', compact: 'Compact rows' },
    automatic: 'Automatic width',
    /** The table's font has about two characters to a rem. */
    rem: (rem: number) => `about ${2 * rem} characters wide`,
    width: (heading: string) => `Width of ${heading}`,
    up: (heading: string) => `Move ${heading} left`,
    down: (heading: string) => `Move ${heading} right`,
  },
  /** On a phone these unfold. */
  more: (shown: string): string => `Filter and arrange: ${shown.toLowerCase()}`,
  filter: {
    legend: 'Show',
    all: 'All',
    critical: 'Critical',
    warning: 'Warning',
    info: 'Info',
    'no-data': 'No data',
    shelved: 'Shelved',
    ok: 'Within limits',
  },
  empty: {
    title: 'No nodes yet',
    text: 'Watched nodes appear here, worst first.',
  },
  noMatch: {
    critical: 'No critical nodes',
    warning: 'No nodes with a warning',
    info: 'No nodes with info severity',
    'no-data': 'No nodes without data',
    shelved: 'No shelved nodes',
    ok: 'No nodes within limits',
  },
  showAll: 'Show all nodes',
  noneFound: 'No nodes match this filter',
  noneTagged: (tag: string) => `No matching nodes with tag ${tag}`,
} as const
