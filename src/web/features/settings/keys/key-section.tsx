import { KeyPlace, SignerWarnings } from '#parts/key-place.tsx'
import { isSignedByServer, needsKey } from '#signing/profile-needs.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { settingsTexts } from '#texts/en-settings.ts'
import { Empty } from '#ui/empty.tsx'
import { AnotherKey, KeyMoveIn } from './add-key.tsx'
import { KeyLockAfter } from './key-vault.tsx'
import { KeyCard } from './key-card.tsx'

const words = settingsTexts.key

export function KeySection() {
  const { keys, failed } = useKeys()
  const { effective } = useConfiguration()
  const newest = keys.at(-1)
  const isNeeded = effective.services.length === 0 || effective.services.some(needsKey)
  const notNeeded = effective.services.some(isSignedByServer) ? words.noneOnServer : words.noneNeeded
  return (
    <>
      <SignerWarnings />
      {keys.length === 0 && (
        <Empty title={words.none}>{failed ? words.failed : isNeeded ? words.noneText : notNeeded}</Empty>
      )}
      {keys.toReversed().map((info) => (
        <KeyCard key={info.publicKey} info={info} />
      ))}
      {(newest !== undefined || isNeeded) && <KeyPlace custody={newest?.custody} />}
      {keys.some(({ custody }) => custody === 'vault') && <KeyLockAfter />}
      {!failed && <AnotherKey isFirst={keys.length === 0} />}
      {!failed && <KeyMoveIn />}
    </>
  )
}
