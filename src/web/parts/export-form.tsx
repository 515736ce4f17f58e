import { useState, type ReactNode } from 'react'
import { DAY_MS, type TimeRange } from '#base/time.ts'
import type { TierName } from '#history/tiers.ts'
import type { ExportQuery } from '#history/transfer/transfer.ts'
import type { NodeKey } from '#fleet/live.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { useTransfer } from '#react/use-transfer.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { zoneName } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { optionsOf } from '#ui/choices.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { fromFieldText, rangeTexts } from './calendar-time.ts'
import { TransferLine } from './transfer-line.tsx'

const words = transferTexts.export

type ExportFormProps = {
  readonly node: NodeKey
  readonly shown?: TimeRange
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

const BACK_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, all: Number.POSITIVE_INFINITY } as const
const RANGES = ['shown', 'day', 'week', 'month', 'all', 'chosen'] as const
type Range = (typeof RANGES)[number]

/** The export's time range: a range up to now, a custom range, or `shown`, the visible range. */
function useExportRange(shown: TimeRange | undefined, nowMs: number) {
  const zone = useConfiguration().settings.display.timeZone
  const [range, setRange] = useState<Range>(shown === undefined ? 'day' : 'shown')
  const begin = shown ?? { fromMs: nowMs - DAY_MS, toMs: nowMs }
  const [typed, setTyped] = useState(() => rangeTexts(begin, zone))
  const { text } = formFields(typed, (name, value) => setTyped((now) => ({ ...now, [name]: value })))
  const [isWrong, setWrong] = useState(false)
  const chosen = (): TimeRange | undefined => {
    const [fromMs, toMs] = [fromFieldText(typed.from, zone), fromFieldText(typed.to, zone)]
    return fromMs !== undefined && toMs !== undefined && fromMs < toMs ? { fromMs, toMs } : undefined
  }
  /** Undefined if the fields are invalid or in the wrong order; they then show an error. */
  const read = (atMs: number): TimeRange | undefined => {
    if (range === 'shown') return shown
    if (range !== 'chosen') return { fromMs: Math.max(0, atMs - BACK_MS[range]), toMs: atMs + DAY_MS }
    const stretch = chosen()
    setWrong(stretch === undefined)
    return stretch
  }
  const fields = (
    <>
      <SelectField
        label={words.range}
        value={range}
        options={RANGES.filter((one) => one !== 'shown' || shown !== undefined).map((value) => ({
          value,
          label: words.ranges[value],
        }))}
        onChange={setRange}
      />
      {range === 'chosen' && (
        <>
          {text('from', words.from(zoneName(zone)), { type: 'datetime-local' })}
          {text('to', words.to(zoneName(zone)), {
            type: 'datetime-local',
            error: isWrong && words.notARange,
          })}
        </>
      )}
    </>
  )
  return { fields, read }
}
