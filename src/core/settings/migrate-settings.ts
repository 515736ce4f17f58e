/**
 * Brings an older document, of settings or of a server's configuration, up to version 2. Anything else comes back as it is, for the parser to judge. Never throws.
 */
export const migrated = (input: unknown): unknown =>
  isObject(input) && input['version'] === 1 ? fromVersion1(input) : input

/** Settings of version 2 had no rules for alarms, and a timeout was a deadline. A configuration is of version 2 still. */
export function migratedSettings(input: unknown): unknown {
  const document = migrated(input)
  if (!isObject(document) || document['version'] !== 2) return document
  const { services } = document
  return { ...document, version: 3, ...(Array.isArray(services) && { services: services.map(withTimeout) }) }
}

function withTimeout(service: unknown): unknown {
  if (!isObject(service) || service['deadlineMs'] === undefined) return service
  const { deadlineMs: timeoutMs, ...rest } = service
  return { ...rest, timeoutMs }
}

type Loose = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Version 1 had units on each service, and free texts as tags. What equals the defaults of
 * then was written into every document, so it counts as not set: it is detected from now on.
 */
function fromVersion1(document: Loose): Loose {
  const rules: Loose[] = []
  const moved = (service: unknown): unknown => {
    if (!isObject(service)) return service
    const { heartbeatPeriodMs, participationUnit, stakeUnit, ...others } = service
    const units = {
      ...(heartbeatPeriodMs !== undefined && heartbeatPeriodMs !== 15_000 && { heartbeatPeriodMs }),
      ...(participationUnit !== undefined &&
        participationUnit !== 'auto' && { participation: participationUnit }),
      ...(stakeUnit !== undefined && stakeUnit !== '' && { stakeSymbol: stakeUnit }),
    }
    if (Object.keys(units).length > 0) rules.push({ for: 'service', service: others['baseUrl'], units })
    return withTimeout(others)
  }
  const { services, nodes, demo } = document
  return {
    ...document,
    version: 2,
    ...(Array.isArray(services) && { services: services.map(moved) }),
    ...(Array.isArray(nodes) && { nodes: nodes.map(withNewTags) }),
    ...(isObject(demo) && {
      demo: {
        ...demo,
        service: moved(demo['service']),
        ...(Array.isArray(demo['nodes']) && { nodes: demo['nodes'].map(withNewTags) }),
      },
    }),
    ...(rules.length > 0 && { rules }),
  }
}

function withNewTags(node: unknown): unknown {
  if (!isObject(node) || !Array.isArray(node['tags'])) return node
  return { ...node, tags: node['tags'].map((tag) => (typeof tag === 'string' ? asTag(tag) : tag)) }
}

/** "EU west" was a tag; today it is "eu-west". One that began without a letter gets one. */
function asTag(text: string): string {
  const tag = text
    .trim()
    .replace(/[\s,;|#"'`]+/g, '-')
    .replace(/^-+/, '')
    .toLowerCase()
    .slice(0, 30)
  return /^\p{L}/u.test(tag) ? tag : `t-${tag}`
}
