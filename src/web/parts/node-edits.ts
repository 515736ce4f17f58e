import { type Configuration, useDashboard } from '#react/dashboard.ts'
import { toVisibleText } from '#base/visible-text.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { ListedNode } from '#settings/node-list.ts'
import { type Settings, type WatchedNode, WatchedNodeSchema } from '#settings/schema.ts'
import { nodeName } from '#texts/names.ts'
import { useSay } from '#react/toasts.ts'
import { useSave } from './save.tsx'
import type { Result } from '#base/result.ts'
import { draftOf, readFields, secondsField, type DraftOf, type FieldProblems } from '#react/form-draft.ts'

export type NodeRow = {
  /** Normalized id, equal for every notation. */
  readonly key: string
  readonly node: WatchedNode
  /** Listed in this browser's settings, and so removable here. */
  readonly isOwn: boolean
  /** Listed in the server's configuration, and so editable only there. */
  readonly isConfigured: boolean
  /** This browser's values for a node that the server's configuration sets differently; stored, but not used. */
  readonly unused?: WatchedNode
}

const identityOf = ({ id }: ListedNode): string => (id === undefined ? '' : canonicalNodeId(id))

export const firstBaseUrlOf = ({ settings, server }: Pick<Configuration, 'settings' | 'server'>) =>
  (settings.services[0] ?? server.services[0])?.baseUrl

/** Nodes without a service belong to the first one. */
const isOf =
  (baseUrl: string, firstBaseUrl: string | undefined) =>
  (node: WatchedNode): boolean =>
    (node.service ?? firstBaseUrl) === baseUrl

/** Whether the server's configuration sets the node's notes, which are then editable only there. */
export const hasNotesOfServer = (
  { nodes, services }: Configuration['server'],
  node: WatchedNode & { readonly service: string },
): boolean =>
  nodes
    .filter(isOf(node.service, services[0]?.baseUrl))
    .some((theirs) => theirs.notes !== undefined && identityOf(theirs) === identityOf(node))

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

/** Whether `mine` sets a value that `theirs` lacks or sets differently. */
const isOtherwise = (mine: WatchedNode, theirs: WatchedNode): boolean =>
  (mine.name !== undefined && mine.name !== theirs.name) ||
  (mine.tags.length > 0 && tagText(mine) !== tagText(theirs)) ||
  (mine.pollIntervalMs !== undefined && mine.pollIntervalMs !== theirs.pollIntervalMs) ||
  (mine.notes !== undefined && theirs.notes !== undefined && mine.notes !== theirs.notes)

/** The edit that removes a node from this browser's list. Notes that are in use stay. */
export function withoutOwn({ key, node, unused }: NodeRow): NodeEdits {
  const hasNotesInUse = unused?.notes !== undefined && unused.notes === node.notes
  return new Map([[key, { node: hasNotesInUse ? node : undefined }]])
}

/** Keyed by `NodeRow.key`. */
export type NodeEdits = ReadonlyMap<string, NodeEdit>

type NodeEdit = {
  /** Undefined removes the node. */
  readonly node: WatchedNode | undefined
  /** Index among all nodes for a new entry; absent: at the end. */
  readonly place?: number
}

/** Keyed by the service's base URL. */
export type EditsByService = ReadonlyMap<string, NodeEdits>

/** Applies edits to the nodes of several services; also returns the edits that undo them. */
export function withEdits(
  { settings, server }: Pick<Configuration, 'settings' | 'server'>,
  edits: EditsByService,
): { readonly settings: Settings; readonly undo: EditsByService } {
  const firstBaseUrl = firstBaseUrlOf({ settings, server })
  const undo = new Map(Array.from(edits.keys(), (baseUrl) => [baseUrl, new Map<string, NodeEdit>()]))
  const nodes: WatchedNode[] = []
  for (const [place, node] of settings.nodes.entries()) {
    const baseUrl = node.service ?? firstBaseUrl ?? ''
    const key = identityOf(node)
    const edit = edits.get(baseUrl)?.get(key)
    if (edit === undefined) nodes.push(node)
    else {
      undo.get(baseUrl)?.set(key, { node, place })
      if (edit.node !== undefined) nodes.push({ ...edit.node, service: baseUrl })
    }
  }
  const added = Array.from(edits).flatMap(([baseUrl, its]) =>
    Array.from(its).flatMap(([key, { node, place = Infinity }]) =>
      node === undefined || undo.get(baseUrl)?.has(key) === true ? [] : { baseUrl, key, node, place },
    ),
  )
  // In this order, each index is right when its node is put back.
  for (const { baseUrl, key, node, place } of added.toSorted((one, other) => one.place - other.place)) {
    undo.get(baseUrl)?.set(key, { node: undefined })
    nodes.splice(place, 0, { ...node, service: baseUrl })
  }
  return { settings: { ...settings, nodes }, undo }
}

export type ListedChange = {
  /** `fixed`: only the server's configuration can change the node. */
  readonly kind: 'new' | 'changed' | 'unchanged' | 'fixed'
  readonly node: WatchedNode & { readonly service: string }
  readonly before?: WatchedNode
}

/**
 * `baseUrl` is the service of nodes that name none. A line sets only the values it contains, so it never removes a name or tag.
 */
export function additionOf(configuration: Configuration, baseUrl: string, listed: readonly ListedNode[]) {
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

export type Addition = ReturnType<typeof additionOf>

export const nameOf = ({ name, id }: ListedNode): string => toVisibleText(nodeName({ name, nodeId: id }))

export const tagText = ({ tags = [] }: Pick<ListedNode, 'tags'>): string => tags.join(' ')

/**
 * Sets a node's notes; an empty text removes them. A node of the server's configuration gets an entry in these settings, with
 * its current name and tags.
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

export function useNodeEdits() {
  const { configuration } = useDashboard()
  const { save, saved } = useSave()
  const say = useSay()
  const apply = (edits: EditsByService): EditsByService | undefined => {
    let undo: EditsByService | undefined
    const isSaved = save(() => {
      const applied = withEdits(configuration.get(), edits)
      ;({ undo } = applied)
      return applied.settings
    })
    return isSaved ? undo : undefined
  }
  return {
    saved,
    /** Applies edits at once, with a confirmation that undoes them. False if they could not be saved. */
    edit: (edits: EditsByService, done: string): boolean => {
      const undo = apply(edits)
      if (undo !== undefined) say(done, () => void apply(undo))
      return undo !== undefined
    },
  }
}

/** Seconds as typed; empty: the service's default. */
const FIELDS = { poll: secondsField('pollIntervalMs') }

export const pollTextOf = (node: WatchedNode): string => draftOf(FIELDS, node).poll

/** Sets the interval, and returns the same object if nothing changes; or the problem with the text. */
export function withPollText(
  node: WatchedNode,
  poll: string,
): Result<WatchedNode, FieldProblems<DraftOf<typeof FIELDS>>> {
  const read = readFields(WatchedNodeSchema, FIELDS, { poll }, node)
  return read.ok && read.value.pollIntervalMs === node.pollIntervalMs ? { ...read, value: node } : read
}
