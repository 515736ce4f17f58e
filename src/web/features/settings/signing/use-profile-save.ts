import { useState } from 'react'
import type { Service } from '#settings/settings.ts'
import { useDashboard, type AllowProblem } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { withService } from '#features/settings/services/service-fields.ts'
import { useSave, type Saved } from '#features/settings/save.tsx'

type UseProfileSave = {
  readonly save: (next: Service) => Promise<void>
  readonly saved: Saved | undefined
  readonly edited: () => void
  readonly busy: boolean
  readonly allowProblem: (AllowProblem & { readonly isBlocking: boolean }) | undefined
  /** Whether this server passes on the headers of the profile. */
  readonly isAllowed: (next: Service) => Promise<boolean>
}

/** Headers that this dashboard's proxy passes on without having been told. */
const ALWAYS_PASSED = /^(authorization|signature|signature-input|x-node-[a-z0-9-]+)$/i

/** Saves a service with another profile, and lets the server's proxy know of new headers first. */
export function useProfileSave(service: Service): UseProfileSave {
  const { allowService } = useDashboard()
  const { server } = useConfiguration()
  const { saved, save, edited } = useSave()
  const [busy, setBusy] = useState(false)
  const [allowProblem, setAllowProblem] = useState<UseProfileSave['allowProblem']>()

  const isAllowed = async (next: Service): Promise<boolean> => {
    // A built-in profile's headers are known to every server.
    const names = typeof next.profile === 'string' ? [] : Object.keys(next.profile.headers)
    if (service.via === 'direct' || names.every((name) => ALWAYS_PASSED.test(name))) return true
    if (!server.canAddServices) return true // its own file decides; a dropped header shows as a refusal
    setBusy(true)
    const answer = await allowService(next)
    setBusy(false)
    setAllowProblem(answer.ok ? undefined : { ...answer.error, isBlocking: true })
    return answer.ok
  }
  return {
    saved,
    busy,
    allowProblem,
    isAllowed,
    edited: () => {
      edited()
      setAllowProblem(undefined)
    },
    save: async (next) => {
      if (await isAllowed(next)) save((now) => withService(now, next))
    },
  }
}
