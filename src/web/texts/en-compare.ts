import { counted, formatCount } from './format.ts'

export const compareTexts = {
  title: 'Compare nodes',
  crumb: 'Nodes',
  loading: 'Loading',
  none: {
    title: 'No nodes to compare',
    text: 'Add two to six nodes here, or select them in the table of nodes.',
    toList: 'Select nodes',
  },
  onlyOne: 'Add a second node to compare.',
  cut: (shown: number, all: number) =>
    `Only the first ${formatCount(shown)} of ${formatCount(all)} nodes in this URL are compared.`,
  add: {
    label: 'Add a node',
    placeholder: 'Add a node: name or id',
    suggestions: 'Watched nodes',
    noMatch: 'No other watched node matches.',
    full: (most: number) => `At most ${formatCount(most)} nodes`,
  },
  remove: (node: string) => `Remove ${node} from the comparison`,
  notWatched: 'not watched',
  table: {
    title: 'Now',
    caption: 'Current values side by side',
    corner: 'Value',
    condition: 'Condition',
    answer: 'Last answer',
    difference: 'Difference',
    same: 'same',
    differs: 'differs',
    units: 'different units',
    tooFew: 'unknown',
    /** For percentages: 0.5 % and 0.7 % are 0.2 percentage points apart. */
    points: (points: string) => `${points} percentage points`,
    /** Used if some nodes have no value. */
    of: (difference: string, known: number, all: number) =>
      `${difference} (${formatCount(known)} of ${formatCount(all)} nodes)`,
  },
  chart: {
    label: (nodes: number, range: string) => `History of ${counted(nodes, 'node')}, ${range}`,
    node: 'Node',
    health: 'Health, % of watched time',
    changes: (what: string) => `${what}, changes`,
    noHistory: 'no history',
    reading: 'reading',
    failed: 'can’t be read',
    units: 'different units',
    markOf: (node: string, what: string) => `${node}: ${what}`,
  },
} as const
