import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { keyFor } from '#react/use-consent.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { withServiceKey } from '#settings/effective.ts'
import { useSave, type Saved } from '#parts/save.tsx'
import { serviceLabel } from '#texts/names.ts'

type UseKeyOfService = {
  readonly saved: Saved | undefined
  /** Services with consent for this key that name it, or that name none while it is the newest of their keys. */
  readonly servicesOf: (publicKey: string) => readonly Service[]
  /** Makes the key sign for the services. False when the settings would not be valid with it. */
  readonly nameKey: (publicKey: string, services: readonly Service[]) => boolean
}

export function useKeyOfService(): UseKeyOfService {
  const { effective } = useConfiguration()
  const { keys } = useKeys()
  const { saved, save } = useSave()
  return {
    saved,
    servicesOf: (publicKey) =>
      effective.services.filter((service) => keyFor(service, keys)?.publicKey === publicKey),
    nameKey: (publicKey, services) =>
      save((own) => services.reduce((now, { baseUrl }) => withServiceKey(now, baseUrl, publicKey), own)),
  }
}

/** Display name, with hidden characters made visible. */
export const nameOfService = (service: Pick<Service, 'label' | 'baseUrl'>): string =>
  toVisibleText(serviceLabel(service))
