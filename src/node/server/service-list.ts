import { DEFAULTS } from '#base/defaults.ts'
import { COLLECTED_UNITS } from '#prometheus/collected-now.ts'
import { type QueryApi, type Rule, type ServerConfig, type Service } from '#settings/schema.ts'
import { liveApiFor } from '#prometheus/long-term-series.ts'
import { serviceIdOf } from '#record/service.ts'
import type { AddedServices, Listed, Owner } from './receivers.ts'
import type { ConfigFile } from './config-file.ts'
import { serviceSources } from './security-headers.ts'

export type Demo = NonNullable<ServerConfig['demo']>

export type ServiceList = ReturnType<typeof createServiceList>

export type ServiceSources = {
  readonly file: ConfigFile
  readonly demo: Demo | undefined
  readonly added: AddedServices
  /** The public key with which this server signs for a service; undefined: the browser signs. */
  readonly keyOf: (service: Service) => string | undefined
  readonly isWatched: boolean
}

function unsigned(service: Service, signer?: 'dashboard-server'): Service {
  const { key: _, ...rest } = service
  const message = { kind: 'none', ...(signer && { signer }) } as const
  return { ...rest, via: 'proxy', profile: { v: 1, message, headers: {} } }
}

/**
 * Collected values are up to one poll interval and one scrape interval old. With twice their sum as interval they do not count
 * as late.
 */
function collected(service: Service, { scrapeMs }: QueryApi): Service {
  // The collector checks proofs; alarms about its verdict are raised by Prometheus.
  const { proof: _, ...rest } = unsigned(service)
  const intervalMs = 2 * (service.pollIntervalMs + scrapeMs)
  return { ...rest, pollIntervalMs: Math.min(DEFAULTS.pollIntervalMaxMs, intervalMs) }
}

/** Collectors export values in the displayed units, whatever the service reports. */
function collectedRules(rules: readonly Rule[], live: readonly Service[]): Rule[] {
  const isLive = (rule: Rule) => rule.for === 'tag' || live.some(({ baseUrl }) => baseUrl === rule.service)
  const others = rules.map((rule): Rule => {
    if (!isLive(rule)) return rule
    const { participation: _, stakeDecimals: _decimals, heartbeat: _heartbeat, ...units } = rule.units
    return { ...rule, units: rule.for === 'service' ? { ...units, ...COLLECTED_UNITS } : units }
  })
  const covered = new Set(others.flatMap((rule) => (rule.for === 'service' ? [rule.service] : [])))
  const more = live.flatMap(({ baseUrl }): Rule[] =>
    covered.has(baseUrl) ? [] : [{ for: 'service', service: baseUrl, units: COLLECTED_UNITS, limits: {} }],
  )
  return [...others, ...more]
}

const FILE_PROBLEMS_MAX = 20
const FILE_PROBLEM_CHARS_MAX = 300
/** Problems may quote the file. */
const shortened = (line: string): string => line.slice(0, FILE_PROBLEM_CHARS_MAX)

export function namedServices(file: Pick<ConfigFile, 'current'>, demo: Demo | undefined): readonly Service[] {
  const { services, demo: ofFile } = file.current()
  const offered = demo ?? ofFile
  return [...services, ...(offered === undefined ? [] : [offered.service])]
}

export function createServiceList({ file, demo, added, keyOf, isWatched }: ServiceSources) {
  const given = () => {
    const { $schema: _, demo: fileDemo, ...rest } = file.current()
    return { ...rest, demo: demo ?? fileDemo }
  }
  const made = (canAddServices: boolean, isViewOnly: boolean): ServerConfig => {
    const { services, rules, demo: offered, ...rest } = given()
    const liveApi = ({ baseUrl }: Service) => liveApiFor(rest.queryApis, baseUrl)
    const live = services.filter((service) => liveApi(service) !== undefined)
    const signedByServer = named().flatMap((service) => {
      const publicKey = liveApi(service) === undefined ? keyOf(service) : undefined
      return publicKey === undefined ? [] : [{ service: service.baseUrl, publicKey }]
    })
    const asAsked = (service: Service): Service => {
      const api = liveApi(service)
      if (api !== undefined) return collected(service, api)
      return keyOf(service) === undefined ? service : unsigned(service, 'dashboard-server')
    }
    const fileProblems = file.problems()
    return {
      ...rest,
      ...(offered && { demo: { ...offered, service: asAsked(offered.service) } }),
      ...(fileProblems.length > 0 && {
        fileProblems: fileProblems.slice(0, FILE_PROBLEMS_MAX).map(shortened),
      }),
      services: services.map(asAsked),
      rules: live.length === 0 ? rules : collectedRules(rules, live),
      canAddServices,
      ...(isViewOnly && { isViewOnly }),
      ...(signedByServer.length > 0 && { signedByServer }),
      ...(isWatched && { watch: { version: 1 } }),
    }
  }

  /** The same document until the file changes. */
  const newest = new Map<string, { readonly of: readonly unknown[]; readonly document: ServerConfig }>()
  const config = (canAddServices: boolean, isViewOnly = false): ServerConfig => {
    const kind = `${canAddServices} ${isViewOnly}`
    const of = [file.current(), file.problems()]
    const known = newest.get(kind)
    if (known?.of.every((part, index) => part === of[index]) === true) return known.document
    const document = made(canAddServices, isViewOnly)
    newest.set(kind, { of, document })
    return document
  }

  const named = () => namedServices(file, demo)
  const isAt = (serviceId: string) => (service: Service) => serviceIdOf(service.baseUrl) === serviceId

  return {
    config,
    named,
    /** The service of a proxy path; undefined if it is not allowed. */
    find: (owner: Owner, serviceId: string): Listed<Service> | undefined => {
      const ofServer = named().find(isAt(serviceId))
      const entry = ofServer ?? added.usable(owner).find(isAt(serviceId))
      return entry && { entry, isNamed: ofServer !== undefined }
    },
    /** Origins of services that the browser polls directly; sorted, without duplicates. */
    directOrigins: (owner: Owner): readonly string[] =>
      [...new Set([...named(), ...added.usable(owner)].flatMap(serviceSources))].toSorted(),
  }
}
