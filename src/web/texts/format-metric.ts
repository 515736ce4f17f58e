import { splitCut } from '#base/visible-text.ts'
import type { ShownValue } from '#fleet/assessment.ts'
import type { Metric } from '#metrics/metric.ts'
import type { EffectiveSettings } from '#settings/effective.ts'
import {
  ageParts,
  exactParts,
  formatAge,
  formatCompact,
  formatExact,
  formatLatency,
  formatPercent,
  joined,
  latencyParts,
  percentParts,
} from './format.ts'

/** Both ends of a proof: "0x9c41…77ab". For a cut proof, its beginning and its length; it may have a thousand digits. */
export function shortProof(proof: string): string {
  const { shown, mark } = splitCut(proof)
  if (mark !== '') return shown.slice(0, 6) + mark
  return proof.length <= 14 ? proof : `${proof.slice(0, 6)}…${proof.slice(-4)}`
}

/** A metric's value in full, formatted by kind and unit, never by name. */
export function formatValue(metric: Metric, value: ShownValue, settings?: EffectiveSettings): string {
  const { kind, unit } = metric
  if (kind === 'fingerprint') return shortProof(value.text)
  if (value.value === undefined) return value.text
  if (unit === 'ratio') return formatPercent(value.value)
  if (unit === 'ms') return kind === 'timestamp' ? formatAge(value.value) : formatLatency(value.value)
  const symbol = unit === 'amount' ? (settings?.stakeSymbol.value ?? '') : ''
  return joined(' ', [formatExact(value.text), symbol])
}

export type ValuePart = { readonly text: string; readonly as?: 'unit' }

/** Maximum length beside a chart; the record always shows the exact amount. */
const CHARS_MAX = 14

/** The value for large type. `compact` gives "1.25 M"; otherwise in full if it fits. */
export function valueParts(
  metric: Metric,
  value: ShownValue,
  settings: EffectiveSettings,
  compact = false,
): readonly ValuePart[] {
  if (value.value === undefined) return [{ text: formatValue(metric, value, settings) }]
  if (metric.unit === 'ratio') {
    const { whole, fraction } = percentParts(value.value)
    return [{ text: whole }, asUnit(`${fraction}\u00a0%`)]
  }
  if (metric.unit === 'ms') {
    const parts = metric.kind === 'timestamp' ? ageParts(value.value) : [latencyParts(value.value)]
    return parts.flatMap(({ figure, unit }) => [{ text: figure }, asUnit(unit)])
  }
  const { whole, fraction } = exactParts(value.text)
  const fits = whole.length + fraction.length <= CHARS_MAX && !compact
  const [figure = '', letter = ''] = fits ? [whole] : formatCompact(value.value).split('\u00a0')
  const symbol = metric.unit === 'amount' ? settings.stakeSymbol.value : ''
  const units = joined(' ', [fits ? fraction : letter, symbol])
  const isFraction = fits && fraction !== ''
  return [{ text: figure }, ...(units === '' ? [] : [asUnit(`${isFraction ? '' : ' '}${units}`)])]
}

const asUnit = (text: string): ValuePart => ({ text, as: 'unit' })

export const nameOf = ({ heading, check }: Pick<Metric, 'heading' | 'check'>): string =>
  check?.heading ?? heading
