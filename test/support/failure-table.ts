import { METRICS } from '#metrics/metrics.ts'
import { CONDITIONS, conditionOf, failureSteps } from '#evaluate/conditions.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { Cause } from '#fleet/cause.ts'
import { contextOf } from '#features/shell/cause-context.ts'
import { FAILURES, failureCode } from '#protocol/failure.ts'
import { PROXY_FAILURES, type ProxyFailure } from '#protocol/transport.ts'
import type { SignFailure } from '#signing/signer.ts'
import { BASE, keyOf, nodes, record, service, watch, type Answer } from '#test/core/monitor/watch.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { causeWords } from '#texts/en-causes.ts'

type Via = 'proxy' | 'direct'
type Case = {
  readonly what: string
  readonly via?: Via
  readonly answer?: Answer
  readonly sign?: SignFailure
  readonly isOffline?: true
}

const OLD_DATE = 'Mon, 01 Jun 2026 00:00:00 GMT'

const CASES: readonly Case[] = [
  { what: 'answers 400', answer: { status: 400 } },
  { what: 'answers 400 with a web page', answer: { status: 400, body: '<html><title>nginx</title>' } },
  { what: 'answers 401', answer: { status: 401 } },
  { what: 'answers 403', answer: { status: 403 } },
  { what: 'answers 404', answer: { status: 404 } },
  { what: 'answers 404 with a web page', answer: { status: 404, body: '<html><title>nginx</title>' } },
  { what: 'answers 429 without saying how long to wait', answer: { status: 429 } },
  { what: 'answers 429 and asks the client to wait 100 s', answer: { status: 429, retryAfter: '100' } },
  { what: 'answers 500', answer: { status: 500 } },
  { what: 'answers 503 and asks the client to wait an hour', answer: { status: 503, retryAfter: '3600' } },
  { what: 'answers 418', answer: { status: 418 } },
  { what: 'redirects', answer: { fails: 'redirected' } },
  { what: 'never answers', answer: 'hang' },
  { what: 'ends its answer early', answer: { fails: 'cut-off' } },
  { what: 'answers with an empty body', answer: { body: '' } },
  { what: 'answers with a web page', answer: { body: '<html><title>Sign in</title>' } },
  { what: 'answers with invalid JSON', answer: { body: 'ok' } },
  { what: 'answers with a list', answer: { body: '[]' } },
  { what: 'answers with unknown members', answer: { body: '{"up":true}' } },
  { what: 'answers with a body that is too large', answer: { fails: 'too-large' } },
  { what: 'answers about another node', answer: { body: record('0x00ff') } },
  { what: 'can’t be reached', via: 'direct', answer: { fails: 'unreachable' } },
  ...PROXY_FAILURES.filter((name) => !['timeout', 'cut-off', 'too-large', 'view-only'].includes(name)).map(
    (name: ProxyFailure): Case => ({
      what: `the dashboard server reports \`${name}\``,
      via: 'proxy',
      answer: { status: 502, proxyFailure: name },
    }),
  ),
  { what: 'the dashboard server does not answer', via: 'proxy', answer: { fails: 'unreachable' } },
  { what: 'a cache repeats an old answer', answer: { date: OLD_DATE } },
  { what: 'the browser is offline', answer: { fails: 'unreachable' }, isOffline: true },
  ...(['no-key', 'no-token', 'key-locked', 'chain-key', 'key-not-allowed', 'no-answer'] as const).map(
    (sign): Case => ({ what: `the signer reports \`${sign}\``, sign }),
  ),
]

const NODES = 5
const WHO = [
  ['one', 1],
  ['some', 2],
  ['all', NODES],
] as const
const INTERVAL_MS = 15_000
const LASTS_MS = 300_000

/** When it begins: after a minute of good answers, with the first poll, or 30 s after another service fails. */
type When = 'after good answers' | 'first poll' | 'another outage'

const OTHER = 'https://other.example'
const OTHER_NODES = 2
const GOOD_MS = 62_000
const OTHER_FAILS_MS = 32_000
/** How long the secondary rows run, which need only the messages; the main rows run until polls become rare. */
const SAID_MS = 60_000

const DOWN: Readonly<Record<Via, Answer>> = {
  direct: { fails: 'unreachable' },
  proxy: { status: 502, proxyFailure: 'no-route' },
}

/** Simulates a service with five nodes, polled every 15 s, of which `failing` fail from the given moment on. */
async function played({ answer, sign, isOffline }: Case, via: Via, failing: number, when: When) {
  const isWithOther = when === 'another outage'
  const isFailing = (node: string): boolean => Number(node) <= failing
  const isOther = (host: string): boolean => host === new URL(OTHER).host
  let isBegun = when === 'first poll'
  let isOtherDown = false
  const screen = watch(
    {
      services: [BASE, ...(isWithOther ? [OTHER] : [])].map((baseUrl) =>
        service({ baseUrl, via, pollIntervalMs: INTERVAL_MS }),
      ),
      nodes: [...nodes(NODES), ...(isWithOther ? nodes(OTHER_NODES, OTHER) : [])],
    },
    {
      answer: ({ node, url, host }) => {
        if (isOther(host) || url.includes('other.example')) return isOtherDown ? DOWN[via] : {}
        return isBegun && answer !== undefined && isFailing(node) ? answer : { body: record(node) }
      },
      sign: () => (isBegun ? sign : undefined),
    },
  )
  const { monitor, clock } = screen
  if (!isBegun) await clock.advance(OTHER_FAILS_MS)
  isOtherDown = isWithOther
  if (!isBegun) await clock.advance(GOOD_MS - OTHER_FAILS_MS)
  isBegun = true
  if (isOffline) monitor.setOffline(true)
  const beganMs = screen.sinceStartMs()
  let [saidMs, oldMs] = [Number.NaN, Number.NaN]
  let cause: Cause | undefined
  const isMain = when === 'after good answers'
  const lastsMs = isMain ? LASTS_MS : SAID_MS
  for (let passedMs = 0; passedMs < lastsMs;) {
    // Once both moments are known, only the final messages matter.
    const isKnown = !Number.isNaN(saidMs) && !(isMain && Number.isNaN(oldMs))
    const stepMs = isKnown ? lastsMs - passedMs : 1_000
    await clock.advance(stepMs)
    passedMs += stepMs
    const of = monitor
      .snapshot()
      .causes.find(({ nodes: keys, evidence }) => keys.includes(keyOf(0)) && evidence.kind in OF_FAILURE)
    if (of !== undefined && Number.isNaN(saidMs)) saidMs = passedMs
    cause = of ?? cause
    const isOld = !isCurrentAt(screen.node(0), monitor.nowMs())
    if (isOld && Number.isNaN(oldMs)) oldMs = passedMs
  }
  const snapshot = monitor.snapshot()
  const others = Array.from({ length: NODES - failing }, (_, index) => screen.node(failing + index))
  const areOthersLive = others.every((node) => isCurrentAt(node, monitor.nowMs()))
  monitor.dispose()
  if (cause === undefined) return undefined
  const context = contextOf(cause, snapshot, 'https://dashboard.example', 'local')
  const words = causeWords(cause, context)
  const asked = screen.seen.filter(({ atMs, node }) => atMs >= beganMs && isFailing(node))
  return { screen, beganMs, cause, words, saidMs, oldMs, areOthersLive, asked }
}

const OF_FAILURE = { failure: true, 'no-network': true, portal: true }

type Row = { readonly code: string; cells: readonly string[] }

async function rowOf(given: Case, via: Via, failing: number): Promise<Row | undefined> {
  const main = await played(given, via, failing, 'after good answers')
  if (main?.cause.evidence.kind !== 'failure') return undefined
  const { screen, beganMs, cause, words, saidMs, oldMs, areOthersLive, asked } = main
  const { failure } = main.cause.evidence
  const elsewhere = async (when: When): Promise<string> => {
    const other = await played(given, via, failing, when)
    if (other === undefined) return 'no message'
    const isSame = other.words.title === words.title && blamed(other.cause) === blamed(cause)
    const what = isSame ? '' : `${other.words.title} (${blamed(other.cause)}; ${alarms(other.cause)}) `
    return `${what}after ${seconds(other.saidMs)}`
  }
  return {
    code: failureCode(failure),
    cells: [
      words.title,
      words.next,
      blamed(cause),
      seconds(saidMs),
      Number.isNaN(oldMs) ? 'never' : `${seconds(oldMs)}${areOthersLive ? '' : ', the others too'}`,
      asked.length > 1 ? again(screen.timesOf(0).filter((atMs) => atMs >= beganMs)) : 'not scheduled',
      longest(asked.map(({ atMs }) => atMs)),
      alarms(cause),
      await elsewhere('first poll'),
      await elsewhere('another outage'),
    ],
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`

/** Failure details by which the dashboard's own server reports on itself. */
const OF_SERVER: readonly (string | undefined)[] = [
  'limited',
  'not-signed',
  'not-allowed',
  'blocked',
  'no-tunnel',
]

function blamed({ scope, evidence }: Cause): string {
  if (evidence.kind !== 'failure') return 'the network'
  const { failure } = evidence
  const { scope: of, again: when } = FAILURES[failure.kind]
  const isOfServer = 'detail' in failure && OF_SERVER.includes(failure.detail)
  if (isOfServer || ('hop' in failure && failure.hop === 'proxy')) return 'the dashboard server'
  if (scope === 'screen' || when === 'wait') return 'this screen'
  if (scope === 'node' && !('siblings' in evidence && evidence.siblings === 'same')) return 'these nodes'
  return of === 'key' ? 'the key' : 'the service'
}

const gapsOf = (times: readonly number[]): readonly number[] =>
  times.slice(1).map((atMs, place) => atMs - (times[place] ?? 0))

function again(times: readonly number[]): string {
  const gaps = gapsOf(times)
  if (gaps.length === 0) return 'only others polled'
  return gaps.every((ms) => Math.abs(ms - (gaps[0] ?? 0)) < 1_000)
    ? `every ${seconds(gaps[0] ?? 0)}`
    : `after ${seconds(gaps[0] ?? 0)}, later up to ${seconds(Math.max(...gaps))}`
}

/** The longest pause between two polls of any of the failing nodes. */
const longest = (times: readonly number[]): string =>
  times.length < 2 ? 'not scheduled' : `within ${seconds(Math.max(...gapsOf(times)))}`

function alarms({ evidence }: Cause): string {
  if (evidence.kind !== 'failure') return `${alarmName('network', METRICS)}: ${CONDITIONS.network.severity}`
  const { kind } = evidence.failure
  const steps = failureSteps(kind).filter(({ severity }) => severity !== 'none')
  const named = steps.map(({ severity, polls, afterMs }) =>
    afterMs > 0
      ? `${severity} after ${seconds(afterMs)}`
      : `${severity} after ${polls} failed ${polls === 1 ? 'poll' : 'polls'}`,
  )
  return named.length === 0 ? 'none' : `${alarmName(conditionOf(kind), METRICS)}: ${named.join(', ')}`
}

const HEAD = [
  'polled by',
  'nodes',
  'title',
  'what to do',
  'attributed to',
  'shown after',
  'old after',
  'node polled',
  'any polled',
  'alarm',
  'at the first poll',
  'during another outage',
]

/** What the screen shows for each failure, as Markdown, in the order of the codes. */
export async function failureTables(): Promise<string> {
  const sections: { code: string; text: string }[] = []
  for (const given of CASES) {
    const rows: Row[] = []
    // A problem of this screen stops its polls of every service.
    const isOfScreen = given.isOffline === true || given.sign !== undefined
    for (const [who, failing] of isOfScreen ? WHO.slice(-1) : WHO)
      for (const via of given.via === undefined ? (['proxy', 'direct'] as const) : [given.via]) {
        const row = await rowOf(given, via, failing)
        if (row === undefined) continue
        const same = rows.find(({ cells }) => cells[1] === who && cells.slice(2).join() === row.cells.join())
        if (same === undefined) rows.push({ code: row.code, cells: [via, who, ...row.cells] })
        else same.cells = ['either', ...same.cells.slice(1)]
      }
    const [first] = rows
    if (first === undefined) continue
    const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(({ cells }) => cells)]
    const table = lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    sections.push({ code: first.code, text: `## \`${first.code}\`: ${given.what}\n\n${table.join('\n')}` })
  }
  return sections
    .toSorted((a, b) => a.code.localeCompare(b.code))
    .map(({ text }) => text)
    .join('\n\n')
}
