import { causesOf, type Cause } from '#evaluate/causes.ts'
import { isCurrentAt } from '#fleet/assessment.ts'
import type { AssessedNode, FleetSnapshot, NodeKey } from '#fleet/live.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { effectiveSettings } from '#settings/effective-settings.ts'
import {
  NODE_KINDS,
  SHARED_KINDS,
  type AlarmId,
  type AlarmKind,
  type AlarmSubject,
  type SharedKind,
} from './alarm.ts'
import { AT_ONCE, DEFAULT_RULES, freshFor, type NodeContext } from './built-in-rules.ts'
import type { Evaluation } from './seen.ts'
import type { Timing } from './instance.ts'
import { evaluateRule, type Memory } from './operator-rules.ts'
import { isInScope } from './scope.ts'
import { alarmIdOf, intervalOf, see, type AlarmRoom } from './room.ts'
import { evaluateBlindness, evaluateScreen, type SelfFacts } from './self-rules.ts'
import { sharedEnd, sharedTroubles } from './shared-rules.ts'

/** Looks at every node of which a poll has ended since the last time. */
export function seeNodes(room: AlarmRoom, now: FleetSnapshot, before: FleetSnapshot | undefined): void {
  if (before?.nodes === now.nodes) return
  for (const node of now.nodes.values()) if (before?.nodes.get(node.key) !== node) seeNode(room, now, node)
}

function seeNode(room: AlarmRoom, now: FleetSnapshot, node: AssessedNode): void {
  const { polls, heard, awakeMs } = room
  const made = node.answered + node.failed
  const before = polls.get(node.key)
  if (before === made) return
  polls.set(node.key, made)
  if (!heard.has(node.key)) heard.set(node.key, { awakeMs: undefined, sinceMs: awakeMs })
  const service = now.services.get(node.serviceId)
  if (made === 0 || service === undefined) return
  // What another session heard long ago is no news.
  if (before === undefined && node.episode === undefined && !isCurrentAt(node, now.nowMs)) return
  if (node.episode === undefined) heard.set(node.key, { awakeMs, sinceMs: awakeMs })
  const settings = effectiveSettings(service.rules, node)
  const look: NodeContext = { node, service: service.service, settings, nowMs: now.nowMs }
  const subject = { kind: 'node', node: node.key, serviceId: node.serviceId } as const
  const freshForMs = freshFor(look)
  for (const kind of NODE_KINDS) {
    const { timing, evaluate } = DEFAULT_RULES[kind]
    see(room, { ruleId: kind, kind, subject, timing, evaluation: evaluate(look), freshForMs })
  }
  seeByOperator(room, look, freshForMs)
}

/** A node that is refused while another one of its service is answered is refused for itself: the key is good. */
export function seeRefused(room: AlarmRoom, now: FleetSnapshot): void {
  for (const { kind, phase, subject } of Array.from(room.instances.values())) {
    if (kind !== 'key-rejected' || phase !== 'pending' || subject.kind !== 'node') continue
    const node = now.nodes.get(subject.node)
    const service = now.services.get(subject.serviceId)
    const sinceMs = node?.episode?.sinceMs
    if (node === undefined || service === undefined || sinceMs === undefined) continue
    const isAnswered = Array.from(now.nodes.values()).some(
      ({ serviceId, episode, reading }) =>
        serviceId === subject.serviceId &&
        episode === undefined &&
        reading !== undefined &&
        reading.startedMs > sinceMs,
    )
    if (!isAnswered) continue
    const settings = effectiveSettings(service.rules, node)
    const look: NodeContext = { node, service: service.service, settings, nowMs: now.nowMs }
    const evaluation = DEFAULT_RULES[kind].evaluate(look)
    see(room, { ruleId: kind, kind, subject, timing: AT_ONCE, evaluation, freshForMs: freshFor(look) })
  }
}

/** The operator's own rules. */
function seeByOperator(room: AlarmRoom, look: NodeContext, freshForMs: number): void {
  const { node } = look
  const subject = { kind: 'node', node: node.key, serviceId: node.serviceId } as const
  for (const rule of room.settings.rules) {
    if (rule.off || !isInScope(rule.scope, subject, room.snapshot)) continue
    const id = alarmIdOf(rule.id, subject)
    const { seen: evaluation, memory } = evaluateRule(rule, look, room.memory.get(id), room)
    remember(room, id, memory)
    see(room, { ruleId: rule.id, kind: rule.check.kind, subject, timing: rule, evaluation, freshForMs })
  }
}

/** What is remembered is kept with the watched time that it is told in, so each new look at it is news to keep. */
function remember(room: AlarmRoom, id: AlarmId, memory: Memory | undefined): void {
  if (memory === undefined) return
  room.memory.set(id, memory)
  if (room.unkept === 'nothing') room.unkept = 'little'
}

/** Looks at what several nodes share, by the causes that are told as banners too. */
export function seeShared(room: AlarmRoom, now: FleetSnapshot): void {
  const causes = causesOf(now, now.nowMs)
  const troubles = sharedTroubles(room.awaitsKey ? causes.filter((cause) => !isLackOfKey(cause)) : causes)
  const on = new Set<string>(troubles.map(({ kind, subject }) => alarmIdOf(kind, subject)))
  for (const trouble of troubles) seeBigger(room, trouble)
  for (const { id, kind, subject } of Array.from(room.instances.values())) {
    if (subject.kind === 'node' || on.has(id) || !isShared(kind)) continue
    const nodes = Array.from(now.nodes.values()).filter(
      ({ serviceId }) => subject.kind === 'screen' || serviceId === subject.serviceId,
    )
    seeBigger(room, { kind, subject, evaluation: sharedEnd(kind, subject, now, nodes) })
  }
}

const isLackOfKey = ({ evidence }: Cause): boolean =>
  evidence.kind === 'failure' && evidence.failure.kind === 'no-key'

const SHARED: readonly string[] = SHARED_KINDS
const isShared = (kind: AlarmKind): kind is SharedKind => SHARED.includes(kind)

/** Looks at this screen itself. */
export function seeSelf(room: AlarmRoom, now: FleetSnapshot, facts: SelfFacts): void {
  for (const look of evaluateScreen(facts, now)) seeBigger(room, look)
  if (room.awaitsKey) return
  for (const look of evaluateBlindness(now, room.heard, room.awakeMs)) seeBigger(room, look)
}

type BiggerLook = {
  readonly kind: AlarmKind
  readonly subject: AlarmSubject
  readonly evaluation: Evaluation
  readonly nodes?: readonly NodeKey[]
}

/** What is bigger than one node has no polls of its own: it is looked at when it changes, and once an interval. */
function seeBigger(room: AlarmRoom, { kind, subject, evaluation, nodes }: BiggerLook): void {
  const id = alarmIdOf(kind, subject)
  const known = room.instances.get(id)
  const intervalMs = intervalOf(room, subject)
  if (nodes !== undefined && evaluation.state === 'bad') room.reach.set(id, new Set(nodes))
  const isSame =
    known !== undefined &&
    known.heldAwakeMs === undefined &&
    known.side === evaluation.state &&
    (evaluation.state === 'good' || known.severity === evaluation.severity)
  if (isSame && room.awakeMs - known.evaluatedAwakeMs < intervalMs) return
  // Causes are told only once they are certain, so one look is enough.
  const timing: Timing = {
    raiseAfter: { polls: 1, of: 1 },
    forMs: 0,
    clearAfter: 1,
    keepFiringForMs: 2 * intervalMs,
  }
  see(room, {
    ruleId: kind,
    kind,
    subject,
    timing,
    evaluation,
    freshForMs: DEFAULTS.staleAfterIntervals * intervalMs,
  })
}
