import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import type { NodeKey } from '#fleet/live.ts'
import { PATHS } from '#react/routes.ts'
import { nodesIn, nodesText, withNodes } from './compare-address.ts'
import { SPAN_MAX_MS } from './time-view.ts'

/** The query of a report. Times in Unix ms; `target` is a ratio. */
export type ReportQuery = {
  readonly subject:
    | { readonly kind: 'all' }
    | { readonly kind: 'tag'; readonly tag: string }
    | { readonly kind: 'nodes'; readonly nodes: readonly NodeKey[] }
  readonly fromMs: number
  readonly toMs: number
  readonly target: number
  readonly source: 'browser' | 'query-api'
}

const TARGET_DEFAULT = 0.999
const DAYS_DEFAULT = 30

/** The path of a report on these nodes; without times it covers the last 30 days. */
export const reportPath = (nodes: readonly NodeKey[]): string =>
  `${PATHS.report}?${withNodes(new URLSearchParams(), nodes)}`

/** Reads a percentage as a ratio; undefined unless it is above 0 and below 100. */
export function targetIn(text: string): number | undefined {
  const percent = Number(text.replace(',', '.'))
  return text.trim() !== '' && percent > 0 && percent < 100 ? percent / 100 : undefined
}

/** 0.999 as "99.9". Rounded, because 0.999 × 100 is not exactly 99.9. */
export const targetText = (target: number): string => String(Number((target * 100).toPrecision(12)))

/** Reads the query from the URL. Invalid parts count as missing. */
export function reportIn(
  params: URLSearchParams,
  nowMs: number,
  defaultSource: ReportQuery['source'],
): ReportQuery {
  const source = params.get('source')
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  const [fromMs, toMs] = [Date.parse(params.get('from') ?? ''), Date.parse(params.get('to') ?? '')]
  const isRange = toMs > fromMs && toMs - fromMs <= SPAN_MAX_MS
  const nodes = nodesIn(nodesText(params))
  const tag = params.get('tag')
  return {
    subject:
      nodes.length > 0 ? { kind: 'nodes', nodes } : tag === null ? { kind: 'all' } : { kind: 'tag', tag },
    fromMs: isRange ? fromMs : minuteMs - DAYS_DEFAULT * DAY_MS,
    toMs: isRange ? toMs : minuteMs,
    target: targetIn(params.get('target') ?? '') ?? TARGET_DEFAULT,
    source: source === 'browser' || source === 'query-api' ? source : defaultSource,
  }
}

/** The query as URL parameters. Times are absolute, so that a link shows the same report later. */
export function reportParams({ subject, fromMs, toMs, target, source }: ReportQuery): URLSearchParams {
  const params = new URLSearchParams()
  if (subject.kind === 'tag') params.set('tag', subject.tag)
  params.set('from', new Date(fromMs).toISOString())
  params.set('to', new Date(toMs).toISOString())
  params.set('target', targetText(target))
  params.set('source', source)
  return subject.kind === 'nodes' ? withNodes(params, subject.nodes) : params
}
