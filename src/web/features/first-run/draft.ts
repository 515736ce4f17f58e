import { err, ok, type Result } from '#base/result.ts'
import { checkAddress, type AddressProblem } from '#protocol/address-check.ts'
import { formatNodeList, parseNodeList, type ListedNode } from '#settings/node-list.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { serviceAt, type Service, type Settings, type WatchedNode } from '#settings/schema.ts'
import type { Configuration } from '#react/dashboard.ts'

/** The form's answers; the demo's nodes and the operator's own are stored separately. */
export type Draft = {
  readonly service: 'demo' | 'own'
  readonly address: string
  readonly via: Service['via']
  /** Overrides the service's signing profile. */
  readonly profile: Service['profile'] | undefined
  readonly key: 'existing' | 'make' | 'bring'
  /** Base URLs of configured services that the key must not sign for. */
  readonly withoutKey: readonly string[]
  /** Base URLs of services that the node list names and the operator added. */
  readonly addedServices: readonly string[]
  readonly demoNodes: string
  readonly ownNodes: string
}

/** Answers that the server's configuration or this browser's settings already contain. */
export type Given = { readonly service: Service | undefined; readonly nodeCount: number }

export const givenBy = ({ effective }: Configuration): Given => ({
  service: effective.services[0],
  nodeCount: effective.nodes.length,
})

/** Services other than the first that a key from this screen may sign for. */
export const othersForKey = ({ effective }: Configuration): readonly Service[] =>
  effective.services
    .slice(1)
    .filter((service) => service.key === undefined && credentialOf(service) === 'key')

export const initialDraft = ({ server }: Configuration, hasKey: boolean): Draft => ({
  service: server.demo === undefined ? 'own' : 'demo',
  address: '',
  // A server that accepts no services from this page cannot proxy for one either.
  via: server.canAddServices ? 'proxy' : 'direct',
  profile: undefined,
  key: hasKey ? 'existing' : 'make',
  withoutKey: [],
  addedServices: [],
  demoNodes: formatNodeList(server.demo?.nodes ?? []),
  ownNodes: '',
})

export function serviceOf(
  draft: Draft,
  configuration: Configuration,
  pageOrigin: string,
): Result<Service, AddressProblem> {
  const service = serviceAsOffered(draft, configuration, pageOrigin)
  return service.ok && draft.profile !== undefined
    ? ok({ ...service.value, profile: draft.profile })
    : service
}

function serviceAsOffered(
  draft: Draft,
  { server, effective }: Configuration,
  pageOrigin: string,
): Result<Service, AddressProblem> {
  const given = effective.services[0]
  if (given !== undefined) return ok(given)
  if (draft.service === 'demo' && server.demo !== undefined) return ok(server.demo.service)
  const address = checkAddress(draft.address, draft.via, pageOrigin)
  return address.ok ? ok(serviceAt(address.value.baseUrl, draft.via)) : address
}

/** Demo nodes are offered for the demo's service, whether the operator chose it or the configuration sets it. */
export const usesDemoNodes = (draft: Draft, { server, effective }: Configuration): boolean => {
  const given = effective.services[0]
  if (server.demo === undefined) return false
  return given === undefined ? draft.service === 'demo' : given.baseUrl === server.demo.service.baseUrl
}

export const addedServicesOf = (draft: Draft, { server }: Configuration): readonly Service[] =>
  draft.addedServices.map((baseUrl) => serviceAt(baseUrl, server.canAddServices ? 'proxy' : 'direct'))

/** The listed nodes, or the default node if none is listed. Nodes without a service belong to the first one. */
export function nodesOf(
  text: string,
  services: readonly [Service, ...Service[]],
): Result<readonly WatchedNode[], 'only-bad-lines'> {
  const [first] = services
  const { nodes, badCount } = parseNodeList(text, services)
  if (nodes.length === 0 && badCount > 0) return err('only-bad-lines')
  const listed: readonly ListedNode[] = nodes.length === 0 ? [{}] : nodes
  return ok(listed.map((node) => ({ service: first.baseUrl, ...node, tags: [...(node.tags ?? [])] })))
}

export const settingsWith = (
  settings: Settings,
  services: readonly Service[],
  nodes: readonly WatchedNode[],
): Settings => ({
  ...settings,
  services: [
    ...settings.services.filter(({ baseUrl }) => services.every((service) => service.baseUrl !== baseUrl)),
    ...services,
  ],
  nodes: [...settings.nodes, ...nodes],
})
