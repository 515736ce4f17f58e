import { DAY_MS, HOUR_MS, INTERVAL_MS, type SoakOptions } from './soak.ts'
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

const pollsIn = (ms: number): number => Math.floor(ms / INTERVAL_MS)
const NODE: SoakOptions = { nodes: 1, polls: pollsIn(7 * DAY_MS), view: 'node', churn: false }
const HARD: SoakOptions = { ...NODE, polls: pollsIn(2 * DAY_MS), churn: true }

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
  /** The shortest that is long enough to be judged: what continuous integration has time for. */
  short: [{ name: '17 hours of one node', options: { ...NODE, polls: pollsIn(17 * HOUR_MS) } }],
  day: [{ name: 'a day of one node', options: { ...NODE, polls: pollsIn(DAY_MS) } }],
  week: [{ name: 'a week of one node', options: NODE }],
  churn: [{ name: 'two days of one node with faults', options: HARD }],
  fleet: [
    {
      name: 'an hour of a fleet of 1,000 nodes',
      options: { ...NODE, nodes: 1_000, polls: pollsIn(HOUR_MS), view: 'fleet' },
    },
  ],
  wall: [
    {
      name: 'a day of a wall with 12 nodes',
      options: { ...NODE, nodes: 12, polls: pollsIn(DAY_MS), view: 'wall' },
    },
  ],
  ...PROOFS,
  prove: Object.values(PROOFS).flat(),
}

export const USAGE = [
  'npm run test:soak                          a week of one node, and two days with faults, in minutes',
  'npm run test:soak -- --plan fleet          one of: short, day, week, churn, fleet, wall, prove; prove plants leaks, which have to be seen,',
  '                                           prove-counts, prove-heap and prove-deadline some of them',
  'npm run test:soak -- --nodes 50 --days 7   of one’s own; with --churn faults come and go, --view is node, fleet or wall',
  '',
  '  --record         writes the figures into docs/soak.md',
  '  --report FILE    writes every gate as JSON',
  '',
  'Ends with 0 where all gates were passed, 1 where one failed, 3 where a run was too short to say.',
].join('\n')

const VALUED = ['--plan', '--nodes', '--days', '--view', '--report'] as const

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
  if (!churn && !['--nodes', '--days', '--view'].some((name) => values.has(name)))
    return ['week', 'churn'].flatMap((plan) => PLANS[plan] ?? [])
  const nodes = Number(values.get('--nodes') ?? 1)
  const days = Number(values.get('--days') ?? 7)
  const view = values.get('--view') ?? (nodes === 1 ? 'node' : 'fleet')
  if (!Number.isInteger(nodes) || nodes < 1) return '--nodes wants a whole number from 1.'
  if (!(days > 0)) return '--days wants a number above 0.'
  if (view !== 'node' && view !== 'fleet' && view !== 'wall') return '--view wants node, fleet or wall.'
  const polls = Math.max(1, pollsIn(days * DAY_MS))
  const name = `${days} days of ${nodes} nodes, ${view}${churn ? ', with faults' : ''}`
  return [{ name, options: { nodes, polls, view, churn } }]
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
