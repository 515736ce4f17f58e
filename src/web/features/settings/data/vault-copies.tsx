import { useKeys } from '#react/use-fleet.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { useVaultCopy } from '#features/settings/keys/use-vault-copy.ts'

const words = keyTexts.forget

/** Before everything is forgotten: a copy of each key that can be copied, and which can't. */
export function VaultCopies() {
  const { keys } = useKeys()
  const { isFailed, save } = useVaultCopy()
  const vaults = keys.filter(({ custody }) => custody === 'vault')
  const others = keys.filter(({ custody }) => custody !== 'vault')
  return (
    <>
      {vaults.length > 0 && (
        <Flow>
          {vaults.map((key) => (
            <Button key={key.publicKey} size="small" onClick={() => void save(key.publicKey)}>
              {words.vault(shortOf(key))}
            </Button>
          ))}
          <span className="t12 ink3">{keyTexts.move.exportText}</span>
        </Flow>
      )}
      <p role="alert" className="t12 ink1">
        {isFailed && words.vaultFailed}
      </p>
      {others.length > 0 && <p>{words.noCopy(others.map(shortOf))}</p>}
    </>
  )
}

const shortOf = ({ publicKey }: KeyInfo): string => `${publicKey.slice(0, 4)}…${publicKey.slice(-4)}`
