import { Check } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'

type FirstRunProps = {
  readonly brand: ReactNode
  readonly title: string
  readonly lead: ReactNode
  readonly children: ReactNode
  readonly side: ReactNode
}

/** The page of someone who has nothing yet: questions at the left, what they lead to at the right. */
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
  /** Answered: the number becomes a tick, and this is read out. */
  readonly doneLabel?: string | undefined
  /** Grows each time when this step is what stands in the way: then it gets the focus. */
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
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  )
}

/** What is to be done next in a step: its main button, or else the field or choice that it begins with. */
function focusIn(step: HTMLElement | null): void {
  const next =
    step?.querySelector<HTMLElement>('[aria-invalid="true"], .button.primary:enabled') ??
    step?.querySelector<HTMLElement>('input:checked, input, textarea, button')
  next?.focus()
}

/** The buttons at the end of the questions. */
export const StepActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="first-run-step">
    <span />
    <div className="flow">{children}</div>
  </div>
)
