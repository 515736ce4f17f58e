import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { keyFor } from '#react/use-consent.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { withServiceKey } from '#settings/effective.ts'
import { useSave } from '#parts/save.tsx'
import { serviceLabel } from '#texts/names.ts'

export function useKeyOfService() {
  const { effective } = useConfiguration()
  const { keys } = useKeys()
  const { saved, save } = useSave()
  return {
    saved,
    /** Services that this key signs for: they name it, or name no key and it is the newest with consent for them. */
    servicesOf: (publicKey: string): readonly Service[] =>
      effective.services.filter((service) => keyFor(service, keys)?.publicKey === publicKey),
    /** Makes the key sign for the services. False if the settings would then be invalid. */
    nameKey: (publicKey: string, services: readonly Service[]): boolean =>
      save((own) => services.reduce((now, { baseUrl }) => withServiceKey(now, baseUrl, publicKey), own)),
  }
}

export const nameOfService = (service: Pick<Service, 'label' | 'baseUrl'>): string =>
  toVisibleText(serviceLabel(service))
