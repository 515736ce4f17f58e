import type { Clock } from '#base/clock.ts'
import { createContext, use, useCallback, useEffect, useState, type ReactNode } from 'react'

export type Announce = (text: string, urgency?: 'polite' | 'assertive') => void

const AnnounceContext = createContext<Announce>(() => {})

type Spoken = { readonly text: string; readonly count: number }
const SILENT: Spoken = { text: '', count: 0 }

type LiveRegionsProps = {
  readonly after: Clock['after']
  readonly children: ReactNode
}

/**
 * Two live regions that are always in the page, because screen readers ignore a region that arrives together with its text. The
 * changing key makes repeated text announced again. Texts are removed after 10 s, so that a reader who reaches them later does
 * not find outdated messages.
 */
export function LiveRegions({ after, children }: LiveRegionsProps) {
  const [polite, setPolite] = useState(SILENT)
  const [assertive, setAssertive] = useState(SILENT)
  const announce = useCallback<Announce>((text, urgency = 'polite') => {
    const set = urgency === 'polite' ? setPolite : setAssertive
    set((last) => ({ text, count: last.count + 1 }))
  }, [])
  useSilence(polite, setPolite, after)
  useSilence(assertive, setAssertive, after)
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="visually-hidden" role="status" aria-live="polite">
        <span key={polite.count}>{polite.text}</span>
      </div>
      <div className="visually-hidden" role="alert" aria-live="assertive">
        <span key={assertive.count}>{assertive.text}</span>
      </div>
    </AnnounceContext>
  )
}

const SAID_FOR_MS = 10_000

/** Clears the text. Screen readers announce only additions, so the removal is silent. */
function useSilence(
  said: Spoken,
  set: (silent: (last: Spoken) => Spoken) => void,
  after: LiveRegionsProps['after'],
): void {
  useEffect(() => {
    if (said.text === '') return
    return after(SAID_FOR_MS, () => set(({ count }) => ({ text: '', count })))
  }, [said, set, after])
}

/** Announces a text to screen readers. Does nothing outside `LiveRegions`. */
export const useAnnounce = (): Announce => use(AnnounceContext)
