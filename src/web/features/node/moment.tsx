import type { ReactNode } from 'react'
import { useWallNow } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { formatFullTime, formatMoment } from '#texts/format-time.ts'
import { Time } from '#ui/time.tsx'

type AnswerHeadProps = {
  readonly wallMs: number
  readonly note?: ReactNode
  /** At the right end. */
  readonly children: ReactNode
}

/** When an answer was asked for, and the way to copy it. */
export const AnswerHead = ({ wallMs, note, children }: AnswerHeadProps) => (
  <div className="panel-head">
    <span className="text-11 ink-3">
      <Moment wallMs={wallMs} />
      {note}
    </span>
    <span className="grow" />
    {children}
  </div>
)

export function Moment({ wallMs }: { readonly wallMs: number }): ReactNode {
  const zone = useConfiguration().settings.display.timeZone
  const nowMs = useWallNow() ?? wallMs
  return (
    <Time atMs={wallMs} details={formatFullTime(wallMs).split('\n')}>
      {formatMoment(wallMs, nowMs, zone)}
    </Time>
  )
}
