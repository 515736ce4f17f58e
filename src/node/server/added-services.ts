import { err, ok, type Result } from '#base/result.ts'
import { DEFAULTS } from '#base/defaults.ts'
import { parseServerConfig, CONFIG_VERSION, type Service } from '#settings/settings.ts'
import { openKeptList } from './kept-list.ts'

/** Services that were added from the browser. They are the proxy's allow-list, not a part of the configuration. */
export type AddedServices = {
  readonly list: () => readonly Service[]
  /** Adds a service, or replaces the one with the same base URL. */
  readonly add: (service: Service) => Result<void, 'full'>
  /** Takes a service out again; nothing happens where there is none with this base URL. */
  readonly remove: (baseUrl: string) => void
}

export const ADDED_FILE = 'services.json'

/** Kept in `folder`; undefined keeps them in memory only. */
export function openAddedServices(folder: string | undefined, report: (line: string) => void): AddedServices {
  const kept = openKeptList<Service>({
    folder,
    file: ADDED_FILE,
    things: 'services',
    parse: (document) => {
      const parsed = parseServerConfig(document)
      return parsed.ok ? parsed.value.services : undefined
    },
    documentOf: (services) => ({ version: CONFIG_VERSION, services }),
    report,
  })
  return {
    list: kept.get,
    add: (service) => {
      const others = kept.get().filter(({ baseUrl }) => baseUrl !== service.baseUrl)
      if (others.length >= DEFAULTS.servicesMax) return err('full')
      kept.set([...others, service])
      return ok(undefined)
    },
    remove: (baseUrl) => {
      const others = kept.get().filter((service) => service.baseUrl !== baseUrl)
      if (others.length < kept.get().length) kept.set(others)
    },
  }
}
