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
}

/** What was said of all nodes together in the last 24 hours, as this browser's engine recorded it. */
export type NetworkSeries = {
  /** Unix ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly lines: readonly NetworkLine[]
}
