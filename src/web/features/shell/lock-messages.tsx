import { LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { LOCK_WARNING_MS } from '#signer/api.ts'
import { UnlockDialog } from '#parts/unlock-dialog.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useKeys } from '#react/use-fleet.ts'
import { Reads } from '#react/reads.tsx'
import { useLocks } from '#react/use-locks.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { formatAge } from '#texts/format.ts'
import { Banner } from '#ui/banner.tsx'
import { Button, IconButton } from '#ui/button.tsx'

/** Says ahead that the key will be locked. What follows from a lock is told by the message about what is not asked. */
export const LockWarning = () => (
  <Reads>
    <Warning />
  </Reads>
)

function Warning() {
  const { state, stay } = useLocks(LOCK_WARNING_MS)
  if (state?.leftMs === undefined || state.leftMs > LOCK_WARNING_MS || state.leftMs === 0) return null
  return (
    <Banner
      level="warning"
      title={keyTexts.warning.title(formatAge(Math.ceil(state.leftMs / 10_000) * 10_000))}
      actions={
        <Button size="small" look="primary" onClick={stay}>
          {keyTexts.warning.stay}
        </Button>
      }
    >
      {keyTexts.warning.text}
    </Banner>
  )
}

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
      label={keyTexts.unlock.lockNow}
      icon={<LockKeyhole className="i" aria-hidden />}
      onClick={lock}
    />
  )
}

/** Opens the dialog that opens the vault. */
export function UnlockButton({
  look,
  publicKey,
}: {
  readonly look: 'primary' | 'plain'
  readonly publicKey?: string | undefined
}) {
  const [isAsking, setAsking] = useState(false)
  const { keys } = useKeys()
  if (!keys.some(({ locked }) => locked === true)) return null
  return (
    <>
      <Button size="small" look={look} onClick={() => setAsking(true)}>
        {keyTexts.unlock.open}
      </Button>
      <UnlockDialog open={isAsking} onClose={() => setAsking(false)} publicKey={publicKey} />
    </>
  )
}
