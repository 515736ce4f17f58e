import { createContext, use, useCallback, useState, type ReactNode } from 'react'

export type Announce = (text: string, urgency?: 'polite' | 'assertive') => void

const AnnounceContext = createContext<Announce>(() => {})

type Spoken = { readonly text: string; readonly count: number }
const SILENT: Spoken = { text: '', count: 0 }

/**
 * Two live regions that stand in the page from the start, since screen readers ignore one
 * that arrives together with its text. The key makes the same words spoken twice.
 */
export function LiveRegions({ children }: { readonly children: ReactNode }) {
  const [polite, setPolite] = useState(SILENT)
  const [assertive, setAssertive] = useState(SILENT)
  const announce = useCallback<Announce>((text, urgency = 'polite') => {
    const set = urgency === 'polite' ? setPolite : setAssertive
    set((last) => ({ text, count: last.count + 1 }))
  }, [])
  return (
    <AnnounceContext value={announce}>
      {children}
      <div className="sr" role="status" aria-live="polite">
        <span key={polite.count}>{polite.text}</span>
      </div>
      <div className="sr" role="alert" aria-live="assertive">
        <span key={assertive.count}>{assertive.text}</span>
      </div>
    </AnnounceContext>
  )
}

/** Says a text to screen readers. Does nothing outside `LiveRegions`. */
export const useAnnounce = (): Announce => use(AnnounceContext)
