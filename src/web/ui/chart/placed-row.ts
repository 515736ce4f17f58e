import { chartable } from './chartable.ts'
import type { LimitLine, ScaledRow } from './chart-types.ts'
import { rowDomain } from './row-domain.ts'
import { niceTicks } from './nice-ticks.ts'
import type { ChartGeometry, Slot } from './use-chart-geometry.ts'

/** A limit's label beside the plot, with an arrow if the limit is out of view. */
export type LimitWord = { readonly limit: LimitLine; readonly y: number; readonly arrow: '' | ' ↑' | ' ↓' }

/** A row with its position and domain, and with that domain extended to the height of the whole drawing. */
export type PlacedRow = {
  readonly row: ScaledRow
  readonly slot: Slot
  readonly domain: readonly [number, number]
  /** The values at the row's lower and upper edge: the domain plus padding. */
  readonly edges: readonly [number, number]
  readonly axisDomain: readonly [number, number]
  readonly ticks: readonly number[]
  readonly words: readonly LimitWord[]
  /** Converts a value to CSS pixels, clamped to the row. */
  readonly y: (value: number) => number
}

/** Keeps lines and their caps away from the row's edges. */
const PADDING_PX = 8
const TICK_PX = 26
const WORD_PX = 13

export function placeRow(row: ScaledRow, geometry: ChartGeometry): readonly PlacedRow[] {
  const slot = geometry.slots[row.id]
  if (slot === undefined || slot.heightPx <= PADDING_PX * 2) return []
  const domain = rowDomain(row)
  const [low, high] = domain
  const perPx = (high - low) / (slot.heightPx - PADDING_PX * 2)
  const bottomPx = slot.topPx + slot.heightPx
  const y = (value: number) =>
    Math.min(bottomPx, Math.max(slot.topPx, bottomPx - PADDING_PX - (value - low) / perPx))
  const words = limitWords(row.limits ?? [], domain, slot, y)
  return [
    {
      row,
      slot,
      domain,
      edges: [low - PADDING_PX * perPx, high + PADDING_PX * perPx],
      axisDomain: [
        low - perPx * (geometry.heightPx - bottomPx + PADDING_PX),
        high + perPx * (slot.topPx + PADDING_PX),
      ],
      ticks: axisTicks(row, domain, slot).filter((tick) =>
        words.every((word) => Math.abs(word.y - y(tick)) >= WORD_PX),
      ),
      words,
      y,
    },
  ]
}

/** Ticks within the domain. Of ticks with the same text, only the first stays. */
function axisTicks(row: ScaledRow, domain: readonly [number, number], slot: Slot): readonly number[] {
  const wanted = Math.max(2, Math.floor(slot.heightPx / TICK_PX))
  const format = row.tickFormat ?? row.format
  const said = new Set<string>()
  return (row.ticks ?? niceTicks(domain, wanted, row.tickUnit)).filter((tick) => {
    const isInside = !Number.isNaN(chartable(tick)) && tick >= domain[0] && tick <= domain[1]
    const text = format(tick)
    if (!isInside || said.has(text)) return false
    said.add(text)
    return true
  })
}

/**
 * Limits in view, and the nearest limit out of view on each side that has none in view. Labels are pushed apart from above,
 * then back into the row.
 */
function limitWords(
  limits: readonly LimitLine[],
  [low, high]: readonly [number, number],
  slot: Slot,
  y: (value: number) => number,
): readonly LimitWord[] {
  const inView = limits.filter((limit) => limit.value >= low && limit.value <= high)
  const isLacking = (bad: LimitLine['bad']) => !inView.some((limit) => limit.bad === bad)
  const above = limits.filter((limit) => limit.value > high && limit.bad === 'above' && isLacking('above'))
  const below = limits.filter((limit) => limit.value < low && limit.bad === 'below' && isLacking('below'))
  const nearestAbove = above.toSorted((a, b) => a.value - b.value).slice(0, 1)
  const nearestBelow = below.toSorted((a, b) => b.value - a.value).slice(0, 1)
  const words = [
    ...nearestAbove.map((limit) => ({ limit, y: slot.topPx + PADDING_PX, arrow: ' ↑' as const })),
    ...inView.map((limit) => ({ limit, y: y(limit.value), arrow: '' as const })),
    ...nearestBelow.map((limit) => ({
      limit,
      y: slot.topPx + slot.heightPx - PADDING_PX,
      arrow: ' ↓' as const,
    })),
  ].toSorted((a, b) => a.y - b.y)
  let freeFrom = Number.NEGATIVE_INFINITY
  const apart = words.map((word) => {
    const at = Math.max(word.y, freeFrom)
    freeFrom = at + WORD_PX
    return { ...word, y: at }
  })
  let freeUpTo = slot.topPx + slot.heightPx - PADDING_PX
  return apart
    .toReversed()
    .map((word) => {
      const at = Math.min(word.y, freeUpTo)
      freeUpTo = at - WORD_PX
      return { ...word, y: at }
    })
    .toReversed()
}
