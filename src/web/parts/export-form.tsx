import { useState, type ReactNode } from 'react'
import type { TierName } from '#history/tiers.ts'
import type { ExportQuery } from '#history/transfer/transfer.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useTransfer } from '#react/use-transfer.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button } from '#ui/button.tsx'
import { optionsOf } from '#ui/choices.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { useExportRange, type Stretch } from './export-range.tsx'
import { TransferLine } from './transfer-line.tsx'

const words = transferTexts.export

type ExportFormProps = {
  readonly node: NodeKey
  readonly shown?: Stretch
  readonly children?: ReactNode
}

export function ExportForm({ node, shown, children }: ExportFormProps) {
  const { fleet } = useDashboard()
  const transfer = useTransfer()
  const range = useExportRange(shown, fleet.get().wallMs)
  const [tier, setTier] = useState<TierName>('samples')
  const [form, setForm] = useState<ExportQuery['form']>('csv')
  const save = (): void => {
    const { wallMs, nodes } = fleet.get()
    const stretch = range.read(wallMs)
    if (stretch === undefined) return
    const query = { node, ...stretch, tier, form }
    const name = (nodes.get(node)?.name ?? 'node').replaceAll(/[^\w.-]+/g, '-').slice(0, 40)
    const day = new Date(wallMs).toISOString().slice(0, 10)
    void transfer.run({ what: 'export', query }, `history-${name}-${tier}-${day}.${form}`)
  }
  return (
    <>
      {children}
      {range.fields}
      <SelectField label={words.tier} value={tier} options={optionsOf(words.tiers)} onChange={setTier} />
      <SelectField label={words.form} value={form} options={optionsOf(words.forms)} onChange={setForm} />
      <div className="flow">
        <Button busy={transfer.share !== undefined} onClick={save}>
          {words.save}
        </Button>
      </div>
      <TransferLine transfer={transfer} />
    </>
  )
}
