import { err, ok, type Result } from '#base/result.ts'
import { checkAddress, type AddressProblem } from '#protocol/address-check.ts'
import { formatNodeList, parseNodeList, type ListedNode } from '#settings/node-list.ts'
import { credentialOf } from '#signing/profile-needs.ts'
import { serviceAt, type Service, type Settings, type WatchedNode } from '#settings/schema.ts'
import type { Configuration } from '#react/dashboard.ts'

/** The answers as they stand in the form; the demo's nodes and one's own are kept apart. */
export type Draft = {
  readonly service: 'demo' | 'own'
  readonly address: string
  readonly via: Service['via']
  /** Another signing profile than the service's own. */
  readonly profile: Service['profile'] | undefined
  readonly key: 'existing' | 'make' | 'bring'
  /** Base URLs of given services that the key is not to sign for. */
  readonly withoutKey: readonly string[]
  /** Base URLs of services that the list of nodes names and the operator added. */
  readonly addedServices: readonly string[]
  readonly demoNodes: string
  readonly ownNodes: string
}

/** What needs no question, because the server's configuration or this browser's settings say it. */
export type Given = { readonly service: Service | undefined; readonly nodeCount: number }

export const givenBy = ({ effective }: Configuration): Given => ({
  service: effective.services[0],
  nodeCount: effective.nodes.length,
})

/** The services beside the first that a key of this screen could sign for. */
export const othersForKey = ({ effective }: Configuration): readonly Service[] =>
  effective.services
    .slice(1)
    .filter((service) => service.key === undefined && credentialOf(service) === 'key')

export const initialDraft = ({ server }: Configuration, hasKey: boolean): Draft => ({
  service: server.demo === undefined ? 'own' : 'demo',
  address: '',
  // A server that takes no service from here could pass on nothing for it either.
  via: server.canAddServices ? 'proxy' : 'direct',
  profile: undefined,
  key: hasKey ? 'existing' : 'make',
  withoutKey: [],
  addedServices: [],
  demoNodes: formatNodeList(server.demo?.nodes ?? []),
  ownNodes: '',
})

/** The service that the answers name, with every default filled in. */
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

/** The demo's nodes are offered for the demo's service, however it was chosen. */
export const usesDemoNodes = (draft: Draft, { server, effective }: Configuration): boolean => {
  const given = effective.services[0]
  if (server.demo === undefined) return false
  return given === undefined ? draft.service === 'demo' : given.baseUrl === server.demo.service.baseUrl
}

export const addedServicesOf = (draft: Draft, { server }: Configuration): readonly Service[] =>
  draft.addedServices.map((baseUrl) => serviceAt(baseUrl, server.canAddServices ? 'proxy' : 'direct'))

/** The nodes to watch, those that name no service at the first: what is listed, or the node of the key where nothing is. */
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

/** The settings with the answers added; what was in them stays. */
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
