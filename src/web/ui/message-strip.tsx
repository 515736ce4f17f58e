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

/** Lines that are shown while the strip is not opened. */
const LINES_MAX = 3
const WORST_FIRST: readonly Level[] = ['critical', 'warning', 'info', 'none']

type Line = { readonly level: Level; readonly isQuiet: boolean }
/** `line`: only that it is. `whole`: with all that is said of it. */
type Place = { readonly form: 'hidden' | 'line' | 'whole'; readonly rank: number }

type Strip = {
  /** Takes a line in; returns its end. */
  readonly add: (line: Line) => () => void
  readonly placeOf: (line: Line) => Place
}

const StripContext = createContext<Strip | undefined>(undefined)

type MessageStripProps = {
  readonly label: string
  /** What opens it; `all`: how many messages there are. */
  readonly openLabel: (all: number) => string
  readonly closeLabel: string
  /** The page that it stands over. The room for its lines at the end of a page is kept until another one is opened. */
  readonly page: string
  readonly children: ReactNode
}

/**
 * Banners as one line each, worst first, over the end of the page: what comes or goes moves nothing. Opens
 * upwards to all of them, whole. Those that somebody has acknowledged are only there when it is open, or when there is nothing else.
 */
export function MessageStrip({ label, openLabel, closeLabel, page, children }: MessageStripProps) {
  const [lines, setLines] = useState<readonly Line[]>([])
  const [isOpen, setOpen] = useState(false)
  const [roomOn, setRoomOn] = useState<string>()
  const toggle = useRef<HTMLButtonElement>(null)
  const isEmpty = lines.length === 0
  if (!isEmpty && roomOn !== page) setRoomOn(page)
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
      className={classNames('message-strip', isOpen && 'open', roomOn === page && 'room')}
      hidden={isEmpty}
    >
      {/* Scrolled by the keyboard where it holds more than fits. */}
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

/** Where a banner stands in the strip around it; whole where there is none. */
export function usePlace(level: Level, isQuiet: boolean): Place {
  const strip = use(StripContext)
  const add = strip?.add
  const line = useMemo(() => ({ level, isQuiet }), [level, isQuiet])
  useLayoutEffect(() => add?.(line), [add, line])
  return strip === undefined ? WHOLE : strip.placeOf(line)
}
