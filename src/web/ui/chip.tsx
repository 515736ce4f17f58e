import { Check } from 'lucide-react'
import type { ReactNode } from 'react'

type ChipProps = {
  readonly on: boolean
  readonly onChange: (on: boolean) => void
  readonly children: ReactNode
}

/** One of several things that are each chosen or not; the tick says so without colour. */
export const Chip = ({ on, onChange, children }: ChipProps) => (
  <button type="button" className="chip" aria-pressed={on} onClick={() => onChange(!on)}>
    {on && <Check className="i s" aria-hidden />}
    {children}
  </button>
)
