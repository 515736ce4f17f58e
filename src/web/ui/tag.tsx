import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Glyph } from './glyph.tsx'
import type { Level } from './level.ts'

/** A short word about something. With a level it gets that level's shape too. */
export function Tag({ level, children }: { readonly level?: Level; readonly children: ReactNode }) {
  return (
    <span className={classNames('tag', level)}>
      {level !== undefined && <Glyph kind={level} />}
      {children}
    </span>
  )
}
