import { serviceIdOf } from '#record/service.ts'
import { CONFIG_VERSION, type ServerConfig, type Service } from '#settings/settings.ts'
import type { AddedServices, Listed } from './receivers.ts'
import type { ConfigFile } from './config-file.ts'
import { policySource } from './security-headers.ts'

export type Demo = NonNullable<ServerConfig['demo']>

/** Every service that this server knows: from its file, the demo, and those added from the browser. */
export type ServiceList = {
  /** What `/config.json` says. Added services are not in it: the browser that added them has them in its settings. */
  readonly config: (canAddServices: boolean) => ServerConfig
  /** The service that a proxy's path names; undefined when it is not allowed. */
  readonly find: (serviceId: string) => Listed<Service> | undefined
  /** Origins of the services that the browser asks itself; sorted, each once. */
  readonly directOrigins: () => readonly string[]
}

export type ServiceSources = {
  readonly file: ConfigFile | undefined
  readonly demo: Demo | undefined
  readonly added: AddedServices
}

const EMPTY: ServerConfig = {
  version: CONFIG_VERSION,
  services: [],
  nodes: [],
  rules: [],
  canAddServices: false,
}

export function createServiceList({ file, demo, added }: ServiceSources): ServiceList {
  const config = (canAddServices: boolean): ServerConfig => {
    const { $schema: _, demo: fileDemo, ...given } = file?.current() ?? EMPTY
    const offered = demo ?? fileDemo
    return {
      ...given,
      canAddServices,
      ...(offered === undefined ? {} : { demo: offered }),
    }
  }

  const named = (): readonly Service[] => {
    const { services, demo: offered } = config(false)
    return [...services, ...(offered === undefined ? [] : [offered.service])]
  }
  const isAt = (serviceId: string) => (service: Service) => serviceIdOf(service.baseUrl) === serviceId

  return {
    config,
    // What the person who runs the server wrote comes first.
    find: (serviceId) => {
      const ofServer = named().find(isAt(serviceId))
      const entry = ofServer ?? added.list().find(isAt(serviceId))
      return entry && { entry, isNamed: ofServer !== undefined }
    },
    directOrigins: () =>
      [
        ...new Set(
          [...named(), ...added.list()]
            .filter(({ via }) => via === 'direct')
            .flatMap(({ baseUrl }) => policySource(new URL(baseUrl).origin)),
        ),
      ].toSorted(),
  }
}
