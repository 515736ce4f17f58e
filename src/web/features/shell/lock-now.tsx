import { LockKeyhole } from 'lucide-react'
import { useDashboard } from '#react/dashboard.ts'
import { useKeys } from '#react/use-fleet.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { IconButton } from '#ui/button.tsx'

/** Locks at once; undefined where there is nothing to lock. */
export function useLockNow(): (() => void) | undefined {
  const { signer, refreshKeys } = useDashboard()
  const { keys } = useKeys()
  const lock = async (): Promise<void> => {
    await signer.lock().catch(() => undefined) // a signer that is gone holds no key
    await refreshKeys()
  }
  return keys.some(({ locked }) => locked === false) ? () => void lock() : undefined
}

/** A way to lock at once, from every page, where there is something to lock. */
export function LockNow() {
  const lock = useLockNow()
  return lock === undefined ? null : (
    <IconButton
      label={shellTexts.lockNow}
      icon={<LockKeyhole className="icon" aria-hidden />}
      onClick={lock}
    />
  )
}
