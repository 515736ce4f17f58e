import { useCallback, useEffect, useRef, useState } from 'react'
import type { TestDraft } from '#engine/bridge.ts'
import type { TestStep } from '#monitor/connection-test.ts'
import { useDashboard } from './dashboard.ts'
import { SITE } from '#platform/site.ts'

/** State of a connection test. `broken`: the engine failed. */
export type ConnectionTestState = {
  readonly phase: 'idle' | 'running' | 'ended' | 'broken'
  /** Steps that are running or finished, each once. */
  readonly steps: readonly TestStep[]
  readonly draft: TestDraft | undefined
}

/** Numbers drafts, because several panels may test at once. */
let lastDraftId = 0
export const nextDraftId = (): number => ++lastDraftId

const IDLE: ConnectionTestState = { phase: 'idle', steps: [], draft: undefined }

type Asked = Omit<TestDraft, 'serverUrl' | 'draftId'>

export function useConnectionTest() {
  const { engine, signer } = useDashboard()
  const [connectionTest, setConnectionTest] = useState(IDLE)
  const run = useRef(0)

  const clear = useCallback(() => {
    run.current += 1
    setConnectionTest(IDLE)
  }, [])

  /**
   * Starts a test and ignores reports of earlier ones. Resolves when the test ends. No request is sent if `mayAsk` resolves to
   * false, or if a later test starts first.
   */
  const start = useCallback(
    async (asked: Asked, mayAsk?: () => Promise<boolean>) => {
      const draft = { ...asked, serverUrl: SITE }
      const mine = ++run.current
      const draftId = nextDraftId()
      const update = (next: (connectionTest: ConnectionTestState) => ConnectionTestState): void => {
        if (run.current === mine) setConnectionTest(next)
      }
      // Two permission requests may resolve in either order; only the newest counts.
      if (mayAsk !== undefined && !((await mayAsk()) && run.current === mine)) return
      update(() => ({ phase: 'running', steps: [], draft }))
      try {
        // The signer signs only for configured services. The draft is registered separately, so that polls continue with the
        // saved settings.
        if (draft.sign) await signer.configureDraft(draftId, draft.service)
        await engine.runConnectionTest({ ...draft, ...(draft.sign && { draftId }) }, (step) =>
          update((now) => ({ ...now, steps: withStep(now.steps, step) })),
        )
        update((now) => ({ ...now, phase: 'ended' }))
      } catch {
        // The worker died or rejected the call. Ordinary failures are steps of the test.
        update((now) => ({ ...now, phase: 'broken' }))
      } finally {
        if (draft.sign) await signer.configureDraft(draftId, undefined).catch(() => undefined)
      }
    },
    [engine, signer],
  )

  useEffect(
    () => () => {
      run.current += 1 // Ignores reports to an unmounted component.
    },
    [],
  )

  return { connectionTest, start, clear }
}

const withStep = (steps: readonly TestStep[], step: TestStep): readonly TestStep[] => [
  ...steps.filter(({ name }) => name !== step.name),
  step,
]
