import type { ReactNode } from 'react'
import { Moment } from '#parts/moment.tsx'

type AnswerHeadProps = {
  readonly wallMs: number
  readonly note?: ReactNode
  /** At the right end. */
  readonly children: ReactNode
}

/** The time of the request, and a button that copies the answer. */
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
