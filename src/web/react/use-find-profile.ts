import { useCallback, useEffect, useRef, useState } from 'react'
import type { FindEnd, FindStep } from '#monitor/find-profile.ts'
import { serviceIdOf } from '#record/service.ts'
import type { Service } from '#settings/schema.ts'
import { useDashboard } from './dashboard.ts'
import { nextDraftId } from './use-connection-test.ts'
import { SITE } from '#platform/site.ts'

export type Find = {
  readonly phase: 'idle' | 'running' | FindEnd | 'broken' | 'too-soon'
  readonly steps: ReadonlyMap<string, FindStep>
  /** Wait until the next round, with `too-soon`. */
  readonly retryInMs: number
}

const IDLE: Find = { phase: 'idle', steps: new Map(), retryInMs: 0 }

export function useFindProfile(service: Service, nodeId: string | undefined) {
  const { engine, signer, fleet } = useDashboard()
  const [find, setFind] = useState(IDLE)
  const isWanted = useRef(false)

  /** Stops before the next try. */
  const stop = useCallback(() => {
    isWanted.current = false
  }, [])
  useEffect(() => stop, [stop]) // An unmounted component needs no more signatures.

  /** Opens and runs a round. Call this only on a click. */
  const start = useCallback(async () => {
    const serviceId = serviceIdOf(service.baseUrl)
    // Every try would be rejected for its time, so this hour's round is saved until the operator approves the service's time.
    if (fleet.get().services.get(serviceId)?.correction?.state === 'ask') {
      setFind({ ...IDLE, phase: 'clock' })
      return
    }
    isWanted.current = true
    setFind({ ...IDLE, phase: 'running' })
    const draftId = nextDraftId()
    try {
      // The signer tries profiles only for a configured service, which this one may not be yet.
      await signer.configureDraft(draftId, service)
      const round = await signer.openTryRound(serviceId)
      if (!round.ok) {
        const retryInMs = round.error === 'not-configured' ? 0 : round.error.retryInMs
        setFind({ ...IDLE, phase: round.error === 'not-configured' ? 'broken' : 'too-soon', retryInMs })
        return
      }
      const end = await engine.findProfile({ serverUrl: SITE, service, nodeId }, (step) => {
        setFind((now) => ({ ...now, steps: new Map([...now.steps, [step.id, step]]) }))
        return isWanted.current
      })
      setFind((now) => ({ ...now, phase: end }))
    } catch {
      setFind((now) => ({ ...now, phase: 'broken' })) // A Worker ended.
    } finally {
      await signer.configureDraft(draftId, undefined).catch(() => undefined)
    }
  }, [engine, signer, fleet, service, nodeId])

  return { find, start, stop }
}
