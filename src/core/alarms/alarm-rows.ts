import { groupBy } from '#base/group-by.ts'
import { DAY_MS } from '#base/time.ts'
import type { RaisedAlarm } from '#fleet/assessment.ts'
import type { NodeKey } from '#fleet/live.ts'
import { countedKeys, type Twins } from '#fleet/snapshot.ts'
import { DEFAULTS } from '#base/defaults.ts'
import {
  mostSevereFirst,
  FAILURE_KINDS,
  type Acknowledged,
  type AlarmCounts,
  type AlarmId,
  type AlarmMember,
  type AlarmPhase,
  type AlarmView,
  type AlarmsView,
  isActive,
} from './alarm.ts'
import type { Instance } from './instance.ts'
import type { Reach } from './alarm-state.ts'
import { metricIdOf, testOf } from './metric-values.ts'

const SHOWN_MAX = 20

export type RowContext = {
  readonly awakeMs: number
  readonly wallMs: number
  readonly inhibitedBy: ReadonlyMap<AlarmId, AlarmId>
  readonly inMaintenance: (instance: Instance) => boolean
  readonly reach: Reach
  readonly twins: Twins
  readonly todo: (ruleId: string) => string | undefined
}

export const groupOf = ({ ruleId, subject }: Instance): string =>
  `${ruleId} ${'serviceId' in subject ? subject.serviceId : 'screen'}`

const isShown = ({ phase, awaitsAcknowledgement }: Instance): boolean =>
  phase !== 'normal' || awaitsAcknowledgement

/** An alarm that was raised before counts as cleared until it is raised again. */
const phaseOf = ({ phase, awaitsAcknowledgement }: Instance): AlarmPhase =>
  awaitsAcknowledgement || phase === 'normal' ? 'cleared' : phase

/** Only alarms of one category are grouped. */
function categoryOf(instance: Instance, { inhibitedBy, inMaintenance }: RowContext): string {
  if (instance.shelved !== undefined) return 'shelved'
  if (inMaintenance(instance)) return 'maintenance'
  if (inhibitedBy.has(instance.id)) return 'explained'
  const phase = phaseOf(instance)
  return phase === 'pending' || phase === 'cleared' ? phase : 'on'
}

export type RaisedAlarms = ReadonlyMap<NodeKey, readonly RaisedAlarm[]>

export function raisedOf(instances: Iterable<Instance>, context: RowContext): RaisedAlarms {
  const raised = new Map<NodeKey, readonly RaisedAlarm[]>()
  for (const one of instances) {
    const { subject, severity } = one
    if (subject.kind !== 'node' || !isShown(one) || categoryOf(one, context) !== 'on') continue
    const others = raised.get(subject.node) ?? []
    raised.set(subject.node, [...others, { check: checkFor(one), severity }])
  }
  return raised
}

const OF_FAILURES: readonly string[] = FAILURE_KINDS

/** A failure belongs to the check "service", any other alarm to its metric's check. */
const checkFor = ({ kind }: Instance): string => (OF_FAILURES.includes(kind) ? 'service' : metricIdOf(kind))

/** The alarms behind each row. More than three alarms of one rule, service and category share a row. */
export function rowsOf(
  instances: readonly Instance[],
  context: RowContext,
): ReadonlyMap<AlarmId, readonly Instance[]> {
  const groups = groupBy(instances.filter(isShown), (one) =>
    one.subject.kind === 'node' ? `${groupOf(one)} ${categoryOf(one, context)}` : one.id,
  )
  const rows = new Map<AlarmId, readonly Instance[]>()
  for (const [name, members] of groups)
    if (members.length > DEFAULTS.alarmsUngroupedMax) rows.set(`group ${name}`, members)
    else for (const one of members) rows.set(one.id, [one])
  return rows
}

export function viewOf(
  id: AlarmId,
  members: readonly Instance[],
  context: RowContext,
): AlarmView | undefined {
  const sorted = members.length === 1 ? members : members.toSorted(bySeverity)
  const [first] = sorted
  if (first === undefined) return undefined
  const { subject, ruleId, kind } = first
  const isGroup = id !== first.id
  const seen = sorted.reduce((a, b) => (b.evaluatedAwakeMs > a.evaluatedAwakeMs ? b : a))
  const touched: readonly NodeKey[] = isGroup
    ? sorted.flatMap((one) => (one.subject.kind === 'node' ? [one.subject.node] : []))
    : countedKeys(Array.from(context.reach.get(id) ?? []), context.twins)
  const evidenceMs = Math.max(0, context.awakeMs - seen.evaluatedAwakeMs)
  return {
    id,
    ruleId,
    kind,
    severity: first.severity,
    subject: isGroup && 'serviceId' in subject ? { kind: 'service', serviceId: subject.serviceId } : subject,
    // A group recovers once all its members do.
    phase: phaseOf(sorted.find(({ phase }) => phase === 'firing') ?? first),
    acknowledged: acknowledgedOf(sorted),
    shelved: first.shelved,
    maintenance: context.inMaintenance(first),
    inhibitedBy: context.inhibitedBy.get(first.id),
    flapping: sorted.some((one) => one.flapping),
    evidence: {
      state: seen.heldAwakeMs === undefined && evidenceMs <= seen.freshForMs ? 'fresh' : 'old',
      ageMs: evidenceMs,
    },
    sinceWallMs: Math.min(context.wallMs, ...sorted.map(({ sinceWallMs }) => sinceWallMs)),
    raisedWallMs: first.raisedWallMs,
    clearedWallMs: first.clearedWallMs,
    raised24h: Math.max(
      ...sorted.map(({ raises }) => raises.filter((atMs) => atMs > context.wallMs - DAY_MS).length),
    ),
    value: first.value,
    limit: first.limit,
    notified: sorted.some((one) => one.notifiedSeverity !== undefined),
    memberCount: sorted.length,
    members: isGroup ? sorted.slice(0, SHOWN_MAX).flatMap(memberOf) : [],
    nodes: touched.slice(0, SHOWN_MAX),
    nodeCount: touched.length,
    todo: context.todo(ruleId),
  }
}

export const memberOf = (one: Instance): readonly AlarmMember[] =>
  one.subject.kind !== 'node'
    ? []
    : [
        {
          id: one.id,
          node: one.subject.node,
          phase: phaseOf(one),
          severity: one.severity,
          acknowledged: one.acknowledged,
          sinceWallMs: one.sinceWallMs,
          raisedWallMs: one.raisedWallMs,
          value: one.value,
          limit: one.limit,
        },
      ]

/** The last acknowledgement, once each member has one. */
function acknowledgedOf(members: readonly Instance[]): Acknowledged | undefined {
  const all = members.flatMap(({ acknowledged }) => acknowledged ?? [])
  return all.length < members.length ? undefined : all.toSorted((a, b) => b.wallMs - a.wallMs)[0]
}

const PHASE_ORDER: readonly AlarmPhase[] = ['firing', 'recovering', 'pending', 'cleared']

export const bySeverity = (a: Instance, b: Instance): number =>
  mostSevereFirst(a, b) ||
  PHASE_ORDER.indexOf(phaseOf(a)) - PHASE_ORDER.indexOf(phaseOf(b)) ||
  badnessOf(b) - badnessOf(a) ||
  a.sinceWallMs - b.sinceWallMs

/** Texts and exact numbers are not compared. */
function badnessOf({ kind, value }: Instance): number {
  if (value === undefined || !('value' in value)) return 0
  return testOf(kind) === 'below' ? -value.value : value.value
}

const ROWS_MAX = 2_000

const isUnacknowledged = (row: AlarmView): boolean => row.acknowledged === undefined && isActive(row)

export function listOf(
  instances: readonly Instance[],
  context: RowContext,
): Pick<AlarmsView, 'alarms' | 'counts' | 'oldestUnacknowledgedWallMs'> {
  const alarms = Array.from(rowsOf(instances, context), ([id, members]) => viewOf(id, members, context))
    .filter((row) => row !== undefined)
    .toSorted(inOrder)
  const unacknowledgedMs = alarms
    .filter(isUnacknowledged)
    .map(({ raisedWallMs, sinceWallMs }) => raisedWallMs ?? sinceWallMs)
  return {
    alarms: alarms.slice(0, ROWS_MAX),
    counts: countsOf(alarms),
    oldestUnacknowledgedWallMs: unacknowledgedMs.toSorted((a, b) => a - b)[0],
  }
}

/** Unacknowledged first, then by severity, then newest first; rows that need no action come last. */
function inOrder(a: AlarmView, b: AlarmView): number {
  return (
    rankOf(a) - rankOf(b) ||
    mostSevereFirst(a, b) ||
    (b.raisedWallMs ?? b.sinceWallMs) - (a.raisedWallMs ?? a.sinceWallMs)
  )
}

function rankOf(row: AlarmView): number {
  if (isActive(row)) return row.acknowledged === undefined ? 0 : 2
  if (row.shelved !== undefined || row.maintenance) return 5
  if (row.inhibitedBy !== undefined) return 4
  return row.phase === 'cleared' ? 1 : 3
}

function countsOf(rows: readonly AlarmView[]): AlarmCounts {
  const count = (is: (row: AlarmView) => boolean): number => rows.filter(is).length
  const active = (severity: AlarmView['severity']): number =>
    count((row) => isActive(row) && row.severity === severity)
  return {
    critical: active('critical'),
    warning: active('warning'),
    info: active('info'),
    unacknowledged: count(isUnacknowledged),
    unacknowledgedCritical: count((row) => isUnacknowledged(row) && row.severity === 'critical'),
    cleared: count(({ phase }) => phase === 'cleared'),
  }
}
