import { useState } from 'react'
import { LOCK_WARNING_MS } from '#signer/api.ts'
import { UnlockDialog } from '#parts/unlock-dialog.tsx'
import { useKeys } from '#react/use-fleet.ts'
import { useLocks } from '#react/use-locks.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { formatAge } from '#texts/format.ts'
import { Button } from '#ui/button.tsx'
import { Message } from './message.tsx'

/** Warns before the key is locked. After the lock, the message about nodes that are not polled explains the effects. */
export function LockWarning() {
  const { state, stay } = useLocks(LOCK_WARNING_MS)
  if (state?.leftMs === undefined || state.leftMs > LOCK_WARNING_MS || state.leftMs === 0) return null
  return (
    <Message
      title={keyTexts.warning.title(formatAge(Math.ceil(state.leftMs / 10_000) * 10_000))}
      acts={[[keyTexts.warning.stay, stay, 'primary']]}
    >
      {keyTexts.warning.text}
    </Message>
  )
}

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
