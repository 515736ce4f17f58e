import { toVisibleText } from '#base/visible-text.ts'
import { offsetMs, offsetUncertaintyMs, type ClockOffset } from '#record/clock-offset.ts'
import { redact } from '#protocol/redact.ts'
import type { Exchange } from '#monitor/exchange.ts'
import { counted } from './format.ts'
import { formatOffset, formatUncertainty } from './format-clock.ts'
import { VERSION } from './version.ts'

/** Content of a report for a service's owner. Contains no secrets; secrets that an answer repeats are removed. */
export type Report = {
  readonly madeWallMs: number
  readonly title: string
  readonly code: string
  /** The likely cause or the failure's meaning, followed by its evidence. */
  readonly meaning: string
  readonly evidence: readonly string[]
  readonly service: string
  readonly baseUrl: string
  readonly via: 'proxy' | 'direct'
  readonly pageOrigin: string
  /** Ids as requested; undefined for the default node. */
  readonly nodes: readonly (string | undefined)[]
  readonly sinceWallMs?: number | undefined
  readonly misses?: number
  readonly offset: ClockOffset | undefined
  /** Set if the offset was not derived from the answers' Date header. */
  readonly offsetBy?: 'heartbeats' | undefined
  readonly profile: string
  readonly publicKey?: string | undefined
  readonly fingerprint?: string | undefined
  readonly exchange?: Exchange | undefined
}

const NODES_NAMED_MAX = 5
const BODY_CHARS_MAX = 1_000
const LINE_CHARS_MAX = 400

/** Plain text, one fact per line, times in UTC. Contains neither a key nor a signature. */
export function reportText(report: Report): string {
  const { exchange, publicKey, nodes } = report
  const sent = Object.values(exchange?.requestHeaders ?? {})
  const known = [publicKey, ...nodes].filter((one) => one !== undefined)
  const lines: readonly (readonly [string, string] | string | false | undefined)[] = [
    `Report on a node status service, ${utc(report.madeWallMs)}`,
    `made by immune-node-dashboard ${VERSION}`,
    '',
    ['Problem', `${report.title} (${report.code})`],
    report.sinceWallMs !== undefined && [
      'Since',
      `${utc(report.sinceWallMs)}${report.misses === undefined ? '' : `, ${counted(report.misses, 'failed poll')}`}`,
    ],
    ['Service', `${report.service}, ${report.baseUrl}`],
    ['Polled', report.via === 'proxy' ? 'by the dashboard server' : `by a page at ${report.pageOrigin}`],
    ['Nodes', nodesText(nodes)],
    ['Signing profile', report.profile],
    publicKey !== undefined && ['Public key', publicKey],
    report.fingerprint !== undefined && ['Fingerprint', report.fingerprint],
    ['Clock', clockText(report)],
    '',
    ...(exchange === undefined ? [] : exchangeLines(exchange, report.baseUrl)),
    ['Likely cause', report.meaning],
    ...report.evidence.map((item) => `- ${item}`),
    '',
    'This report contains no private key and no signature.',
  ]
  return lines
    .filter((line) => line !== false && line !== undefined)
    .map((line) => redact(lineText(line), sent, known))
    .join('\n')
}

/** A single line with hidden characters shown by name. */
function lineText(line: readonly [string, string] | string): string {
  const text = typeof line === 'string' ? line : `${line[0]}: ${line[1]}`
  // A cut body already says so.
  return toVisibleText(
    text.replaceAll('\u00a0', ' '),
    text.startsWith('Body: ') ? BODY_CHARS_MAX : LINE_CHARS_MAX,
    'as-written',
  )
}

function exchangeLines(
  exchange: Exchange,
  baseUrl: string,
): readonly (readonly [string, string] | string | false)[] {
  const { startedWallMs, url, status, contentType, date, body } = exchange
  const query = new URL(url).search
  return [
    ['Last request', `${utc(startedWallMs)}, GET ${baseUrl}/node/status${query}`],
    ['Headers sent', Object.keys(exchange.requestHeaders).join(', ')],
    [
      'Answer',
      status === undefined ? 'none that could be read' : `${status}, ${contentType ?? 'no content type'}`,
    ],
    date !== undefined && ['Date of the answer', date],
    body !== '' && ['Body', body.slice(0, 2 * BODY_CHARS_MAX).replace(/\s+/g, ' ')],
    '',
  ]
}

function nodesText(nodes: Report['nodes']): string {
  const named = nodes.slice(0, NODES_NAMED_MAX).map((id) => id ?? 'the default node')
  const more = nodes.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function clockText({ offset, offsetBy }: Report): string {
  if (offset === undefined) return 'the service’s time can’t be read'
  return `offset ${formatOffset(offsetMs(offset))} ± ${formatUncertainty(offsetUncertaintyMs(offset))} (service minus this computer)${offsetBy === 'heartbeats' ? ', judging by the heartbeats of the service’s nodes' : ''}`
}

const utc = (wallMs: number): string =>
  Math.abs(wallMs) <= 8.64e15 ? `${new Date(wallMs).toISOString().replace('T', ' ').slice(0, 19)} UTC` : '–'
