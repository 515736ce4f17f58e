import { useRef, useState } from 'react'
import type { Service } from '#settings/schema.ts'
import { useDashboard, type AllowProblem } from './dashboard.ts'

/** Adds a service to the server's allow-list when it is needed, not while its URL is typed. */
export function useAllowed() {
  const { allowService, configuration } = useDashboard()
  /** Why the server rejected the service. If `isBlocking` is false, the service can still be polled. */
  const [allowProblem, setAllowProblem] = useState<
    AllowProblem & { readonly isBlocking: boolean; readonly service: Service }
  >()
  const allowed = useRef(new Set<string>())
  const lastAsked = useRef(0)

  /** Resolves to false if the service cannot be polled. */
  const allow = async (service: Service): Promise<boolean> => {
    const { server, settings } = configuration.get()
    // The server may not know a service in this browser's settings, for example after an import or a removal on the server.
    const known = [...server.services, ...(server.demo ? [server.demo.service] : [])]
    const isKnown = known.some((other) => identityOf(other) === identityOf(service))
    if (isKnown || allowed.current.has(identityOf(service))) return true
    const mine = ++lastAsked.current
    const answer = await allowService(service)
    // A host without an allow-list does not restrict direct requests either. A saved service may be edited even if the server
    // rejects it, because that adds no requests.
    const isSaved = settings.services.some((other) => identityOf(other) === identityOf(service))
    const mayTry = answer.ok || isSaved || (service.via === 'direct' && answer.error.kind !== 'refused')
    if (mayTry) allowed.current.add(identityOf(service))
    if (lastAsked.current === mine)
      setAllowProblem(answer.ok ? undefined : { ...answer.error, isBlocking: !mayTry, service })
    return mayTry
  }
  const forget = (): void => {
    lastAsked.current += 1 // A pending answer concerns an earlier address.
    setAllowProblem(undefined)
  }

  return { allowProblem, allow, forget }
}

const identityOf = ({ via, baseUrl }: Service): string => `${via} ${baseUrl}`
