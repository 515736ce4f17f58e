import { useState } from 'react'
import type { StorageTest } from '#storage/self-test.ts'
import { useDashboard } from '#react/dashboard.ts'
import { keepsSettings } from '#react/platform.ts'
import type { SignerTest } from '#signer/api.ts'

/** A test's result; `silent`: that part of the page did not answer. */
export type Outcome<T> = T | 'silent' | undefined

export type SelfTests = {
  readonly startedWallMs: number | undefined
  readonly isRunning: boolean
  readonly signer: Outcome<SignerTest>
  readonly storage: Outcome<StorageTest>
  readonly settings: boolean | undefined
}

const NOTHING_TESTED: SelfTests = {
  startedWallMs: undefined,
  isRunning: false,
  signer: undefined,
  storage: undefined,
  settings: undefined,
}

export function useSelfTests(): { readonly tests: SelfTests; readonly run: () => Promise<void> } {
  const { signer, engine, fleet, nowMs } = useDashboard()
  const [tests, setTests] = useState(NOTHING_TESTED)
  const add = (part: Partial<SelfTests>): void => setTests((now) => ({ ...now, ...part }))
  const run = async (): Promise<void> => {
    const at = fleet.get()
    const startedWallMs = at.wallMs + (nowMs() - at.nowMs)
    setTests({ ...NOTHING_TESTED, isRunning: true, startedWallMs, settings: keepsSettings() })
    await Promise.all([
      signer.selfTest().then(
        (test) => add({ signer: test }),
        () => add({ signer: 'silent' }),
      ),
      engine.testStorage().then(
        (test) => add({ storage: test }),
        () => add({ storage: 'silent' }),
      ),
    ])
    add({ isRunning: false })
  }
  return { tests, run }
}
