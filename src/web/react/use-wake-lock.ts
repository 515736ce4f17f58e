import { useEffect, useState } from 'react'
import { keepAwake, type WakeState } from '#platform/wake-lock.ts'

/** Keeps the screen on as long as the component is there, and tells how that goes. */
export function useWakeLock(): WakeState {
  const [state, setState] = useState<WakeState>('off')
  useEffect(() => keepAwake(setState), [])
  return state
}
