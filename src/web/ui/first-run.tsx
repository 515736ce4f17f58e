import { Check } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'

type FirstRunProps = {
  readonly brand: ReactNode
  readonly title: string
  readonly lead: ReactNode
  readonly children: ReactNode
  readonly side: ReactNode
}

export const FirstRunLayout = ({ brand, title, lead, children, side }: FirstRunProps) => (
  <div className="first-run">
    <div>
      {brand}
      <h1>{title}</h1>
      <p className="first-run-lead">{lead}</p>
      {children}
    </div>
    <aside className="stack first-run-side">{side}</aside>
  </div>
)

type StepProps = {
  readonly number: number
  readonly title: string
  /** Set once the step is done: a tick replaces the number, and screen readers read this text. */
  readonly doneLabel?: string | undefined
  /** Increases whenever this step blocks the start; the step then takes the focus. */
  readonly askedCount?: number
  readonly children: ReactNode
}

export function Step({ number, title, doneLabel, askedCount = 0, children }: StepProps) {
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (askedCount > 0) focusIn(section.current)
  }, [askedCount])
  return (
    <section className="first-run-step" ref={section}>
      {doneLabel === undefined ? (
        <span className="first-run-number">{number}</span>
      ) : (
        <span className="first-run-number done" role="img" aria-label={doneLabel}>
          <Check className="icon small" aria-hidden />
        </span>
      )}
      <div className="stack">
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}

/** Focuses an invalid field or the step's main button, or else its first control. */
function focusIn(step: HTMLElement | null): void {
  const next =
    step?.querySelector<HTMLElement>('[aria-invalid="true"], .button.primary:enabled') ??
    step?.querySelector<HTMLElement>('input:checked, input, textarea, button')
  next?.focus()
}

export const StepActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="first-run-step">
    <span />
    <div className="flow">{children}</div>
  </div>
)
