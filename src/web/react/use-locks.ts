import { useEffect, useEffectEvent, useRef } from 'react'
import { err } from '#base/result.ts'
import { watchPresence } from '#platform/presence.ts'
import type { LockState, KeyInfo, UnlockProblem, VaultSecret } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'
import { useAct, useQueries, useRead } from './reads.ts'
import { useKeys } from './use-fleet.ts'
import { useSignerCall } from './use-signer-call.ts'
import { askPasskey } from '#platform/passkey.ts'

/** Interval of activity reports to the signer; short enough for a warning two minutes ahead. */
const EVERY_MS = 10_000

const QUERY_KEY = ['vault-locks']

/** State of the vaults. Undefined without vaults and until the signer has answered. */
function useLockState(ask: () => Promise<LockState>): LockState | undefined {
  const { keys } = useKeys()
  const hasVault = keys.some(({ custody }) => custody === 'vault')
  const { data } = useRead({
    queryKey: QUERY_KEY,
    queryFn: ask,
    enabled: hasVault,
    refetchInterval: EVERY_MS,
    refetchIntervalInBackground: true,
  })
  return hasVault ? data : undefined
}

/**
 * Reports operator activity to the signer, and updates this page when a vault is locked or unlocked in any tab. From `warnMs`
 * before the lock, activity is reported at once.
 */
export function useLocks(warnMs: number) {
  const { signer, keys, refreshKeys } = useDashboard()
  const queries = useQueries()
  const isHere = useRef(false)

  const tell = async (): Promise<LockState> => {
    const wasHere = isHere.current
    isHere.current = false
    const next = await signer.presence(wasHere)
    const shown = keys.get().keys.filter(({ locked }) => locked === true).length
    if (next.locked !== shown) await refreshKeys()
    return next
  }
  const state = useLockState(tell)
  const { mutate: stay } = useAct({
    mutationFn: async () => {
      isHere.current = true
      return tell()
    },
    onSuccess: (next) => queries.setQueryData(QUERY_KEY, next),
  })

  const onSign = useEffectEvent(() => {
    isHere.current = true
    if (state?.leftMs !== undefined && state.leftMs > 0 && state.leftMs <= warnMs) stay()
  })
  useEffect(() => watchPresence(onSign), [])

  return { state, stay: () => stay() }
}

type LockChoice = { readonly minutes: number; readonly publicKey?: string; readonly secret?: VaultSecret }

/** How long vaults stay open. 0 minutes (never lock) requires a vault's passphrase or passkey. */
export function useLockMinutes() {
  const { signer } = useDashboard()
  const queries = useQueries()
  const { data } = useRead({
    queryKey: ['lock-minutes'],
    queryFn: async () => (await signer.presence(true)).minutes,
  })
  const {
    mutate,
    data: outcome,
    isPending,
  } = useAct({
    mutationFn: async ({ minutes, publicKey, secret }: LockChoice) =>
      signer.setLockMinutes(minutes, publicKey, secret),
    onSuccess: async (came, { minutes }) => {
      if (came !== 'kept' && came !== 'not-kept') return
      // A read that began before would bring the previous setting back.
      await queries.cancelQueries({ queryKey: ['lock-minutes'] })
      queries.setQueryData(['lock-minutes'], minutes)
    },
  })
  return { minutes: data, choose: (choice: LockChoice): void => mutate(choice), isBusy: isPending, outcome }
}

/** `passkey`: no passkey answered. */
type UnlockTrouble = UnlockProblem | 'passkey'

/** Unlocks a vault and polls the waiting nodes at once. */
export function useUnlock(onOpen: () => void) {
  const { signer } = useDashboard()
  const { isBusy, problem, call } = useSignerCall<UnlockTrouble>()
  const open = (key: KeyInfo, secretOf: () => Promise<VaultSecret | undefined>) =>
    call(async () => {
      const secret = await secretOf()
      if (secret === undefined) return err('passkey')
      const opened = await signer.unlock(key.publicKey, secret)
      if (opened.ok) onOpen()
      return opened
    })
  return {
    isOpening: isBusy,
    problem,
    byPassphrase: (key: KeyInfo, passphrase: Uint8Array<ArrayBuffer>) =>
      open(key, async () => ({ kind: 'passphrase', passphrase })),
    byPasskey: (key: KeyInfo) => open(key, async () => askPasskeyOf(key)),
  }
}

/** Undefined if no passkey of the vault answered. */
export async function askPasskeyOf({ passkeys = [] }: KeyInfo): Promise<VaultSecret | undefined> {
  const answer = await askPasskey(passkeys)
  return answer.ok
    ? { kind: 'passkey', credentialId: answer.value.credentialId, secret: answer.value.secret }
    : undefined
}
