import type { ReactNode } from 'react'
import { useBoot } from '#react/use-fleet.ts'

type OnceStartedProps = { readonly waiting?: ReactNode; readonly children: ReactNode }

/** Late parts that are on every screen are fetched when the engine runs: before that they would delay the first status. */
export const OnceStarted = ({ waiting = null, children }: OnceStartedProps) =>
  useBoot() === 'starting' ? waiting : children
