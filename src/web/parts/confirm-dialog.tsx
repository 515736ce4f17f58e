import type { ReactNode } from 'react'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type ConfirmDialogProps = {
  readonly open: boolean
  readonly title: string
  readonly confirm: string
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly children: ReactNode
}

/** Asks before an irreversible action. Cancel comes first and gets the focus. */
export const ConfirmDialog = ({ open, title, confirm, onClose, onConfirm, children }: ConfirmDialogProps) => (
  <Dialog
    open={open}
    title={title}
    closeLabel={settingsTexts.close}
    onClose={onClose}
    actions={
      <>
        <Button onClick={onClose}>{settingsTexts.cancel}</Button>
        <Button
          look="danger"
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {confirm}
        </Button>
      </>
    }
  >
    {children}
  </Dialog>
)
