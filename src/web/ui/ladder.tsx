import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'
import { Spinner } from './spinner.tsx'

export type LadderState = 'ok' | 'failed' | 'warned' | 'running' | 'waiting'

export type LadderRung = {
  readonly id: string
  readonly state: LadderState
  /** Says the state in words for screen readers. */
  readonly stateLabel: string
  readonly title: ReactNode
  readonly note?: ReactNode
  /** What stands below the note. */
  readonly more?: ReactNode
  /** How long it took, e.g. "3 ms". */
  readonly took?: string
}

const GLYPHS: Readonly<Record<Exclude<LadderState, 'running'>, GlyphKind>> = {
  ok: 'done',
  failed: 'critical',
  warned: 'warning',
  waiting: 'none',
}

/** Steps that build on each other; the first failed one is where to look. */
export const Ladder = ({
  label,
  rungs,
}: {
  readonly label: string
  readonly rungs: readonly LadderRung[]
}) => (
  <ol className="ladder" aria-label={label}>
    {rungs.map((rung) => (
      <li key={rung.id} className={rung.state}>
        {rung.state === 'running' ? (
          <Spinner label={rung.stateLabel} />
        ) : (
          <Glyph kind={GLYPHS[rung.state]} label={rung.stateLabel} />
        )}
        <div>
          <p>{rung.title}</p>
          {rung.note !== undefined && <small>{rung.note}</small>}
          {rung.more}
        </div>
        <span className="took">{rung.took}</span>
      </li>
    ))}
  </ol>
)
