import { MINUTE_MS } from '#base/time.ts'
import { useEffect, useState, type ReactNode } from 'react'
import { Glyph, type GlyphKind } from '#ui/glyph.tsx'
import { classNames } from '#ui/class-names.ts'
import { LiveDot } from '#ui/live-dot.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { useNow } from '#react/use-fleet.ts'
import { useSteps, useWallNow } from '#react/ticking.tsx'
import { wallTexts as words } from '#texts/en-wall.ts'
import { formatClock, zoneName, type Zone } from '#texts/format-time.ts'
import { shiftAt, isDimmed, type WallOptions } from './wall-options.ts'

/** Time from the last touch until the controls hide. */
const TOUCHED_MS = 8_000
const TOUCHES = ['pointermove', 'pointerdown', 'keydown'] as const

type WallFrameProps = {
  readonly options: WallOptions
  /** An alarm needs attention, so the screen is never dimmed. */
  readonly alarmed: boolean
  readonly controls: ReactNode
  readonly children: ReactNode
}

/** The full-screen frame: shifted by a few pixels each minute, dimmed at night, without a pointer until touched. */
export function WallFrame({ options, alarmed, controls, children }: WallFrameProps) {
  const wallMs = useWallNow()
  const minute = useSteps(MINUTE_MS) / MINUTE_MS
  const touched = useTouched()
  const now = wallMs === undefined ? undefined : new Date(wallMs)
  const minuteOfDay = now === undefined ? 0 : now.getHours() * 60 + now.getMinutes()
  const dim = now !== undefined && !alarmed && !touched && isDimmed(options.dim, minuteOfDay)
  const [x, y] = options.shift ? shiftAt(minute) : [0, 0]
  return (
    <div className={classNames('wall', dim && 'dim', touched && 'touched')}>
      <main className="wall-page" style={{ transform: `translate(${x}px, ${y}px)` }}>
        {children}
      </main>
      {touched && controls}
    </div>
  )
}

function useTouched(): boolean {
  const { nowMs } = useDashboard()
  const now = useNow()
  const [touchedMs, setTouchedMs] = useState(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const touch = (): void => setTouchedMs(nowMs())
    for (const name of TOUCHES) document.addEventListener(name, touch)
    return () => {
      for (const name of TOUCHES) document.removeEventListener(name, touch)
    }
  }, [nowMs])
  return now - touchedMs < TOUCHED_MS
}

type WallHeadProps = {
  readonly title: ReactNode
  readonly link: { readonly text: string; readonly live: boolean; readonly answers: number }
  readonly zone: Zone
  readonly remark: string | undefined
}

export function WallHead({ title, link, zone, remark }: WallHeadProps) {
  const wallMs = useWallNow()
  return (
    <header className="wall-head row">
      <h1 className="truncate">{title}</h1>
      {remark !== undefined && <span>{remark}</span>}
      <div className="wall-clock row">
        <span className="wall-link row">
          <LiveDot isLive={link.live} answers={link.answers} />
          {link.text}
        </span>
        {wallMs !== undefined && (
          <span className="wall-time row">
            <time>{formatClock(wallMs, zone)}</time>
            <span>{zoneName(zone, wallMs)}</span>
          </span>
        )}
        <Stuck />
      </div>
    </header>
  )
}

/** Restarts a CSS animation every second. If the page hangs for 20 s, the animation ends and reveals this warning. */
function Stuck() {
  const second = Math.floor(useNow() / 1_000)
  return (
    <span className={classNames('wall-stuck', second % 2 === 0 ? 'a' : 'b')} aria-hidden>
      {words.stuck}
    </span>
  )
}

type WallBarProps = {
  readonly kind: 'critical' | 'none'
  readonly glyph: GlyphKind
  readonly children: ReactNode
}

export const WallBar = ({ kind, glyph, children }: WallBarProps) => (
  <output className={`wall-bar row ${kind === 'none' ? 'none' : 'filled critical'}`}>
    <Glyph kind={glyph} />
    <span className="truncate">{children}</span>
  </output>
)
