import { useMemo } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import type { AssessedNode, NodeKey, ServiceLive } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { baseUrlOf } from '#record/service.ts'
import { effectiveSettings, NO_SERVICE_RULES, type EffectiveSettings } from '#settings/effective.ts'
import { useFleet } from '#react/use-fleet.ts'
import { idName, serviceLabel } from '#texts/names.ts'
import { joined } from '#texts/format.ts'

export type Subject = {
  readonly key: NodeKey
  /** Unique among the compared nodes. */
  readonly title: string
  readonly node: AssessedNode | undefined
  readonly service: ServiceLive | undefined
  readonly settings: EffectiveSettings
}

/**
 * The nodes named in the URL with their current state, including those not watched. Referentially stable while none of them
 * changes.
 */
export function useSubjects(keys: readonly NodeKey[]): readonly Subject[] {
  const select = useMemo(() => keepingSame(keys), [keys])
  const found = useFleet(select)
  return useMemo(() => subjectsOf(found), [found])
}

type Found = Omit<Subject, 'title' | 'settings'>

function keepingSame(keys: readonly NodeKey[]): (fleet: FleetSnapshot) => readonly Found[] {
  let last: readonly Found[] | undefined
  return ({ nodes, services }) => {
    const next = keys.map((key) => {
      const node = nodes.get(key)
      return { key, node, service: node && services.get(node.serviceId) }
    })
    const isSame = last?.every(
      ({ node, service }, place) => node === next[place]?.node && service === next[place]?.service,
    )
    if (last === undefined || isSame !== true) last = next
    return last
  }
}

/** Nodes may share a name, and two services may provide the same node. */
function subjectsOf(found: readonly Found[]): readonly Subject[] {
  const named = found.map((each) => ({ ...each, ...namesOf(each) }))
  const areSame = (field: 'name' | 'id', value: string): boolean =>
    named.filter((each) => each[field] === value).length > 1
  return named.map(({ key, node, service, name, id, via }) => {
    const isNamesake = areSame('name', name)
    const parts = [name, isNamesake && id !== name && id, isNamesake && areSame('id', id) && via]
    return {
      key,
      node,
      service,
      title: toVisibleText(joined(' · ', parts)),
      settings: effectiveSettings(service?.rules ?? NO_SERVICE_RULES, node ?? NOBODY),
    }
  })
}

/** A node that is not watched has no settings of its own. */
const NOBODY = { tags: [], rules: [] }

const OWN = 'own'
/** The URL may contain text of any length. */
const CHARS_MAX = 40

function namesOf({ key, node, service }: Found): Readonly<Record<'name' | 'id' | 'via', string>> {
  const [serviceId = '', asked = OWN] = key.split('!')
  const nodeId = node === undefined ? (asked === OWN ? undefined : asked) : node.nodeId
  const id = idName(nodeId)
  const baseUrl = service?.service.baseUrl ?? baseUrlOf(serviceId)
  if (baseUrl === undefined) return { name: key.slice(0, CHARS_MAX), id: '', via: '' }
  return { name: node?.name ?? id, id, via: serviceLabel({ label: service?.service.label, baseUrl }) }
}
