import type { AlarmSettings } from './alarm-settings.ts'
import { canonicalNodeId } from '#record/node-id.ts'
import type { ScopedRule, SetBy } from './effective-settings.ts'
import type { Rule } from './rules.ts'
import type { SavedView, ServerConfig, Service, Settings, WatchedNode } from './settings.ts'

/** A rule, and who set it. */
export type SetRule = Rule & { readonly by: SetBy }

/** What is really watched, with every node's service filled in. */
export type Effective = {
  readonly services: readonly Service[]
  readonly nodes: readonly (WatchedNode & { readonly service: string })[]
  /** The server's before this browser's: of one scope the server's values count. */
  readonly rules: readonly SetRule[]
  /** Rules for alarms, and maintenance: the server's, with ids that no other has, then this browser's. */
  readonly alarms: AlarmSettings
  /** The server's before this browser's; of one name this browser's counts. */
  readonly views: readonly SavedView[]
}

/**
 * The server's part and the operator's part as one. Of a service that both name the operator's
 * copy counts; a node is as the server's file says, with the operator's notes where the file
 * has none. Nodes of a service that nobody describes are left out.
 */
export function effectiveConfig(server: ServerConfig, settings: Settings): Effective {
  const services = new Map<string, Service>()
  for (const service of [...server.services, ...settings.services]) services.set(service.baseUrl, service)
  const nodes = new Map<string, WatchedNode & { service: string }>()
  const ofFile = new Map<string, WatchedNode>()
  for (const [list, fallback] of [
    [server.nodes, server.services[0]],
    [settings.nodes, settings.services[0] ?? server.services[0]],
  ] as const) {
    for (const node of list) {
      const service = node.service ?? fallback?.baseUrl
      if (service === undefined || !services.has(service)) continue
      const key = `${service} ${node.id === undefined ? '' : canonicalNodeId(node.id)}`
      const provided = list === settings.nodes ? ofFile.get(key) : undefined
      const { notes = node.notes } = provided ?? {}
      const next = { ...(provided ?? node), ...(notes !== undefined && { notes }), service }
      nodes.set(key, next)
      if (list === server.nodes) ofFile.set(key, next)
    }
  }
  return {
    services: Array.from(services.values()),
    nodes: Array.from(nodes.values()),
    rules: [
      ...server.rules.map((rule) => ({ ...rule, by: 'config' as const })),
      ...settings.rules.map((rule) => ({ ...rule, by: 'browser' as const })),
    ],
    alarms: {
      rules: [...ofServer(server.alarms?.rules), ...settings.alarms.rules],
      maintenance: [...ofServer(server.alarms?.maintenance), ...settings.alarms.maintenance],
    },
    views: [
      ...(server.views ?? []).filter(({ name }) => !settings.views.some((own) => own.name === name)),
      ...settings.views,
    ],
  }
}

/** Ids of a browser have no such beginning. */
const SERVER_ID = 'server:'

const ofServer = <T extends { readonly id: string }>(items: readonly T[] = []): T[] =>
  items.map((item) => ({ ...item, id: `${SERVER_ID}${item.id}` }))

/** Whether a rule or a window stands in the server's configuration, which alone can change it. */
export const isOfServer = ({ id }: { readonly id: string }): boolean => id.startsWith(SERVER_ID)

/** The rule as one that is looked up: its scope in `from`. */
export function scopedRule(rule: SetRule): ScopedRule {
  const { units, limits, by } = rule
  const from = rule.for === 'tag' ? ({ kind: 'tag', tag: rule.tag, by } as const) : { kind: rule.for, by }
  return { from, units, limits }
}
