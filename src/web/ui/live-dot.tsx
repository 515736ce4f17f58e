import { useState } from 'react'
import { classNames } from './class-names.ts'

export type LiveDotProps = {
  readonly isLive: boolean
  /** Grows with each answer. The dot changes once for each answer, because an animation would draw 60 frames a second. */
  readonly answers: number
}

export function LiveDot({ isLive, answers }: LiveDotProps) {
  const [shown, setShown] = useState({ answers, isDim: false })
  if (shown.answers !== answers) setShown({ answers, isDim: !shown.isDim })
  return (
    <i className={classNames('live-dot', !isLive && 'off', isLive && shown.isDim && 'dim')} aria-hidden />
  )
}
