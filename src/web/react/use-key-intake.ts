import { useState, useEffect, useEffectEvent, useRef } from 'react'
import { err, type Result } from '#base/result.ts'
import type { KeepInspectedProblem, KeyInfo, Inspected, InspectedKey, SignerAdmin } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'
import type { KeyFileProblem, LockedKind } from '#protocol/key-kinds.ts'

type Origin = 'made' | 'brought'
type Ask = () => Promise<Result<KeyInfo, KeepInspectedProblem>>

/** `failed`: the signer does not answer. */
type IntakeProblem = KeepInspectedProblem | 'failed'

/** A key on its way to the signer. The state never contains a secret. */
type Intake =
  | { readonly phase: 'none' }
  | { readonly phase: 'busy'; readonly origin: Origin }
  | { readonly phase: 'ready'; readonly origin: Origin; readonly key: KeyInfo }
  | { readonly phase: 'refused'; readonly origin: Origin; readonly problem: IntakeProblem }

type Outcome = Extract<Intake, { readonly phase: 'ready' | 'refused' }>

const NONE: Intake = { phase: 'none' }

/**
 * Makes or imports one key, which the signer then stores, with the services that it may sign for. Call `refreshKeys` to show it
 * on the page.
 */
export function useKeyIntake() {
  const { signer } = useDashboard()
  const [intake, setIntake] = useState<Intake>(NONE)

  const take = async (origin: Origin, ask: Ask): Promise<Outcome> => {
    // Another choice removes the earlier key, so that no forgotten key stays behind.
    if (intake.phase === 'ready') await signer.removeKey(intake.key.publicKey).catch(() => undefined)
    setIntake({ phase: 'busy', origin })
    const outcome = await outcomeOf(origin, ask)
    setIntake(outcome)
    return outcome
  }

  return {
    intake,
    make: (...key: Parameters<SignerAdmin['makeKey']>) => take('made', async () => signer.makeKey(...key)),
    keep: (...key: Parameters<SignerAdmin['keepInspected']>) =>
      take('brought', async () => signer.keepInspected(...key)),
    /** Resets the state; the key stays. */
    settle: () => setIntake(NONE),
    undo: async () => {
      if (intake.phase === 'ready') await signer.removeKey(intake.key.publicKey).catch(() => undefined)
      setIntake(NONE)
    },
  }
}

async function outcomeOf(origin: Origin, ask: Ask): Promise<Outcome> {
  const taken = await ask().catch(() => err('failed' as const))
  return taken.ok
    ? { phase: 'ready', origin, key: taken.value }
    : { phase: 'refused', origin, problem: taken.error }
}

/** `failed`: the signer does not answer. `dropped`: the key waited too long or another one replaced it. */
export type ReadingProblem = KeyFileProblem | 'failed' | 'dropped'

/** A key that the signer has read but not stored. The state never contains a secret. */
type KeyReading =
  | { readonly phase: 'none' }
  | { readonly phase: 'reading' }
  | {
      readonly phase: 'locked'
      readonly kind: LockedKind
      readonly opening: boolean
      readonly wrong: boolean
    }
  | { readonly phase: 'shown'; readonly key: InspectedKey }
  | { readonly phase: 'refused'; readonly problem: ReadingProblem }

const NO_READING: KeyReading = { phase: 'none' }

export function useKeyReading() {
  const { signer } = useDashboard()
  const [reading, setReading] = useState<KeyReading>(NO_READING)
  const turn = useRef(0)

  /** Ignores an answer after a later file or a drop. */
  const show = async (waiting: KeyReading, answer: () => Promise<KeyReading>): Promise<void> => {
    const mine = ++turn.current
    setReading(waiting)
    const next = await answer()
    if (turn.current === mine) setReading(next)
  }
  const forget = async (): Promise<void> => signer.dropInspected().catch(() => undefined)
  const forgetAtEnd = useEffectEvent(() => {
    if (reading.phase !== 'none') void forget()
  })
  useEffect(() => () => forgetAtEnd(), [])

  return {
    reading,
    /** A file goes to the signer unread; bytes are transferred, which empties the array. */
    read: async (source: Blob | Uint8Array<ArrayBuffer>): Promise<void> =>
      show({ phase: 'reading' }, async () => readingOf(() => signer.inspectKey(source))),
    /** Opens a protected file; transfers the passphrase too. */
    open: async (passphrase: Uint8Array<ArrayBuffer>): Promise<void> => {
      if (reading.phase !== 'locked') return
      await show({ ...reading, opening: true, wrong: false }, async () => {
        const next = await readingOf(async () => signer.openInspected(passphrase))
        const isWrong = next.phase === 'refused' && reasonOf(next.problem) === 'wrong-passphrase'
        return isWrong ? { ...reading, opening: false, wrong: true } : next
      })
    },
    drop: async (): Promise<void> => {
      turn.current += 1
      setReading(NO_READING)
      await forget()
    },
  }
}

const reasonOf = (problem: ReadingProblem): string => (typeof problem === 'string' ? problem : problem.reason)

async function readingOf(ask: () => Promise<Inspected>): Promise<KeyReading> {
  try {
    const inspected = await ask()
    switch (inspected.outcome) {
      case 'key':
        return { phase: 'shown', key: inspected.key }
      case 'needs-passphrase':
        return { phase: 'locked', kind: inspected.kind, opening: false, wrong: false }
      case 'refused':
        return { phase: 'refused', problem: inspected.problem }
      case 'dropped':
        return { phase: 'refused', problem: 'dropped' }
    }
  } catch {
    return { phase: 'refused', problem: 'failed' } // The signer did not start or did not answer.
  }
}
