import { canonicalNodeId } from '#protocol/node-id.ts'
import type { ListedNode } from '#protocol/node-list.ts'
import type { Settings, WatchedNode } from '#protocol/settings.ts'
import type { NodeChanges } from '#texts/en-settings.ts'

const identityOf = ({ id }: ListedNode): string => (id === undefined ? '' : canonicalNodeId(id))

/** The operator's own nodes of one service. Nodes that name no service belong to the first one. */
export const ownNodesOf = (
  nodes: readonly WatchedNode[],
  baseUrl: string,
  firstBaseUrl: string | undefined,
): readonly WatchedNode[] => nodes.filter((node) => (node.service ?? firstBaseUrl) === baseUrl)

/** What saving a list would do to the nodes that are watched now. */
export function changesOf(before: readonly ListedNode[], listed: readonly ListedNode[]): NodeChanges {
  const names = new Map(before.map((node) => [identityOf(node), node.name]))
  const stays = listed.filter((node) => names.has(identityOf(node)))
  return {
    added: listed.length - stays.length,
    removed: before.length - stays.length,
    renamed: stays.filter((node) => names.get(identityOf(node)) !== node.name).length,
  }
}

/** The settings with one service's nodes replaced by a list; what the list does not name, such as tags, stays with its node. */
export function withNodes(
  settings: Settings,
  baseUrl: string,
  firstBaseUrl: string | undefined,
  listed: readonly ListedNode[],
): Settings {
  const own = new Map(
    ownNodesOf(settings.nodes, baseUrl, firstBaseUrl).map((node) => [identityOf(node), node]),
  )
  const others = settings.nodes.filter((node) => (node.service ?? firstBaseUrl) !== baseUrl)
  const nodes = listed.map((node) => ({
    tags: own.get(identityOf(node))?.tags ?? [],
    ...node,
    service: baseUrl,
  }))
  return { ...settings, nodes: [...others, ...nodes] }
}
