import type { ComponentProps } from 'react'
import { settingsTexts } from '#texts/en-settings.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type ConfirmDialogProps = Omit<ComponentProps<typeof Dialog>, 'closeLabel' | 'actions'> & {
  readonly confirm: string
  readonly onConfirm: () => void
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
