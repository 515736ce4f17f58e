import { useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { ExportForm } from '#parts/export-form.tsx'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useTimeView } from './use-time-view.ts'

const words = transferTexts.export

/** Opens the choices for a file of this node's history. */
export function ExportButton({ node }: { readonly node: NodeKey }) {
  const [isOpen, setOpen] = useState(false)
  const { window } = useTimeView(node)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {words.button}
      </Button>
      <Dialog open={isOpen} title={words.title} closeLabel={words.close} onClose={() => setOpen(false)}>
        {isOpen && <ExportForm node={node} shown={window} />}
      </Dialog>
    </>
  )
}
