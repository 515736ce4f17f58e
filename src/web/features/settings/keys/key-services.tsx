import { useConfiguration } from '#react/use-fleet.ts'
import type { KeyInfo } from '#signer/api.ts'
import { keyTexts } from '#texts/en-keys.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { SavedNote } from '#features/settings/save.tsx'
import { nameOfService, useKeyOfService } from '#features/settings/use-key-of-service.ts'

/** The services that another key signs for, each to be given to this one. */
export function KeyServices({ info }: { readonly info: KeyInfo }) {
  const { effective } = useConfiguration()
  const { saved, servicesOf, nameKey } = useKeyOfService()
  const mine = servicesOf(info.publicKey).map(({ baseUrl }) => baseUrl)
  const others = effective.services.filter(({ baseUrl }) => !mine.includes(baseUrl))
  return (
    <>
      {others.length > 0 && (
        <Flow>
          {others.map((service) => (
            <Button key={service.baseUrl} size="small" onClick={() => nameKey(info.publicKey, [service])}>
              {keyTexts.card.signFor(nameOfService(service))}
            </Button>
          ))}
        </Flow>
      )}
      <SavedNote saved={saved} />
    </>
  )
}
