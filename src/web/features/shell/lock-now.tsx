import { LockKeyhole } from 'lucide-react'
import { useDashboard } from '#react/dashboard.ts'
import { useKeys } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { IconButton } from '#ui/button.tsx'

/** Locks the keys at once; undefined if nothing can be locked. */
export function useLockNow(): (() => void) | undefined {
  const { signer, refreshKeys } = useDashboard()
  const { keys } = useKeys()
  const lock = async (): Promise<void> => {
    await signer.lock().catch(() => undefined) // A signer that is gone holds no key.
    await refreshKeys()
  }
  return keys.some(({ locked }) => locked === false) ? () => void lock() : undefined
}

export function LockNow() {
  const lock = useLockNow()
  return lock === undefined ? null : (
    <IconButton label={shellTexts.lockNow} icon={LockKeyhole} onClick={lock} />
  )
}
