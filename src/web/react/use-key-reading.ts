import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { KeyFileProblem, LockedKind } from '#protocol/key-file.ts'
import type { Inspected, InspectedKey } from '#signer/api.ts'
import { useDashboard } from './dashboard.ts'

/** `failed`: the signer does not answer. `dropped`: the key waited too long, or another one came. */
export type ReadingProblem = KeyFileProblem | 'failed' | 'dropped'

/** A key that the signer looks at and has not kept. What is secret in it never passes through here as state. */
export type KeyReading =
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

type UseKeyReading = {
  readonly reading: KeyReading
  /** A file goes to the signer unread; bytes are handed over and are empty here afterwards. */
  readonly read: (source: Blob | Uint8Array<ArrayBuffer>) => Promise<void>
  /** Opens a protected file; the passphrase is handed over too. */
  readonly open: (passphrase: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Lets the signer forget what waits there. */
  readonly drop: () => Promise<void>
}

const NONE: KeyReading = { phase: 'none' }

/** Has the signer read one key, ask for its passphrase, and say what it is. */
export function useKeyReading(): UseKeyReading {
  const { signer } = useDashboard()
  const [reading, setReading] = useState<KeyReading>(NONE)
  const turn = useRef(0)

  /** What a later file, or a drop, has overtaken is shown no more. */
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
    read: async (source) =>
      show({ phase: 'reading' }, async () => readingOf(() => signer.inspectKey(source))),
    open: async (passphrase) => {
      if (reading.phase !== 'locked') return
      await show({ ...reading, opening: true, wrong: false }, async () => {
        const next = await readingOf(async () => signer.openInspected(passphrase))
        const isWrong = next.phase === 'refused' && reasonOf(next.problem) === 'wrong-passphrase'
        return isWrong ? { ...reading, opening: false, wrong: true } : next
      })
    },
    drop: async () => {
      turn.current += 1
      setReading(NONE)
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
    return { phase: 'refused', problem: 'failed' } // the signer did not start or did not answer
  }
}
