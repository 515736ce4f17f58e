import { useState } from 'react'
import { err, type Result } from '#base/result.ts'
import { useDashboard } from './dashboard.ts'
import { useKeys } from './use-fleet.ts'

/** A call to the signer; after one that it accepts, the page reads the keys again. `failed`: the signer does not answer. */
export function useSignerCall<E extends string = string>() {
  const { refreshKeys } = useDashboard()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<E | 'failed'>()
  const clearProblem = (): void => setProblem(undefined)
  const call = async <T>(ask: () => Promise<Result<T, E>>): Promise<Result<T, E | 'failed'>> => {
    clearProblem()
    setBusy(true)
    const answer = await ask().catch(() => err('failed' as const))
    setBusy(false)
    setProblem(answer.ok ? undefined : answer.error)
    if (answer.ok) await refreshKeys()
    return answer
  }
  return { isBusy, problem, call, clearProblem }
}

/** Undefined while no key is unlocked. */
export function useLockNow(): (() => void) | undefined {
  const { signer, refreshKeys } = useDashboard()
  const isOpen = useKeys().keys.some(({ locked }) => locked === false)
  const lock = async (): Promise<void> => {
    await signer.lock().catch(() => undefined) // A signer that is gone holds no key.
    await refreshKeys()
  }
  return isOpen ? () => void lock() : undefined
}
