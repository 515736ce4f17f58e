import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import './unfolding.css'

type UnfoldingProps = {
  readonly isOpen: boolean
  readonly label: string
  readonly onToggle: () => void
  readonly children: ReactNode
}

export function Unfolding({ isOpen, label, onToggle, children }: UnfoldingProps) {
  const Icon = isOpen ? ChevronDown : ChevronRight
  return (
    <span className="unfolding row">
      {children}
      <IconButton small label={label} aria-expanded={isOpen} icon={Icon} onClick={onToggle} />
    </span>
  )
}
