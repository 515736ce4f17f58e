import { useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { ExportForm } from '#parts/export-form.tsx'
import type { TimeWindow } from '#parts/time-view.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

const words = transferTexts.export

type ExportButtonProps = { readonly node: NodeKey; readonly shown: TimeWindow }

/** Opens the choices for a file of this node's history. */
export function ExportButton({ node, shown }: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {words.button}
      </Button>
      <Dialog open={isOpen} title={words.title} closeLabel={words.close} onClose={() => setOpen(false)}>
        {isOpen && <ExportForm node={node} shown={shown} />}
      </Dialog>
    </>
  )
}
