import { useEffect, useRef } from 'react'

export type PageCommand = {
  readonly id: string
  readonly label: string
  readonly detail?: string
} & ({ readonly path: string } | { readonly run: () => void })

type Latest = { current: readonly PageCommand[] }

const offers = new Set<Latest>()

/** Adds commands to the palette; it reads them when it opens. */
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
