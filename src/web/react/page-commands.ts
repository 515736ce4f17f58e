import { useEffect, useRef } from 'react'

/** What a part of the page offers to the command palette while it is on screen. */
export type PageCommand = {
  readonly id: string
  readonly label: string
  readonly detail?: string
} & ({ readonly path: string } | { readonly run: () => void })

type Latest = { current: readonly PageCommand[] }

const offers = new Set<Latest>()

/** Has the palette offer these, as they are when it is opened. */
export function usePageCommands(commands: readonly PageCommand[]): void {
  const latest = useRef(commands)
  useEffect(() => {
    latest.current = commands
  })
  useEffect(() => {
    offers.add(latest)
    return () => {
      offers.delete(latest)
    }
  }, [])
}

export const pageCommands = (): readonly PageCommand[] => Array.from(offers).flatMap(({ current }) => current)
