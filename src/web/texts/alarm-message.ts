import type { AlarmNotification, AlarmView } from '#alarms/alarm.ts'
import type { MessageDetails } from '#delivery/delivery-queue.ts'
import type { Cause, Evidence } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { MetricRegistry } from '#metrics/metric.ts'
import { NODES_MAX } from '#receivers/message.ts'
import { createAlarmFacts } from './alarm-facts.ts'
import { alarmHelp } from './en-alarm-help.ts'
import { alarmLimit, alarmValue } from './en-alarms.ts'
import { causeWords } from './en-causes.ts'
import { outgoingTexts as words } from './en-notifications.ts'
import { formatAge } from './format.ts'
import { nodeNameIn, serviceNameIn } from './names.ts'

/** All words of messages to people away from this screen. `origin` is the dashboard's origin, used in links. */
export const createAlarmTexts = (fleet: () => FleetSnapshot, origin: string, metrics: MetricRegistry) => ({
  ...createAlarmFacts(fleet, origin, metrics),
  details: (notification: AlarmNotification): MessageDetails =>
    detailsOf(notification, fleet(), { origin, metrics }),
})

type World = { readonly origin: string; readonly metrics: MetricRegistry }

function detailsOf(
  { kind, alarms, count, wallMs }: AlarmNotification,
  fleet: FleetSnapshot,
  world: World,
): MessageDetails {
  const keys = Array.from(new Set(alarms.flatMap(nodesOf)))
  const nodes = keys.slice(0, NODES_MAX).map((key) => nodeNameIn(fleet, key))
  const nodeCount = Math.max(
    keys.length,
    count,
    ...alarms.map((alarm) => Math.max(alarm.memberCount, alarm.nodeCount)),
  )
  const [worst] = alarms
  if (worst === undefined) return { facts: [], nodes, nodeCount }
  const { names } = words
  const value = alarmValue(worst.kind, worst.value, world.metrics)
  const limit = alarmLimit(worst.kind, worst.limit, world.metrics)
  const begunMs = worst.raisedWallMs ?? worst.sinceWallMs
  const isOver = kind === 'recovery'
  const facts = [
    [names.value, value === undefined || isOver ? undefined : words.valueAndLimit(value, limit)],
    [
      names.since,
      words.since(utc(worst.sinceWallMs), isOver ? undefined : formatAge(wallMs - worst.sinceWallMs)),
    ],
    [names.lasted, isOver ? formatAge((worst.clearedWallMs ?? wallMs) - begunMs) : undefined],
    [names.nodes, nodes.length > 0 && nodeCount > 1 ? words.someNodes(nodes, nodeCount) : undefined],
    ...(isOver ? [] : adviceOn(worst, fleet, world)),
  ] as const
  return {
    facts: facts.flatMap(([name, text]) =>
      text === undefined ? [] : [{ name, text: text.replaceAll('\u00a0', ' ') }],
    ),
    nodes,
    nodeCount,
  }
}

const nodesOf = ({ subject, memberCount, members, nodes }: AlarmView): readonly NodeKey[] => {
  if (members.length > 0) return members.map(({ node }) => node)
  return subject.kind === 'node' && memberCount <= 1 ? [subject.node] : nodes
}

const utc = (wallMs: number): string => `${new Date(wallMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** The cause that the engine found for a failure, else what such an alarm means; and the first step. */
function adviceOn(
  alarm: AlarmView,
  fleet: FleetSnapshot,
  { origin, metrics }: World,
): readonly (readonly [name: string, text: string])[] {
  const { names } = words
  const help = alarmHelp(alarm.kind, metrics)
  const cause = alarm.value?.unit === 'failure' ? causeOf(alarm, fleet) : undefined
  const found = cause && wordsFor(cause, alarm, fleet, origin)
  return [
    found === undefined ? [names.meaning, help.meaning] : [names.cause, `${found.title}. ${found.meaning}`],
    [names.doFirst, alarm.todo ?? found?.next ?? help.steps[0] ?? ''],
  ]
}

const EXPLAINS_FAILURES: readonly Evidence['kind'][] = ['failure', 'no-network', 'portal']

function causeOf({ subject }: AlarmView, { causes }: FleetSnapshot): Cause | undefined {
  const fitting = causes.filter(({ evidence }) => EXPLAINS_FAILURES.includes(evidence.kind))
  return (
    fitting.find(({ nodes }) => subject.kind === 'node' && nodes.includes(subject.node)) ??
    fitting.find(
      ({ serviceId, scope }) =>
        scope === 'screen' ||
        (subject.kind !== 'screen' && scope === 'service' && serviceId === subject.serviceId),
    )
  )
}

function wordsFor(cause: Cause, { subject }: AlarmView, fleet: FleetSnapshot, pageOrigin: string) {
  if (subject.kind === 'screen') return undefined
  const { serviceId } = subject
  const service = fleet.services.get(serviceId)?.service
  if (service === undefined) return undefined
  return causeWords(cause, {
    baseUrl: service.baseUrl,
    via: service.via,
    pageOrigin,
    headerNames: [],
    service: serviceNameIn(fleet, serviceId),
    node: subject.kind === 'node' ? nodeNameIn(fleet, subject.node) : undefined,
    ...(subject.kind === 'node' &&
      fleet.nodes.get(subject.node)?.nodeId === undefined && { isDefaultNode: true }),
    zone: 'utc',
    isAway: true,
  })
}
