import { DAY_MS, MINUTE_MS } from '#base/time.ts'
import type { NodeKey } from '#fleet/live.ts'
import { PATHS } from '#react/routes.ts'
import { nodesIn, nodesText, withNodes } from './compare-address.ts'
import { SPAN_MAX_MS } from './time-view.ts'

/** The query of a report. Unix ms; `target` is a share of 1. */
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

/** A report on these nodes; of the last 30 days, where no time is named. */
export const reportPath = (nodes: readonly NodeKey[]): string =>
  `${PATHS.report}?${withNodes(new URLSearchParams(), nodes)}`

/** A percentage as a person writes it, as a share; undefined where it is none between 0 and 100. */
export function targetIn(text: string): number | undefined {
  const percent = Number(text.replace(',', '.'))
  return text.trim() !== '' && percent > 0 && percent < 100 ? percent / 100 : undefined
}

/** 0.999 as "99.9": a hundred times it as a double is 99.9 and a little. */
export const targetText = (target: number): string => String(Number((target * 100).toPrecision(12)))

/** From the address; what can't be read there is as if it were not there. */
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

/** The address of a report; its times are absolute, so that a link shows the same later. */
export function reportParams({ subject, fromMs, toMs, target, source }: ReportQuery): URLSearchParams {
  const params = new URLSearchParams()
  if (subject.kind === 'tag') params.set('tag', subject.tag)
  params.set('from', new Date(fromMs).toISOString())
  params.set('to', new Date(toMs).toISOString())
  params.set('target', targetText(target))
  params.set('source', source)
  return subject.kind === 'nodes' ? withNodes(params, subject.nodes) : params
}
