import { folded } from '#base/read-text.ts'
import type { Metric, MetricRegistry } from '#metrics/metric.ts'
import { CONDITIONS, metricCalled, OWN_FIELDS, STATES, termsIn, type FilterTerm } from './fleet-filter.ts'
import type { AssessedNode } from './live.ts'

export type FilterVocabulary = {
  readonly metrics: MetricRegistry
  readonly nodes: Iterable<AssessedNode>
  readonly services: readonly string[]
}

/** `text` replaces `[from, to)`. */
export type Completion = {
  readonly from: number
  readonly to: number
  readonly text: string
  /** Set for a metric's field; the page shows its name. */
  readonly metric?: Metric
}

const SHOWN_MAX = 8
/** More nodes add hardly any new words. */
const NODES_MAX = 5_000

/** Most likely first; at most eight. */
export function completionsAt(
  text: string,
  caret: number,
  vocabulary: FilterVocabulary,
): readonly Completion[] {
  const term = termsIn(text).find(({ from, to }) => from < caret && caret <= to)
  if (term === undefined) return []
  const found =
    term.operator === '' ? fieldsLike(term, vocabulary) : valuesLike(term, text, caret, vocabulary)
  return found.slice(0, SHOWN_MAX)
}

/** Suggests no field that the term already names. */
function fieldsLike(
  { from, to, text, isNot }: FilterTerm,
  { metrics }: FilterVocabulary,
): readonly Completion[] {
  const word = text.slice(isNot ? 1 : 0).toLowerCase()
  const start = from + (isNot ? 1 : 0)
  const fields: readonly { readonly name: string; readonly after: string; readonly metric?: Metric }[] = [
    ...OWN_FIELDS.map((name) => ({ name, after: ':' })),
    ...metrics.map((metric) => ({ name: metric.alias ?? metric.id, after: operatorOf(metric), metric })),
    ...STATES.map((name) => ({ name, after: '' })),
  ]
  return fields
    .filter(({ name }) => name.toLowerCase().startsWith(word))
    .map(({ name, after, metric }) => ({ from: start, to, text: name + after, ...(metric && { metric }) }))
    .filter((completion) => completion.text !== text.slice(isNot ? 1 : 0))
}

function operatorOf({ kind, sides }: Metric): string {
  if (kind === 'state' || kind === 'fingerprint') return ':'
  const isBadWhenHigh = kind === 'timestamp' || sides?.every((side) => side === 'above') === true
  return isBadWhenHigh ? '>' : '<'
}

/** Words of nodes, services and states that match the text after the last comma before the caret. */
function valuesLike(
  { from, field, operator, isNot }: FilterTerm,
  text: string,
  caret: number,
  vocabulary: FilterVocabulary,
): readonly Completion[] {
  const valueFrom = from + (isNot ? 1 : 0) + field.length + operator.length
  if (caret < valueFrom) return []
  const typed = text.slice(valueFrom, caret)
  const start = valueFrom + typed.lastIndexOf(',') + 1
  const word = folded(text.slice(start, caret).replaceAll('"', ''))
  const end = text.slice(caret).search(/[\s,]|$/)
  return wordsOf(field, vocabulary)
    .filter((each) => folded(each).includes(word) && folded(each) !== word)
    .toSorted((a, b) => Number(!folded(a).startsWith(word)) - Number(!folded(b).startsWith(word)))
    .map((each) => ({ from: start, to: caret + end, text: quoted(each) }))
}

const quoted = (value: string): string => (/[\s,]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

function wordsOf(field: string, { metrics, nodes, services }: FilterVocabulary): readonly string[] {
  if (field === 'condition') return CONDITIONS
  if (field === 'is') return STATES
  if (field === 'service') return services
  const metric = metricCalled(field, metrics)
  const isWord = metric?.kind === 'state' || field === 'tag' || field === 'name'
  if (!isWord) return []
  const words = new Set<string>()
  let seen = 0
  for (const { tags, name, assessment } of nodes) {
    if (++seen > NODES_MAX) break
    if (field === 'tag') for (const tag of tags) words.add(tag)
    else if (field === 'name') words.add(name ?? '')
    else if (metric !== undefined) words.add(assessment.values[metric.id]?.text ?? '')
  }
  return Array.from(words).toSorted()
}
