import { useState } from 'react'
import type { Result } from '#base/result.ts'
import type { KeepInspectedProblem, KeyInfo, Place } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

type Origin = 'made' | 'brought'
type Ask = () => Promise<Result<KeyInfo, KeepInspectedProblem>>

/** `failed`: the signer does not answer. */
export type IntakeProblem = KeepInspectedProblem | 'failed'

/** A key on its way into the signer. What is secret in it never passes through here as state. */
export type Intake =
  | { readonly phase: 'none' }
  | { readonly phase: 'busy'; readonly origin: Origin }
  | { readonly phase: 'ready'; readonly origin: Origin; readonly key: KeyInfo }
  | { readonly phase: 'refused'; readonly origin: Origin; readonly problem: IntakeProblem }

type Outcome = Extract<Intake, { readonly phase: 'ready' | 'refused' }>

type UseKeyIntake = {
  readonly intake: Intake
  readonly make: (label: string, place?: Place) => Promise<Outcome>
  /** Keeps the key that was read and shown: see `useKeyReading`. */
  readonly keep: (publicKey: string, label: string, place: Place) => Promise<Outcome>
  /** Leaves the key where it is and is ready for another. */
  readonly settle: () => void
  /** Takes the key out of the signer again. */
  readonly undo: () => Promise<void>
}

const NONE: Intake = { phase: 'none' }

/** Makes or brings one key. It is in the signer from then on; `refreshKeys` shows it to the rest of the page. */
export function useKeyIntake(): UseKeyIntake {
  const { signer } = useDashboard()
  const [intake, setIntake] = useState<Intake>(NONE)

  const take = async (origin: Origin, ask: Ask): Promise<Outcome> => {
    // Another choice takes the place of the key that came before, which nobody is to find later.
    if (intake.phase === 'ready') await signer.removeKey(intake.key.publicKey).catch(() => undefined)
    setIntake({ phase: 'busy', origin })
    const outcome = await outcomeOf(origin, ask)
    setIntake(outcome)
    return outcome
  }

  return {
    intake,
    make: (label, place) => take('made', async () => signer.makeKey(label, place)),
    keep: (publicKey, label, place) =>
      take('brought', async () => signer.keepInspected(publicKey, label, place)),
    settle: () => setIntake(NONE),
    undo: async () => {
      if (intake.phase === 'ready') await signer.removeKey(intake.key.publicKey).catch(() => undefined)
      setIntake(NONE)
    },
  }
}

async function outcomeOf(origin: Origin, ask: Ask): Promise<Outcome> {
  try {
    const taken = await ask()
    return taken.ok
      ? { phase: 'ready', origin, key: taken.value }
      : { phase: 'refused', origin, problem: taken.error }
  } catch {
    return { phase: 'refused', origin, problem: 'failed' } // the signer did not start or did not answer
  }
}
