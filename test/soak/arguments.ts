import { DAY_MS, HOUR_MS, pollsIn, type SoakOptions } from './soak.ts'
import type { Gate } from './judge.ts'
import type { Leak } from './time-control.ts'

/** A named soak. With a planted leak it must fail one of that leak's gates. */
export type Run = { readonly name: string; readonly options: SoakOptions }

export type Arguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly words: string }
  | {
      readonly kind: 'run'
      readonly runs: readonly Run[]
      readonly report: string | undefined
      /** Write the figures into docs/soak.md. */
      readonly isRecorded: boolean
    }

/** At this interval a week of 50 nodes is a million requests. */
const INTERVAL_MS = 30_000
/** A long interval, so that days of operation fit into the time limit of continuous integration. */
const SELDOM_MS = 120_000
const NODE: SoakOptions = {
  nodes: 1,
  polls: pollsIn(7 * DAY_MS, INTERVAL_MS),
  intervalMs: INTERVAL_MS,
  view: 'node',
  churn: false,
}
const HARD: SoakOptions = { ...NODE, polls: pollsIn(2 * DAY_MS, INTERVAL_MS), churn: true }

/** The gates of which each planted leak must fail one. */
export const CAUGHT_BY: Readonly<Record<Leak, readonly RegExp[]>> = {
  listener: [/^engine: growth of listeners/],
  timer: [/^engine: growth of timers/],
  map: [/^engine: heap/],
  node: [/^DOM nodes/],
  // The server ends hung requests after a while, so the leak need not be visible at the end.
  deadline: [/inFlight at rest$/, /^requests at once/],
}

/** Few polls are enough, because only passing a gate needs a long soak; failing one does not. */
const PROOF_POLLS = 1_250

/** Leaks that show in counts can share a soak. A leak that only the heap shows needs one without other growth. */
const PROOFS = {
  'prove-counts': [
    {
      name: 'planted leaks: listeners, timers and elements',
      options: { ...NODE, polls: PROOF_POLLS, leaks: ['listener', 'timer', 'node'] },
    },
  ],
  'prove-heap': [{ name: 'planted leak: a map', options: { ...NODE, polls: PROOF_POLLS, leaks: ['map'] } }],
  'prove-deadline': [
    {
      name: 'planted leak: no deadline',
      options: { ...NODE, polls: PROOF_POLLS, churn: true, leaks: ['deadline'] },
    },
  ],
} as const satisfies Readonly<Record<string, readonly Run[]>>

const PLANS: Readonly<Record<string, readonly Run[]>> = {
  /** Fits into continuous integration, with little more than the minimum number of polls for a verdict. */
  days: [
    {
      name: '3 days, 1 node, every 120 s',
      options: { ...NODE, polls: pollsIn(3 * DAY_MS, SELDOM_MS), intervalMs: SELDOM_MS },
    },
  ],
  day: [{ name: '1 day, 1 node', options: { ...NODE, polls: pollsIn(DAY_MS, INTERVAL_MS) } }],
  week: [{ name: '7 days, 1 node', options: NODE }],
  churn: [{ name: '2 days, 1 node, with faults', options: HARD }],
  fleet: [
    {
      name: '1 hour, 1,000 nodes',
      options: { ...NODE, nodes: 1_000, polls: pollsIn(HOUR_MS, INTERVAL_MS), view: 'fleet' },
    },
  ],
  wall: [
    {
      name: '1 day, 12 nodes, wall',
      options: { ...NODE, nodes: 12, polls: pollsIn(DAY_MS, INTERVAL_MS), view: 'wall' },
    },
  ],
  ...PROOFS,
  prove: Object.values(PROOFS).flat(),
}

export const USAGE = [
  'npm run test:soak                          simulates a week of one node, and two days with faults, in minutes',
  'npm run test:soak -- --plan fleet          plans: days, day, week, churn, fleet, wall, prove; prove plants leaks that',
  '                                           gates must detect; prove-counts, prove-heap, prove-deadline plant fewer',
  'npm run test:soak -- --nodes 50 --days 7   a soak of your own; --churn adds intermittent faults, --view is node, fleet',
  '                                           or wall, --interval is the polling interval in seconds (default 30)',
  '',
  '  --record         write the figures into docs/soak.md',
  '  --report FILE    write every gate as JSON',
  '',
  'Exit codes: 0 all gates passed, 1 a gate failed, 2 wrong arguments, 3 a run was too short for a verdict.',
].join('\n')

const VALUED = ['--plan', '--nodes', '--days', '--interval', '--view', '--report'] as const

export function readArguments(args: readonly string[]): Arguments {
  const values = new Map<string, string>()
  const flags = new Set<string>()
  for (let place = 0; place < args.length; place++) {
    const arg = args[place] ?? ''
    if (arg === '--help') return { kind: 'help' }
    if (arg === '--churn' || arg === '--record') flags.add(arg)
    else if (VALUED.some((name) => name === arg)) values.set(arg, args[++place] ?? '')
    else return { kind: 'wrong', words: `Unknown argument: ${arg}.` }
  }
  const plan = values.get('--plan')
  if (plan !== undefined && PLANS[plan] === undefined)
    return { kind: 'wrong', words: `Unknown plan: ${plan}.` }
  const runs = plan === undefined ? ownRuns(values, flags.has('--churn')) : (PLANS[plan] ?? [])
  return typeof runs === 'string'
    ? { kind: 'wrong', words: runs }
    : { kind: 'run', runs, report: values.get('--report'), isRecorded: flags.has('--record') }
}

function ownRuns(values: ReadonlyMap<string, string>, churn: boolean): readonly Run[] | string {
  if (!churn && !['--nodes', '--days', '--interval', '--view'].some((name) => values.has(name)))
    return ['week', 'churn'].flatMap((plan) => PLANS[plan] ?? [])
  const nodes = Number(values.get('--nodes') ?? 1)
  const days = Number(values.get('--days') ?? 7)
  const seconds = Number(values.get('--interval') ?? INTERVAL_MS / 1_000)
  const view = values.get('--view') ?? (nodes === 1 ? 'node' : 'fleet')
  if (!Number.isInteger(nodes) || nodes < 1) return '--nodes must be a whole number of at least 1.'
  if (!(days > 0)) return '--days must be greater than 0.'
  if (!(seconds >= 10 && seconds <= 3_600)) return '--interval must be between 10 and 3,600 seconds.'
  if (view !== 'node' && view !== 'fleet' && view !== 'wall') return '--view must be node, fleet or wall.'
  const intervalMs = 1_000 * seconds
  const polls = pollsIn(days * DAY_MS, intervalMs)
  const name = `${days} day${days === 1 ? '' : 's'}, ${nodes.toLocaleString('en')} node${nodes === 1 ? '' : 's'}${seconds === INTERVAL_MS / 1_000 ? '' : `, every ${seconds} s`}, ${view}${churn ? ', with faults' : ''}`
  return [{ name, options: { nodes, polls, intervalMs, view, churn } }]
}

/** A soak with a planted leak passes if a gate for that leak fails. */
export function conclude(leak: Leak, gates: readonly Gate[]): Gate {
  const failed = gates.filter(({ result }) => result === 'failed').map(({ name }) => name)
  const isCaught = CAUGHT_BY[leak].some((gate) => failed.some((name) => gate.test(name)))
  return {
    name: `the gates detect the planted leak: ${leak}`,
    result: isCaught ? 'passed' : 'failed',
    measured: failed.length === 0 ? 'no gate failed' : `failed: ${failed.join(', ')}`,
    limit: `must fail: ${CAUGHT_BY[leak].map(String).join(', ')}`,
  }
}
