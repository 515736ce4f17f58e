import {
  createContext,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { classNames } from './class-names.ts'
import type { Level } from './level.ts'

const LINES_MAX = 3
const WORST_FIRST: readonly Level[] = ['critical', 'warning', 'info', 'none']

type Line = { readonly level: Level; readonly isQuiet: boolean }
/** `line`: the title only. `whole`: the complete message. */
type Place = { readonly form: 'hidden' | 'line' | 'whole'; readonly rank: number }

type Strip = {
  /** Registers a line; returns the function that removes it. */
  readonly add: (line: Line) => () => void
  readonly placeOf: (line: Line) => Place
}

const StripContext = createContext<Strip | undefined>(undefined)

type MessageStripProps = {
  readonly label: string
  readonly openLabel: (all: number) => string
  readonly closeLabel: string
  /** The current page. The space reserved for the strip stays until the page changes. */
  readonly page: string
  readonly children: ReactNode
}

/**
 * Banners as one line each, highest severity first, over the end of the page, so that nothing moves when one appears or goes.
 * Expands upwards to the complete messages. Acknowledged messages show only when it is expanded or when there are no others.
 */
export function MessageStrip({ label, openLabel, closeLabel, page, children }: MessageStripProps) {
  const [lines, setLines] = useState<readonly Line[]>([])
  const [isOpen, setOpen] = useState(false)
  const [spaceOn, setSpaceOn] = useState<string>()
  const toggle = useRef<HTMLButtonElement>(null)
  const isEmpty = lines.length === 0
  if (!isEmpty && spaceOn !== page) setSpaceOn(page)
  if (isEmpty && isOpen) setOpen(false)
  const add = useCallback((line: Line) => {
    setLines((all) => [...all, line])
    return () => setLines((all) => all.filter((one) => one !== line))
  }, [])
  useEffect(() => {
    if (!isOpen) return
    const close = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      setOpen(false)
      toggle.current?.focus()
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [isOpen])
  const strip = useMemo<Strip>(() => ({ add, placeOf: placesOf(lines, isOpen) }), [add, lines, isOpen])
  return (
    <div
      className={classNames('message-strip', isOpen && 'open', spaceOn === page && 'space')}
      hidden={isEmpty}
    >
      {/* If the lines do not fit, the keyboard can scroll them. */}
      <div className="message-strip-lines" role="group" aria-label={label} {...(isOpen && { tabIndex: 0 })}>
        <StripContext value={strip}>{children}</StripContext>
      </div>
      <button
        ref={toggle}
        type="button"
        className="button small subtle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? closeLabel : openLabel(lines.length)}
      </button>
    </div>
  )
}

function placesOf(lines: readonly Line[], isOpen: boolean): Strip['placeOf'] {
  const ranked = lines.toSorted(
    (a, b) =>
      Number(a.isQuiet) - Number(b.isQuiet) || WORST_FIRST.indexOf(a.level) - WORST_FIRST.indexOf(b.level),
  )
  const loud = ranked.filter(({ isQuiet }) => !isQuiet).length
  const shown = loud === 0 ? 1 : Math.min(loud, LINES_MAX)
  return (line) => {
    const rank = ranked.indexOf(line)
    if (rank === -1) return { form: 'hidden', rank }
    return { form: isOpen ? 'whole' : rank < shown ? 'line' : 'hidden', rank }
  }
}

const WHOLE: Place = { form: 'whole', rank: 0 }

/** The banner's position in the surrounding strip; `whole` outside a strip. */
export function usePlace(level: Level, isQuiet: boolean): Place {
  const strip = use(StripContext)
  const add = strip?.add
  const line = useMemo(() => ({ level, isQuiet }), [level, isQuiet])
  useLayoutEffect(() => add?.(line), [add, line])
  return strip === undefined ? WHOLE : strip.placeOf(line)
}
