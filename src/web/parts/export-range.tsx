import { DAY_MS } from '#base/time.ts'
import { useState, type ReactNode } from 'react'
import { useConfiguration } from '#react/use-fleet.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { zoneName } from '#texts/format-time.ts'
import { formFields } from '#ui/form-fields.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { fromFieldText, rangeTexts } from './calendar-time.ts'

const words = transferTexts.export
const BACK_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, all: Number.POSITIVE_INFINITY } as const
const RANGES = ['shown', 'day', 'week', 'month', 'all', 'chosen'] as const
type Range = (typeof RANGES)[number]

/** Unix ms; `toMs` is exclusive. */
export type Stretch = { readonly fromMs: number; readonly toMs: number }

export type ExportRange = {
  readonly fields: ReactNode
  /** Undefined if the fields are invalid or in the wrong order; they then show an error. */
  readonly read: (nowMs: number) => Stretch | undefined
}

/** The export's time range: a range up to now, a custom range, or `shown`, the visible range. */
export function useExportRange(shown: Stretch | undefined, nowMs: number): ExportRange {
  const zone = useConfiguration().settings.display.timeZone
  const [range, setRange] = useState<Range>(shown === undefined ? 'day' : 'shown')
  const begin = shown ?? { fromMs: nowMs - DAY_MS, toMs: nowMs }
  const [typed, setTyped] = useState(() => rangeTexts(begin, zone))
  const { text } = formFields(typed, (name, value) => setTyped((now) => ({ ...now, [name]: value })))
  const [isWrong, setWrong] = useState(false)
  const chosen = (): Stretch | undefined => {
    const [fromMs, toMs] = [fromFieldText(typed.from, zone), fromFieldText(typed.to, zone)]
    return fromMs !== undefined && toMs !== undefined && fromMs < toMs ? { fromMs, toMs } : undefined
  }
  const read = (atMs: number): Stretch | undefined => {
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
