import type { ReactNode } from 'react'
import { useBoot } from '#react/use-fleet.ts'

type OnceStartedProps = { readonly waiting?: ReactNode; readonly children: ReactNode }

/** Delays parts that every page has until the engine runs, because loading them earlier would delay the first status. */
export const OnceStarted = ({ waiting = null, children }: OnceStartedProps) =>
  useBoot() === 'starting' ? waiting : children
