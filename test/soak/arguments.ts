import { DAY_MS, HOUR_MS, pollsIn, type SoakOptions } from './soak.ts'
import type { Gate } from './judge.ts'
import type { Leak } from './time-control.ts'

/** A soak with a name. With a leak it is to fail at one of the gates that are named. */
export type Run = { readonly name: string; readonly options: SoakOptions }

export type Arguments =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly words: string }
  | {
      readonly kind: 'run'
      readonly runs: readonly Run[]
      readonly report: string | undefined
      /** Write what was seen into the documentation. */
      readonly isRecorded: boolean
    }

/** With it a week of 50 nodes is a million requests. */
const INTERVAL_MS = 30_000
/** Far from often, so that days take no longer than continuous integration has. */
const SELDOM_MS = 120_000
const NODE: SoakOptions = {
  nodes: 1,
  polls: pollsIn(7 * DAY_MS, INTERVAL_MS),
  intervalMs: INTERVAL_MS,
  view: 'node',
  churn: false,
}
const HARD: SoakOptions = { ...NODE, polls: pollsIn(2 * DAY_MS, INTERVAL_MS), churn: true }

/** What each leak that is planted has to be caught by. */
export const CAUGHT_BY: Readonly<Record<Leak, readonly RegExp[]>> = {
  listener: [/^engine: growth of listeners/],
  timer: [/^engine: growth of timers/],
  map: [/^engine: heap/],
  node: [/^DOM nodes/],
  // What hangs is ended by the server in its own time, so that it need not be there in the end.
  deadline: [/inFlight at rest$/, /^requests at once/],
}

/** A gate fails however few came after the warm-up; only to pass takes more. */
const PROOF_POLLS = 1_250

/** What is counted is seen in one soak; what only the heap shows needs one in which nothing else grows. */
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
  /** What continuous integration has time for: little more than the fewest polls that prove anything. */
  days: [
    {
      name: 'three days of one node, polled every two minutes',
      options: { ...NODE, polls: pollsIn(3 * DAY_MS, SELDOM_MS), intervalMs: SELDOM_MS },
    },
  ],
  day: [{ name: 'a day of one node', options: { ...NODE, polls: pollsIn(DAY_MS, INTERVAL_MS) } }],
  week: [{ name: 'a week of one node', options: NODE }],
  churn: [{ name: 'two days of one node with faults', options: HARD }],
  fleet: [
    {
      name: 'an hour of a fleet of 1,000 nodes',
      options: { ...NODE, nodes: 1_000, polls: pollsIn(HOUR_MS, INTERVAL_MS), view: 'fleet' },
    },
  ],
  wall: [
    {
      name: 'a day of a wall with 12 nodes',
      options: { ...NODE, nodes: 12, polls: pollsIn(DAY_MS, INTERVAL_MS), view: 'wall' },
    },
  ],
  ...PROOFS,
  prove: Object.values(PROOFS).flat(),
}

export const USAGE = [
  'npm run test:soak                          a week of one node, and two days with faults, in minutes',
  'npm run test:soak -- --plan fleet          one of: days, day, week, churn, fleet, wall, prove; prove plants leaks, which have to be seen,',
  '                                           prove-counts, prove-heap and prove-deadline some of them',
  'npm run test:soak -- --nodes 50 --days 7   of one’s own; with --churn faults come and go, --view is node, fleet or wall,',
  '                                           --interval the seconds between two polls of a node, 30 where nothing is said',
  '',
  '  --record         writes the figures into docs/soak.md',
  '  --report FILE    writes every gate as JSON',
  '',
  'Ends with 0 where all gates were passed, 1 where one failed, 3 where a run was too short to say.',
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
    else return { kind: 'wrong', words: `There is no argument ${arg}.` }
  }
  const plan = values.get('--plan')
  if (plan !== undefined && PLANS[plan] === undefined)
    return { kind: 'wrong', words: `There is no plan ${plan}.` }
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
  if (!Number.isInteger(nodes) || nodes < 1) return '--nodes wants a whole number from 1.'
  if (!(days > 0)) return '--days wants a number above 0.'
  if (!(seconds >= 10 && seconds <= 3_600)) return '--interval wants seconds, from 10 to 3,600.'
  if (view !== 'node' && view !== 'fleet' && view !== 'wall') return '--view wants node, fleet or wall.'
  const intervalMs = 1_000 * seconds
  const polls = pollsIn(days * DAY_MS, intervalMs)
  const name = `${days} days of ${nodes} nodes${seconds === INTERVAL_MS / 1_000 ? '' : ` every ${seconds} s`}, ${view}${churn ? ', with faults' : ''}`
  return [{ name, options: { nodes, polls, intervalMs, view, churn } }]
}

/** A soak with a planted leak passes where the gate for it fails. */
export function conclude(leak: Leak, gates: readonly Gate[]): Gate {
  const failed = gates.filter(({ result }) => result === 'failed').map(({ name }) => name)
  const isCaught = CAUGHT_BY[leak].some((gate) => failed.some((name) => gate.test(name)))
  return {
    name: `the planted leak is seen: ${leak}`,
    result: isCaught ? 'passed' : 'failed',
    measured: failed.length === 0 ? 'no gate failed' : `failed: ${failed.join(', ')}`,
    limit: `has to fail: ${CAUGHT_BY[leak].map(String).join(', ')}`,
  }
}
