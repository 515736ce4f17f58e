import { useRef, useState } from 'react'
import type { Service } from '#settings/schema.ts'
import { useDashboard, type AllowProblem } from './dashboard.ts'

type UseAllowed = {
  /** Why the server would not take the service. It can be asked all the same where `isBlocking` is false. */
  readonly allowProblem:
    | (AllowProblem & { readonly isBlocking: boolean; readonly service: Service })
    | undefined
  /** False where the service can't be asked. */
  readonly allow: (service: Service) => Promise<boolean>
  readonly forget: () => void
}

/** Lets a service through this dashboard's server once it is really asked for, not while it is typed. */
export function useAllowed(): UseAllowed {
  const { allowService, configuration } = useDashboard()
  const [allowProblem, setAllowProblem] = useState<UseAllowed['allowProblem']>()
  const allowed = useRef(new Set<string>())
  const lastAsked = useRef(0)

  const allow = async (service: Service): Promise<boolean> => {
    const { server, settings } = configuration.get()
    // What this browser's settings name need not be known to the server: an imported file named it, or it was removed there.
    const known = [...server.services, ...(server.demo ? [server.demo.service] : [])]
    const isKnown = known.some((other) => identityOf(other) === identityOf(service))
    if (isKnown || allowed.current.has(identityOf(service))) return true
    const mine = ++lastAsked.current
    const answer = await allowService(service)
    // A host that has no such step sets no limits to what the page may ask directly either.
    // What is saved already can be changed all the same: by that nothing more is asked of the service.
    const isSaved = settings.services.some((other) => identityOf(other) === identityOf(service))
    const mayTry = answer.ok || isSaved || (service.via === 'direct' && answer.error.kind !== 'refused')
    if (mayTry) allowed.current.add(identityOf(service))
    if (lastAsked.current === mine)
      setAllowProblem(answer.ok ? undefined : { ...answer.error, isBlocking: !mayTry, service })
    return mayTry
  }
  const forget = (): void => {
    lastAsked.current += 1 // what is still asked is about an address that no longer stands there
    setAllowProblem(undefined)
  }

  return { allowProblem, allow, forget }
}

const identityOf = ({ via, baseUrl }: Service): string => `${via} ${baseUrl}`
