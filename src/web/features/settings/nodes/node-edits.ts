import { canonicalNodeId } from '#record/node-id.ts'
import type { ListedNode } from '#settings/node-list.ts'
import type { Settings, WatchedNode } from '#settings/settings.ts'
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
  const olds = new Map(before.map((node) => [identityOf(node), node]))
  const stays = listed.filter((node) => olds.has(identityOf(node)))
  return {
    added: listed.length - stays.length,
    removed: before.length - stays.length,
    renamed: stays.filter((node) => olds.get(identityOf(node))?.name !== node.name).length,
    retagged: stays.filter((node) => tagsOf(olds.get(identityOf(node))) !== tagsOf(node)).length,
  }
}

const tagsOf = (node: ListedNode | undefined): string => (node?.tags ?? []).join(' ')

/** The settings with one service's nodes replaced by a list; what a list can't name, such as notes, stays with its node. */
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
  const nodes = listed.map((node): WatchedNode => {
    const { notes } = own.get(identityOf(node)) ?? {}
    return { ...node, ...(notes !== undefined && { notes }), tags: [...(node.tags ?? [])], service: baseUrl }
  })
  return { ...settings, nodes: [...others, ...nodes] }
}

/**
 * The settings in which the node has these notes; none where the text is empty. A node of the
 * server's configuration gets an entry of its own here, with the name and tags that it has now.
 */
export function withNotes(
  settings: Settings,
  node: WatchedNode & { readonly service: string },
  firstBaseUrl: string | undefined,
  text: string,
): Settings {
  const isIt = (each: WatchedNode): boolean =>
    (each.service ?? firstBaseUrl) === node.service && identityOf(each) === identityOf(node)
  const place = settings.nodes.findIndex(isIt)
  const { notes: _, ...rest } = settings.nodes[place] ?? node
  const notes = text.trim()
  const next: WatchedNode = { ...rest, ...(notes !== '' && { notes }) }
  const nodes = place === -1 ? [...settings.nodes, next] : settings.nodes.with(place, next)
  return { ...settings, nodes }
}
