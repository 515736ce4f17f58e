import type { Configuration } from '#react/dashboard.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { ListedNode } from '#settings/node-list.ts'
import type { Settings, WatchedNode } from '#settings/schema.ts'
import { nodeName } from '#texts/names.ts'

/** A node of one service as the table shows it. */
export type NodeRow = {
  /** The same for every way of writing the id. */
  readonly key: string
  readonly node: WatchedNode
  /** In this browser's settings; only these can be removed here. */
  readonly isOwn: boolean
  /** In the server's configuration, which alone can change it. */
  readonly isConfigured: boolean
  /** What this browser had set of a node of the server's configuration otherwise: kept, and not used. */
  readonly unused?: WatchedNode
}

const identityOf = ({ id }: ListedNode): string => (id === undefined ? '' : canonicalNodeId(id))

export const firstBaseUrlOf = ({ settings, server }: Pick<Configuration, 'settings' | 'server'>) =>
  (settings.services[0] ?? server.services[0])?.baseUrl

/** Whose a node is. Nodes that name no service belong to the first one. */
const isOf =
  (baseUrl: string, firstBaseUrl: string | undefined) =>
  (node: WatchedNode): boolean =>
    (node.service ?? firstBaseUrl) === baseUrl

/** Whether the notes of a node stand in the server's configuration, which alone can change them. */
export const hasNotesOfServer = (
  { nodes, services }: Configuration['server'],
  node: WatchedNode & { readonly service: string },
): boolean =>
  nodes
    .filter(isOf(node.service, services[0]?.baseUrl))
    .some((theirs) => theirs.notes !== undefined && identityOf(theirs) === identityOf(node))

/** Every node of a service, the server's first. */
export function rowsOf(configuration: Configuration, baseUrl: string): readonly NodeRow[] {
  const { settings, server, effective } = configuration
  const byKey = (nodes: readonly WatchedNode[], first: string | undefined) =>
    new Map(nodes.filter(isOf(baseUrl, first)).map((node) => [identityOf(node), node]))
  const own = byKey(settings.nodes, firstBaseUrlOf(configuration))
  const configured = byKey(server.nodes, server.services[0]?.baseUrl)
  return effective.nodes
    .filter(({ service }) => service === baseUrl)
    .map((node) => {
      const key = identityOf(node)
      const [mine, theirs] = [own.get(key), configured.get(key)]
      const row = { key, node, isOwn: mine !== undefined, isConfigured: theirs !== undefined }
      return mine !== undefined && theirs !== undefined && isOtherwise(mine, theirs)
        ? { ...row, unused: mine }
        : row
    })
}

/** Whether it says something that the other one does not say. */
const isOtherwise = (mine: WatchedNode, theirs: WatchedNode): boolean =>
  (mine.name !== undefined && mine.name !== theirs.name) ||
  (mine.tags.length > 0 && tagText(mine) !== tagText(theirs)) ||
  (mine.pollIntervalMs !== undefined && mine.pollIntervalMs !== theirs.pollIntervalMs) ||
  (mine.notes !== undefined && theirs.notes !== undefined && mine.notes !== theirs.notes)

/** The edit that takes a node off this browser's list; what it had set of a node of the server's, without its notes. */
export function withoutOwn({ key, node, unused }: NodeRow): NodeEdits {
  const hasNotesInUse = unused?.notes !== undefined && unused.notes === node.notes
  return new Map([[key, { node: hasNotesInUse ? node : undefined }]])
}

/** By `NodeRow.key`. */
export type NodeEdits = ReadonlyMap<string, NodeEdit>

type NodeEdit = {
  /** Undefined: off the list. */
  readonly node: WatchedNode | undefined
  /** Among all nodes, for one that is not on the list; absent: at the end. */
  readonly place?: number
}

/** The settings with these nodes of a service put in, replaced or taken out; and what takes it back. */
export function withEdits(
  settings: Settings,
  baseUrl: string,
  firstBaseUrl: string | undefined,
  edits: NodeEdits,
): { readonly settings: Settings; readonly undo: NodeEdits } {
  const isIts = isOf(baseUrl, firstBaseUrl)
  const undo = new Map<string, NodeEdit>()
  const nodes: WatchedNode[] = []
  for (const [place, node] of settings.nodes.entries()) {
    const key = identityOf(node)
    const edit = isIts(node) ? edits.get(key) : undefined
    if (edit === undefined) nodes.push(node)
    else {
      undo.set(key, { node, place })
      if (edit.node !== undefined) nodes.push({ ...edit.node, service: baseUrl })
    }
  }
  const added = Array.from(edits).filter(([key, { node }]) => node !== undefined && !undo.has(key))
  for (const [key, { node, place = nodes.length }] of added.toSorted(byPlace)) {
    undo.set(key, { node: undefined })
    if (node !== undefined) nodes.splice(place, 0, { ...node, service: baseUrl })
  }
  return { settings: { ...settings, nodes }, undo }
}

const byPlace = ([, one]: [string, NodeEdit], [, other]: [string, NodeEdit]): number =>
  (one.place ?? Infinity) === (other.place ?? Infinity)
    ? 0
    : (one.place ?? Infinity) - (other.place ?? Infinity)

/** By the service's base URL. */
export type EditsByService = ReadonlyMap<string, NodeEdits>

/** `withEdits` for several services. Undo in the order in which it is returned, because places are counted after the edits before. */
export function withEditsOfAll(
  { settings: given, server }: Pick<Configuration, 'settings' | 'server'>,
  edits: EditsByService,
): { readonly settings: Settings; readonly undo: EditsByService } {
  let settings = given
  const undo: [string, NodeEdits][] = []
  for (const [baseUrl, its] of edits) {
    const applied = withEdits(settings, baseUrl, firstBaseUrlOf({ settings, server }), its)
    ;({ settings } = applied)
    undo.unshift([baseUrl, applied.undo])
  }
  return { settings, undo: new Map(undo) }
}

/** What a list that is added does: a line says only what it gives, so it takes no name and no tag away. */
export type Addition = {
  readonly edits: EditsByService
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Of the server's configuration, which alone can change them. */
  readonly fixed: number
  /** Each node of the list, in its order. */
  readonly listed: readonly ListedChange[]
}

export type ListedChange = {
  readonly kind: 'new' | 'changed' | 'unchanged' | 'fixed'
  /** As it will be. */
  readonly node: WatchedNode & { readonly service: string }
  /** As it is; absent for a new one. */
  readonly before?: WatchedNode
}

/** `baseUrl`: the service that the list is for, and that of nodes that name none. */
export function additionOf(
  configuration: Configuration,
  baseUrl: string,
  listed: readonly ListedNode[],
): Addition {
  const services = new Set(listed.map(({ service = baseUrl }) => service))
  const known = new Map(
    Array.from(services, (service) => [
      service,
      new Map(rowsOf(configuration, service).map((row) => [row.key, row])),
    ]),
  )
  const changes = listed.map((each): ListedChange => {
    const { service = baseUrl } = each
    const row = known.get(service)?.get(identityOf(each))
    const before = row?.node
    const { name = before?.name, tags = before?.tags ?? [], notes = before?.notes } = each
    const node = {
      ...(before ?? { ...(each.id !== undefined && { id: each.id }) }),
      ...(name !== undefined && { name }),
      ...(notes !== undefined && { notes }),
      tags: [...tags],
      service,
    }
    if (before === undefined) return { kind: 'new', node }
    const isSame =
      before.name === name && before.notes === notes && tagText(before) === tagText({ tags: node.tags })
    const kind = isSame ? 'unchanged' : row?.isConfigured === true ? 'fixed' : 'changed'
    return { kind, node, before }
  })
  const count = (wanted: ListedChange['kind']): number => changes.filter(({ kind }) => kind === wanted).length
  return {
    edits: new Map(
      Array.from(services, (service): [string, NodeEdits] => [
        service,
        new Map(
          changes.flatMap(({ kind, node }) =>
            node.service === service && (kind === 'new' || kind === 'changed')
              ? [[identityOf(node), { node }]]
              : [],
          ),
        ),
      ]).filter(([, its]) => its.size > 0),
    ),
    added: count('new'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    fixed: count('fixed'),
    listed: changes,
  }
}

/** As it is called in sentences. */
export const nameOf = ({ name, id }: ListedNode): string => toVisibleText(nodeName({ name, nodeId: id }))

export const tagText = ({ tags = [] }: Pick<ListedNode, 'tags'>): string => tags.join(' ')

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
