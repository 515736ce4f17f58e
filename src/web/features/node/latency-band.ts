import type { Band } from '#history/history.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { formatLatency } from '#texts/format.ts'
import type { BandLine } from '#ui/chart/chart-types.ts'

/** The middle of the answer times of each step, and the band up to the 95th of 100; broken where a step has none. */
export function latencyBandLine({ atMs, stepMs, p50, p95 }: Band): BandLine {
  const at: number[] = []
  const middle: number[] = []
  const upper: number[] = []
  const put = (pointMs: number, value: number, edge: number): void => {
    at.push(pointMs)
    middle.push(value)
    upper.push(edge)
  }
  for (const [step, start] of atMs.entries()) {
    const before = atMs[step - 1]
    if (before !== undefined && start - before > stepMs)
      put((before + stepMs + start) / 2, Number.NaN, Number.NaN)
    put(start + stepMs / 2, p50[step] ?? Number.NaN, p95[step] ?? Number.NaN)
  }
  return {
    kind: 'band',
    points: { atMs: Float64Array.from(at), value: Float64Array.from(middle) },
    upper: Float64Array.from(upper),
    formatBand: (p50Ms, p95Ms) => nodeHistoryTexts.lanes.spread(formatLatency(p50Ms), formatLatency(p95Ms)),
  }
}
