import { useEffect, useState } from 'react'
import { keepAwake, type WakeState } from '#platform/wake-lock.ts'

export function useWakeLock(): WakeState {
  const [state, setState] = useState<WakeState>('off')
  useEffect(() => keepAwake(setState), [])
  return state
}
