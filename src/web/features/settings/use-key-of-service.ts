import { toVisibleText } from '#base/visible-text.ts'
import type { Service } from '#settings/schema.ts'
import { keyFor } from '#react/use-consent.ts'
import { useConfiguration, useKeys } from '#react/use-fleet.ts'
import { withService } from './services/service-fields.ts'
import { useSave, type Saved } from '#parts/save.tsx'
import { serviceLabel } from '#texts/names.ts'

type UseKeyOfService = {
  readonly saved: Saved | undefined
  /** The services that a key signs for: it was chosen for them, and they name it or it is the newest of these. */
  readonly servicesOf: (publicKey: string) => readonly Service[]
  /** Has the services name the key, from now on. False when the settings would not be valid with it. */
  readonly nameKey: (publicKey: string, services: readonly Service[]) => boolean
  /** Those among the services that stand in the server's file alone: to name a key makes a copy in this browser. */
  readonly notYetCopied: (services: readonly Service[]) => readonly Service[]
}

/** Which key signs for which service, and the way to change it. */
export function useKeyOfService(): UseKeyOfService {
  const { effective, settings } = useConfiguration()
  const { keys } = useKeys()
  const { saved, save } = useSave()
  return {
    saved,
    servicesOf: (publicKey) =>
      effective.services.filter((service) => keyFor(service, keys)?.publicKey === publicKey),
    nameKey: (publicKey, services) =>
      save((own) => services.reduce((now, service) => withService(now, { ...service, key: publicKey }), own)),
    notYetCopied: (services) =>
      services.filter(({ baseUrl }) => !settings.services.some((own) => own.baseUrl === baseUrl)),
  }
}

/** As it stands in titles and lists, with hidden characters made visible. */
export const nameOfService = (service: Pick<Service, 'label' | 'baseUrl'>): string =>
  toVisibleText(serviceLabel(service))
