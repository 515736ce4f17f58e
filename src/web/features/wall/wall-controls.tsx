import { useEffect, useState } from 'react'
import type { AlarmView } from '#alarms/alarm.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { wallTexts as words } from '#texts/en-wall.ts'
import { useAlarmActs } from '#parts/alarm-acts.tsx'
import { Button, LinkButton } from '#ui/button.tsx'
import type { Turn } from './use-turn.ts'

type WallControlsProps = {
  readonly turn: Turn
  /** Alarms that take over the screen. */
  readonly urgent: readonly AlarmView[]
}

export function WallControls({ turn, urgent }: WallControlsProps) {
  const acts = useAlarmActs()
  const { step } = turn
  return (
    <nav className="wall-touch" aria-label={words.bar.label}>
      {urgent.length > 0 && (
        <Button size="large" look="primary" onClick={() => acts.acknowledge(urgent)}>
          {words.bar.acknowledge(urgent.length)}
        </Button>
      )}
      {step !== undefined && (
        <>
          <Button size="large" onClick={() => step(-1)}>
            {words.bar.previous}
          </Button>
          <Button size="large" onClick={() => step(1)}>
            {words.bar.next}
          </Button>
        </>
      )}
      <FullScreen />
      <LinkButton size="large" href={hrefOf(PATHS.nodes)}>
        {words.bar.leave}
      </LinkButton>
    </nav>
  )
}

function FullScreen() {
  const [full, setFull] = useState(() => document.fullscreenElement !== null)
  useEffect(() => {
    const changed = (): void => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', changed)
    return () => document.removeEventListener('fullscreenchange', changed)
  }, [])
  if (!document.fullscreenEnabled) return null
  return (
    <Button
      size="large"
      onClick={() => {
        // A browser policy may block full screen. Nothing changes then, and F11 still works.
        const done = full ? document.exitFullscreen() : document.documentElement.requestFullscreen()
        done.catch(() => undefined)
      }}
    >
      {full ? words.bar.endFull : words.bar.full}
    </Button>
  )
}
