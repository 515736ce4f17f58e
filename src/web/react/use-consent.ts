import { useRef, useState } from 'react'
import { serviceIdOf } from '#record/service.ts'
import { isGranted } from '#signing/signing-grant.ts'
import type { Service } from '#settings/schema.ts'
import type { GrantProblem, KeyInfo, VaultSecret } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

/** The key that signs for a service: the named one, or the newest with consent for it. */
export function keyFor(service: Service, keys: readonly KeyInfo[]): KeyInfo | undefined {
  const id = serviceIdOf(service.baseUrl)
  return keys.findLast(
    ({ publicKey, grants }) =>
      (service.key === undefined || service.key === publicKey) &&
      grants?.some(({ serviceId }) => serviceId === id) === true,
  )
}

export type ConsentAsked = { readonly info: KeyInfo; readonly service: Service }

/** `failed`: the signer does not answer. */
export type ConsentProblem = GrantProblem | 'failed'

export type UseConsent = ReturnType<typeof useConsent>

/** Asks the operator for missing consent to sign. `ConsentDialog` shows the question. */
export function useConsent() {
  const { signer, refreshKeys, keys } = useDashboard()
  const [asked, setAsked] = useState<ConsentAsked>()
  const [problem, setProblem] = useState<ConsentProblem>()
  const [isBusy, setBusy] = useState(false)
  const answer = useRef<(granted: boolean) => void>(undefined)

  const settle = (granted: boolean): void => {
    setAsked(undefined)
    setProblem(undefined)
    answer.current?.(granted)
    answer.current = undefined
  }
  const tryGrant = async (
    { info, service }: ConsentAsked,
    secret?: VaultSecret,
  ): Promise<ConsentProblem | undefined> => {
    const granted = await signer
      .allowSigning(info.publicKey, service, secret)
      .catch(() => ({ ok: false as const, error: 'failed' as const }))
    if (!granted.ok) return granted.error
    await refreshKeys()
    return undefined
  }
  return {
    asked,
    problem,
    isBusy,
    /**
     * Resolves to whether the key may sign for the service. With `said`, the pressed control already named both, so the dialog
     * requests only a required passphrase or passkey.
     */
    consent: async (given: KeyInfo | undefined, service: Service, said = false): Promise<boolean> => {
      const info = keys.get().keys.find(({ publicKey }) => publicKey === given?.publicKey) ?? given
      if (info === undefined) return false
      if (isGrantedTo(info, service)) return true
      const found = said ? await tryGrant({ info, service }) : undefined
      if (said && found === undefined) return true
      settle(false)
      setProblem(found === 'needs-secret' ? undefined : found)
      setAsked({ info, service })
      return new Promise((resolve) => {
        answer.current = resolve
      })
    },
    grant: async (secret?: VaultSecret): Promise<void> => {
      if (asked === undefined || isBusy) return
      const asker = answer.current
      setBusy(true)
      const found = await tryGrant(asked, secret)
      setBusy(false)
      // The question may have been closed, and another one opened.
      if (answer.current !== asker) return
      if (found === undefined) settle(true)
      else setProblem(found)
    },
    close: () => settle(false),
  }
}

function isGrantedTo(info: KeyInfo, service: Service): boolean {
  if (keyFor({ ...service, key: info.publicKey }, [info]) === undefined) return false
  if (typeof service.profile === 'string') return true
  return isGranted(info.grants, service)
}
