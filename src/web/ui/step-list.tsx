import type { ReactNode } from 'react'
import { Glyph, type GlyphKind } from './glyph.tsx'

export type StepState = 'ok' | 'failed' | 'warned' | 'running' | 'waiting'

export type ListedStep = {
  readonly id: string
  readonly state: StepState
  readonly stateLabel: string
  readonly title: ReactNode
  readonly note?: ReactNode
  readonly more?: ReactNode
  readonly took?: string
}

const GLYPHS: Readonly<Record<Exclude<StepState, 'running'>, GlyphKind>> = {
  ok: 'done',
  failed: 'critical',
  warned: 'warning',
  waiting: 'none',
}

export const StepList = ({
  label,
  steps,
}: {
  readonly label: string
  readonly steps: readonly ListedStep[]
}) => (
  <ol className="step-list" aria-label={label}>
    {steps.map((step) => (
      <li key={step.id} className={step.state}>
        {step.state === 'running' ? (
          <Spinner label={step.stateLabel} />
        ) : (
          <Glyph kind={GLYPHS[step.state]} label={step.stateLabel} />
        )}
        <div>
          <p className="ink-1">{step.title}</p>
          {step.note !== undefined && <small className="text-11 ink-3 wrap-anywhere">{step.note}</small>}
          {step.more}
        </div>
        <span className="ink-3">{step.took}</span>
      </li>
    ))}
  </ol>
)

/** With reduced motion it does not move; the label still states the progress. */
const Spinner = ({ label }: { readonly label: string }) => (
  <svg className="glyph spin" viewBox="0 0 16 16" role="img" aria-label={label}>
    <path className="glyph-mark" d="M8 1.9A6.1 6.1 0 0 1 14.1 8" />
  </svg>
)
