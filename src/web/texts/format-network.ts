import type { NetworkFigure } from '#fleet/network-metrics.ts'
import { formatCompact, formatExact, formatPercent, joined } from './format.ts'

export const networkNumber = ({ kind }: NetworkFigure, value: number): string =>
  kind === 'total' || kind === 'rate' ? formatCompact(value) : formatPercent(value)

/** A network figure as text; undefined if unknown. `isShort` uses few digits. */
export function networkText(figure: NetworkFigure, isShort = false): string | undefined {
  if (figure.kind === 'ages') {
    const [fresh = 0] = figure.counts
    const { nodes, of } = figure.coverage
    return nodes === 0 ? undefined : formatPercent(fresh / of)
  }
  if (figure.value === undefined) return undefined
  if (figure.kind !== 'total') return networkNumber(figure, figure.value)
  const amount =
    isShort && figure.value.value !== undefined
      ? formatCompact(figure.value.value)
      : formatExact(figure.value.text)
  return joined(' ', [amount, figure.symbol])
}

/** The figure from the last answers, if none is current. */
export const lastNetworkText = (figure: NetworkFigure): string | undefined => {
  if (figure.kind === 'total') return networkText({ ...figure, value: figure.last })
  return figure.kind === 'rate' ? networkText({ ...figure, value: figure.last }) : undefined
}
