import type { ReactNode } from 'react'
import { useWall } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { formatFullTime, formatMoment } from '#texts/format-time.ts'
import { Time } from '#ui/time.tsx'

/** A time in Unix ms, with the date unless it is today's. */
export function Moment({ wallMs }: { readonly wallMs: number }): ReactNode {
  const zone = useConfiguration().settings.display.timeZone
  const text = useWall((nowMs) => formatMoment(wallMs, nowMs, zone))
  return (
    <Time atMs={wallMs} title={formatFullTime(wallMs)}>
      {text ?? formatMoment(wallMs, wallMs, zone)}
    </Time>
  )
}
