import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

type FirstRunProps = {
  readonly brand: ReactNode
  readonly title: string
  readonly lead: ReactNode
  readonly children: ReactNode
  readonly side: ReactNode
}

/** The page of someone who has nothing yet: questions at the left, what they lead to at the right. */
export const FirstRunLayout = ({ brand, title, lead, children, side }: FirstRunProps) => (
  <div className="first">
    <div>
      {brand}
      <h1>{title}</h1>
      <p className="lead">{lead}</p>
      {children}
    </div>
    <aside className="stack side">{side}</aside>
  </div>
)

type StepProps = {
  readonly number: number
  readonly title: string
  /** Answered: the number becomes a tick, and this is read out. */
  readonly doneLabel?: string | undefined
  readonly children: ReactNode
}

export const Step = ({ number, title, doneLabel, children }: StepProps) => (
  <section className="step">
    {doneLabel === undefined ? (
      <span className="no">{number}</span>
    ) : (
      <span className="no done" role="img" aria-label={doneLabel}>
        <Check className="i s" aria-hidden />
      </span>
    )}
    <div>
      <h2>{title}</h2>
      {children}
    </div>
  </section>
)

/** The buttons at the end of the questions. */
export const StepActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="step">
    <span />
    <div className="flow">{children}</div>
  </div>
)
