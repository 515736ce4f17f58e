import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { keyFor } from '#react/use-consent.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { withServiceKey } from '#settings/effective.ts'
import { useSave, type Saved } from '#parts/save.tsx'
import { serviceLabel } from '#texts/names.ts'

type UseKeyOfService = {
  readonly saved: Saved | undefined
  /** The services that a key signs for: it was chosen for them, and they name it or it is the newest of these. */
  readonly servicesOf: (publicKey: string) => readonly Service[]
  /** Makes the key sign for the services. False when the settings would not be valid with it. */
  readonly nameKey: (publicKey: string, services: readonly Service[]) => boolean
}

/** Which key signs for which service, and the way to change it. */
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

/** As it stands in titles and lists, with hidden characters made visible. */
export const nameOfService = (service: Pick<Service, 'label' | 'baseUrl'>): string =>
  toVisibleText(serviceLabel(service))
