import { effectiveSettings, type EffectiveSettings } from '#settings/effective-settings.ts'
import { proofProfileOf } from '#settings/service-profiles.ts'
import type { ReadAs } from '#record/field.ts'
import type { Ticket } from './limiter.ts'
import { timeToSign } from './note-offset.ts'
import { takeOutcome } from './outcome.ts'
import { runPoll, type PollOutcome } from './poll.ts'
import { createProofChecks } from './proof-check.ts'
import { setLive, type MonitorPorts, type Room } from './room.ts'
import type { Flight, TrackedNode } from './tracked.ts'

/** Polls under way. The limiter decides how many there are; one per node in any case. */
export type Flights = {
  readonly start: (ticket: Ticket<TrackedNode>) => void
  /** Frees the places of polls that outlived their deadline by far, whatever keeps them. */
  readonly giveUpOverdue: (nowMs: number) => void
  readonly dispose: () => void
}

/** Transport and signer end by themselves within their limits; one that does not must not take its place for ever. */
const OVERDUE_SLACK_MS = 15_000

export function createFlights(
  room: Room,
  ports: MonitorPorts,
  hooks: { readonly notice: () => number; readonly ended: () => void },
): Flights {
  const inFlight = new Set<TrackedNode>()
  const proofs = createProofChecks(ports.clock, ports.verify)
  let disposed = false

  const abortAll = (): void => inFlight.forEach(({ flight }) => flight?.abort.abort())

  const land = (node: TrackedNode, flight: Flight, outcome: PollOutcome): void => {
    if (node.flight !== flight || disposed) return // it was given up before
    const nowMs = hooks.notice()
    flight.release()
    node.flight = undefined
    inFlight.delete(node)
    if (room.nodes.get(node.key) !== node) return // it is no longer watched
    setLive(room, node, { ...node.live, inFlight: false })
    takeOutcome(room, node, flight.abort.signal.aborted ? { kind: 'aborted' } : outcome, nowMs)
  }

  const withProof = async (node: TrackedNode, outcome: PollOutcome): Promise<PollOutcome> => {
    const profile = proofProfileOf(node.service.service)
    if (profile === undefined || outcome.kind !== 'sent' || !outcome.result.ok) return outcome
    const { verdict, checked } = await proofs.check({
      profile,
      body: outcome.reply?.body ?? '',
      last: node.checked,
      nodes: room.nodes.size,
      nowMs: room.steady.nowMs(),
    })
    // Another profile may have been set meanwhile: then this verdict says nothing.
    if (proofProfileOf(node.service.service) !== profile) return outcome
    node.checked = checked
    return { ...outcome, proof: verdict }
  }

  const fly = async (node: TrackedNode, flight: Flight): Promise<void> => {
    const pollPorts = { ...ports, nowMs: room.steady.nowMs }
    const outcome = await runPoll(pollPorts, targetOf(node), flight.abort.signal)
    land(node, flight, await withProof(node, outcome))
    hooks.ended()
  }

  return {
    start: ({ item: node, release }) => {
      const flight = { abort: new AbortController(), sinceMs: room.steady.nowMs(), release }
      node.flight = flight
      node.urgent = false
      inFlight.add(node)
      setLive(room, node, { ...node.live, inFlight: true })
      void fly(node, flight)
    },
    giveUpOverdue: (nowMs) => {
      for (const node of Array.from(inFlight)) {
        const { flight, service } = node
        if (flight === undefined || nowMs - flight.sinceMs <= service.service.timeoutMs + OVERDUE_SLACK_MS)
          continue
        const failure = {
          kind: 'timeout',
          afterMs: nowMs - flight.sinceMs,
          hop: service.service.via === 'proxy' ? 'proxy' : 'service',
        } as const
        land(node, flight, { kind: 'not-sent', failure, startedMs: flight.sinceMs })
        flight.abort.abort()
      }
    },
    dispose: () => {
      disposed = true
      abortAll()
    },
  }
}

const targetOf = ({ service, nodeId, live }: TrackedNode) => ({
  serviceId: service.id,
  nodeId,
  base: service.base,
  proxied: service.service.via === 'proxy',
  timeoutMs: service.service.timeoutMs,
  ...timeToSign(service),
  readAs: readAsOf(effectiveSettings(service.rules, live)),
})

const readAsOf = ({ heartbeat, extraFields }: EffectiveSettings): ReadAs => ({
  heartbeat: heartbeat.value,
  extraFields: extraFields.value,
})
