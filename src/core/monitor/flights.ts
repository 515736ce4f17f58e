import { effectiveSettings, type EffectiveSettings } from '#settings/effective-settings.ts'
import { proofProfileOf } from '#settings/service-profiles.ts'
import type { ReadAs } from '#record/field.ts'
import type { Ticket } from './limiter.ts'
import { timeToSign } from './service-clock.ts'
import { runPoll, targetFor, type PollOutcome } from './poll.ts'
import { createProofChecks } from './proof-check.ts'
import type { MonitorPorts } from './ports.ts'
import type { FleetState, Flight, TrackedNode } from './tracked.ts'

/** Polls under way. The limiter decides how many there are; one per node in any case. */
export type Flights = {
  readonly start: (ticket: Ticket<TrackedNode>) => void
  /** Frees the places of polls that outlived their timeout by far, whatever keeps them. */
  readonly giveUpOverdue: (nowMs: number) => void
  readonly dispose: () => void
}

type FlightHooks = {
  /** Reads the steady clock, and minds a sleep or a set clock if there was one. */
  readonly notice: () => number
  readonly landed: (node: TrackedNode, outcome: PollOutcome, nowMs: number) => void
  readonly ended: () => void
}

/** Transport and signer end by themselves within their limits; one that does not must not take its place for ever. */
const OVERDUE_SLACK_MS = 15_000

export function createFlights(
  ports: Pick<MonitorPorts, 'clock' | 'transport' | 'signer' | 'verify'> & { readonly nowMs: () => number },
  fleet: FleetState,
  hooks: FlightHooks,
): Flights {
  const { nowMs } = ports
  const inFlight = new Set<TrackedNode>()
  const proofs = createProofChecks(ports.clock, ports.verify)
  let disposed = false

  const abortAll = (): void => inFlight.forEach(({ flight }) => flight?.abort.abort())

  const land = (node: TrackedNode, flight: Flight, outcome: PollOutcome): void => {
    if (node.flight !== flight || disposed) return // it was given up before
    const landedMs = hooks.notice()
    flight.release()
    node.flight = undefined
    inFlight.delete(node)
    if (fleet.nodes.get(node.key) !== node) return // it is no longer watched
    fleet.setLive(node, { ...node.live, inFlight: false })
    hooks.landed(node, flight.abort.signal.aborted ? { kind: 'aborted' } : outcome, landedMs)
  }

  const withProof = async (node: TrackedNode, outcome: PollOutcome): Promise<PollOutcome> => {
    const profile = proofProfileOf(node.service.service)
    if (profile === undefined || outcome.kind !== 'sent' || !outcome.result.ok) return outcome
    const { verdict, checked } = await proofs.check({
      profile,
      body: outcome.reply?.body ?? '',
      last: node.checked,
      nodes: fleet.nodes.size,
      nowMs: nowMs(),
    })
    // Another profile may have been set meanwhile: then this verdict says nothing.
    if (proofProfileOf(node.service.service) !== profile) return outcome
    node.checked = checked
    return { ...outcome, proof: verdict }
  }

  const fly = async (node: TrackedNode, flight: Flight): Promise<void> => {
    const outcome = await runPoll(ports, targetOf(node), flight.abort.signal)
    land(node, flight, await withProof(node, outcome))
    hooks.ended()
  }

  return {
    start: ({ item: node, release }) => {
      const flight = { abort: new AbortController(), sinceMs: nowMs(), release }
      node.flight = flight
      node.urgent = false
      inFlight.add(node)
      fleet.setLive(node, { ...node.live, inFlight: true })
      void fly(node, flight)
    },
    giveUpOverdue: (atMs) => {
      for (const node of Array.from(inFlight)) {
        const { flight, service } = node
        if (flight === undefined || atMs - flight.sinceMs <= service.service.timeoutMs + OVERDUE_SLACK_MS)
          continue
        const failure = {
          kind: 'timeout',
          afterMs: atMs - flight.sinceMs,
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
  ...targetFor(service.service, service.base, nodeId),
  ...timeToSign(service),
  readAs: readAsOf(effectiveSettings(service.rules, live)),
})

const readAsOf = ({ heartbeat, extraFields }: EffectiveSettings): ReadAs => ({
  heartbeat: heartbeat.value,
  extraFields: extraFields.value,
})
