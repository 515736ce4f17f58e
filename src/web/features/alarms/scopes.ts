import type { AlarmScope } from '#settings/schema.ts'
import { ruleKey, type Effective } from '#settings/effective.ts'
import { alarmRuleTexts } from '#texts/en-alarm-rules.ts'
import { nodeName, serviceLabel } from '#texts/names.ts'

const words = alarmRuleTexts.scopes

const NODES_LISTED_MAX = 500

export function scopesOf({ services, nodes }: Effective, chosen: AlarmScope): readonly AlarmScope[] {
  const tags = Array.from(new Set(nodes.flatMap((node) => node.tags))).toSorted()
  const all: readonly AlarmScope[] = [
    { for: 'all' },
    ...services.map(({ baseUrl }) => ({ for: 'service' as const, service: baseUrl })),
    ...tags.map((tag) => ({ for: 'tag' as const, tag })),
    ...nodes
      .slice(0, NODES_LISTED_MAX)
      .map(({ service, id }) => ({ for: 'node' as const, service, ...(id !== undefined && { node: id }) })),
  ]
  return all.some((scope) => scopeKey(scope) === scopeKey(chosen)) ? all : [...all, chosen]
}

export const scopeKey = (scope: AlarmScope): string => (scope.for === 'all' ? 'all' : ruleKey(scope))

export function scopeName(scope: AlarmScope, { services, nodes }: Effective): string {
  switch (scope.for) {
    case 'all':
      return words.all
    case 'service': {
      const service = services.find(({ baseUrl }) => baseUrl === scope.service)
      return words.service(serviceLabel({ label: service?.label, baseUrl: scope.service }))
    }
    case 'tag':
      return words.tag(scope.tag)
    case 'node': {
      const node = nodes.find(({ service, id }) => service === scope.service && id === scope.node)
      return words.node(nodeName({ name: node?.name, nodeId: scope.node }))
    }
  }
}
