import type { ReactNode } from 'react'
import { Moment } from '#parts/moment.tsx'

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
