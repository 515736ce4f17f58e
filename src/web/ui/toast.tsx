import { Check, X } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { IconButton, Button } from './button.tsx'

type ToastProps = {
  readonly text: string
  readonly undoLabel: string
  readonly closeLabel: string
  /** Absent if the action cannot be undone. */
  readonly onUndo: (() => void) | undefined
  readonly onClose: () => void
}

/** The caller announces it to screen readers. */
export const Toast = ({ text, undoLabel, closeLabel, onUndo, onClose }: ToastProps) => (
  <li className="toast row ink-1">
    <Check className="icon done" aria-hidden />
    <span>{text}</span>
    {onUndo !== undefined && (
      <Button size="small" onClick={onUndo}>
        {undoLabel}
      </Button>
    )}
    <IconButton small label={closeLabel} icon={X} onClick={onClose} />
  </li>
)

type ToastListProps = {
  readonly label: string
  readonly ref: Ref<HTMLUListElement>
  readonly children: ReactNode
}

export const ToastList = ({ label, ref, children }: ToastListProps) => (
  <section aria-label={label}>
    <ul className="toast-list" ref={ref}>
      {children}
    </ul>
  </section>
)
