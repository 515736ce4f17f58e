import { DAY_MS } from '#base/time.ts'
/** One figure of the network over time; a NaN breaks the line. */
export type NetworkLine = {
  /** The metric's id. */
  readonly id: string
  readonly atMs: Float64Array
  readonly value: Float64Array
  /** Over how many nodes the points were computed: the fewest, and the most, */
  readonly nodes: readonly [least: number, most: number]
  /** of at most so many that were watched. */
  readonly of: number
  /** Up to then a query API kept it, and not this browser, Unix ms. */
  readonly longTermUntilMs?: number
}

/** How long it is kept. */
export const NETWORK_MS = DAY_MS

/** What was said of all nodes together in the last 24 hours, as this browser's engine recorded it. */
export type NetworkSeries = {
  /** Unix ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly lines: readonly NetworkLine[]
}

/** Beyond this share of them a sum over so many nodes is another sum, and its line breaks. */
const SAME_NODES = 0.01

/** Whether two points, each over so many nodes at least and at most, may be of the same nodes. */
export const isSameCount = (one: NetworkLine['nodes'], other: NetworkLine['nodes']): boolean =>
  one[0] <= other[1] * (1 + SAME_NODES) && other[0] <= one[1] * (1 + SAME_NODES)
