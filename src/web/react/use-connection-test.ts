import { useCallback, useEffect, useRef, useState } from 'react'
import type { TestDraft } from '#engine/bridge.ts'
import type { TestStep } from '#monitor/connection-test.ts'
import { useDashboard } from './dashboard.ts'
import { SITE } from '#platform/site.ts'

/** A connection test as far as it came. `broken`: the engine itself gave up on it. */
export type ConnectionTestState = {
  readonly phase: 'idle' | 'running' | 'ended' | 'broken'
  /** The steps that have an outcome or are under way, each once. */
  readonly steps: readonly TestStep[]
  /** What is tested; undefined before the first test. */
  readonly draft: TestDraft | undefined
}

/** Tests of several panels may run side by side, each under a number of its own. */
let lastDraftId = 0
export const nextDraftId = (): number => ++lastDraftId

const IDLE: ConnectionTestState = { phase: 'idle', steps: [], draft: undefined }

type Asked = Omit<TestDraft, 'serverUrl' | 'draftId'>

type UseConnectionTest = {
  readonly connectionTest: ConnectionTestState
  /**
   * Starts anew; what an earlier test still reports is passed over. Resolves when this test has ended.
   * Nothing is asked where `mayAsk` says no, nor where a later test was started before it answered.
   */
  readonly start: (asked: Asked, mayAsk?: () => Promise<boolean>) => Promise<void>
  /** What was tested is no longer what is asked. */
  readonly clear: () => void
}

/** The connection test of the engine, one at a time. */
export function useConnectionTest(): UseConnectionTest {
  const { engine, signer } = useDashboard()
  const [connectionTest, setConnectionTest] = useState(IDLE)
  const run = useRef(0)

  const clear = useCallback(() => {
    run.current += 1
    setConnectionTest(IDLE)
  }, [])

  const start = useCallback(
    async (asked: Asked, mayAsk?: () => Promise<boolean>) => {
      const draft = { ...asked, serverUrl: SITE }
      const mine = ++run.current
      const draftId = nextDraftId()
      const update = (next: (connectionTest: ConnectionTestState) => ConnectionTestState): void => {
        if (run.current === mine) setConnectionTest(next)
      }
      // Two leaves may be answered in either order; only the newest question counts.
      if (mayAsk !== undefined && !((await mayAsk()) && run.current === mine)) return
      update(() => ({ phase: 'running', steps: [], draft }))
      try {
        // The signer signs for services that it was told about. This one is apart from them, so that polls go on as saved.
        if (draft.sign) await signer.configureDraft(draftId, draft.service)
        await engine.runConnectionTest({ ...draft, ...(draft.sign && { draftId }) }, (step) =>
          update((now) => ({ ...now, steps: withStep(now.steps, step) })),
        )
        update((now) => ({ ...now, phase: 'ended' }))
      } catch {
        // The worker died or refused the call; each ordinary failure is a step of its own.
        update((now) => ({ ...now, phase: 'broken' }))
      } finally {
        if (draft.sign) await signer.configureDraft(draftId, undefined).catch(() => undefined)
      }
    },
    [engine, signer],
  )

  useEffect(
    () => () => {
      run.current += 1 // reports to a page that is gone
    },
    [],
  )

  return { connectionTest, start, clear }
}

const withStep = (steps: readonly TestStep[], step: TestStep): readonly TestStep[] => [
  ...steps.filter(({ name }) => name !== step.name),
  step,
]
