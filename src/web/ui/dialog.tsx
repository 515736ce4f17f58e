import { X } from 'lucide-react'
import { useEffect, useId, useRef, type ReactNode } from 'react'
import { IconButton } from './button.tsx'

type DialogProps = {
  readonly open: boolean
  readonly title: string
  readonly closeLabel: string
  readonly onClose: () => void
  readonly children: ReactNode
  /** Buttons at the foot, the main one last. */
  readonly actions?: ReactNode
}

/**
 * The first control to fill in or decide. The close button comes first in the DOM, so it only gets the focus if there is
 * nothing else.
 */
const FIRST_CONTROL =
  '.panel-body :is(input:not([type="radio"], [hidden]), input:checked, select, textarea, button, a[href]), .dialog-foot button'

/** A native modal: the browser traps the focus, handles Escape and restores the focus. The focus starts in the content. */
export function Dialog({ open, title, closeLabel, onClose, children, actions }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    if (dialog === null || dialog.open === open) return
    if (!open) return dialog.close()
    dialog.showModal()
    dialog.querySelector<HTMLElement>(FIRST_CONTROL)?.focus()
  }, [open])
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={({ target, currentTarget }) => {
        // A file input's cancel event bubbles.
        if (target !== currentTarget) return
        currentTarget.close()
        onClose()
      }}
      onClose={({ currentTarget }) => {
        // The browser sends this a frame later; the dialog may be open again by then.
        if (!currentTarget.open) onClose()
      }}
    >
      {open && (
        <>
          <div className="panel-head">
            <h2 id={titleId}>{title}</h2>
            <span className="grow" />
            <IconButton label={closeLabel} icon={X} onClick={onClose} />
          </div>
          <div className="panel-body">{children}</div>
          {actions !== undefined && <div className="dialog-foot">{actions}</div>}
        </>
      )}
    </dialog>
  )
}
