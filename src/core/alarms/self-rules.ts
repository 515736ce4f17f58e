import type { FleetSnapshot, NodeKey } from '#fleet/live.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { ServiceId } from '#record/service.ts'
import type { AlarmSubject, SelfKind } from './alarm.ts'
import { bad, good, HELD, type Evaluation } from './seen.ts'

/** What this screen says of itself; undefined: not known. A text says why. */
export type SelfFacts = {
  readonly notSaving?: string | false | undefined
  readonly soundBlocked?: boolean | undefined
  /** This computer gives the screen too little time: by so much its own clock was late. */
  readonly lateMs?: number | undefined
}

export type SelfEvaluation = {
  readonly kind: SelfKind
  readonly subject: AlarmSubject
  readonly evaluation: Evaluation
  readonly nodes: readonly NodeKey[]
}

/** When each node was last heard, in watched time. `awakeMs` undefined: not since this session began at `sinceMs`. */
export type LastAnswer = { readonly awakeMs: number | undefined; readonly sinceMs: number }

const SCREEN: AlarmSubject = { kind: 'screen' }
/** A timer that is so late was kept from running. */
export const LATE_MS = 5_000

export function evaluateScreen(
  facts: SelfFacts,
  { screen, services }: FleetSnapshot,
): readonly SelfEvaluation[] {
  const look = (kind: SelfKind, evaluation: Evaluation): SelfEvaluation => ({
    kind,
    subject: SCREEN,
    evaluation,
    nodes: [],
  })
  const { notSaving, soundBlocked, lateMs } = facts
  const intervalMs = Math.min(...Array.from(services.values(), ({ service }) => service.pollIntervalMs))
  const behindMs = Math.max(lateMs ?? 0, screen.behindMs)
  const isBehind = screen.behindMs > intervalMs || (lateMs ?? 0) > LATE_MS
  return [
    look(
      'throttled',
      isBehind ? bad('warning', { unit: 'ms', value: behindMs }) : lateMs === undefined ? HELD : good(),
    ),
    look(
      'not-saving',
      notSaving === undefined
        ? HELD
        : notSaving === false
          ? good()
          : bad('warning', { unit: 'reason', text: notSaving }),
    ),
    look('sound-blocked', soundBlocked === undefined ? HELD : soundBlocked ? bad('warning') : good()),
  ]
}

/** From when on silence of a service's node is blindness. */
export const blindAfterMs = (pollIntervalMs: number): number =>
  Math.max(DEFAULTS.blindAfterIntervals * pollIntervalMs, DEFAULTS.blindAfterMinMs)

/** Services of which some nodes were not heard for too long, and those of which all were. */
export function evaluateBlindness(
  snapshot: FleetSnapshot,
  lastAnswers: ReadonlyMap<NodeKey, LastAnswer>,
  awakeMs: number,
): readonly SelfEvaluation[] {
  const byService = new Map<ServiceId, { blind: NodeKey[]; ofMs: number; unheard: boolean }>()
  for (const { key, serviceId } of snapshot.nodes.values()) {
    const service = snapshot.services.get(serviceId)
    const last = lastAnswers.get(key)
    if (service === undefined || last === undefined) continue
    const found = byService.get(serviceId) ?? { blind: [], ofMs: 0, unheard: false }
    byService.set(serviceId, found)
    const silentMs = awakeMs - (last.awakeMs ?? last.sinceMs)
    found.unheard ||= last.awakeMs === undefined
    if (silentMs <= blindAfterMs(service.service.pollIntervalMs)) continue
    found.blind.push(key)
    found.ofMs = Math.max(found.ofMs, silentMs)
  }
  return Array.from(byService, ([serviceId, { blind, ofMs, unheard }]) => ({
    kind: 'blind',
    subject: { kind: 'service', serviceId },
    nodes: blind,
    evaluation:
      blind.length > 0
        ? bad('critical', { unit: 'nodes', value: blind.length, ofMs })
        : unheard
          ? HELD
          : good(),
  }))
}
