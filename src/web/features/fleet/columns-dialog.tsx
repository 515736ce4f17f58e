import { ArrowDown, ArrowUp } from 'lucide-react'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Segmented } from '#ui/choices.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { CheckBox } from '#ui/check-box.tsx'
import { NODE_COLUMN, type FleetColumn } from './fleet-columns.tsx'
import { DENSITIES, withRem, type FleetView, type ShownColumn } from './view.ts'

const words = fleetToolTexts.choose

/** Selectable widths in rem. */
const WIDTHS = [5, 7, 9, 12, 16, 24] as const

type ColumnsDialogProps = {
  readonly columns: readonly FleetColumn[]
  readonly shown: readonly ShownColumn[]
  readonly isUsual: boolean
  readonly density: FleetView['density']
  readonly onChange: (changes: Partial<FleetView>) => void
  readonly onClose: () => void
}

export function ColumnsDialog({ columns, shown, isUsual, density, onChange, onClose }: ColumnsDialogProps) {
  const places = new Map(shown.map(({ id }, place) => [id, place]))
  const listed = columns.toSorted(
    (one, other) => placeOf(one, places, columns) - placeOf(other, places, columns),
  )
  const set = (next: readonly ShownColumn[]): void => onChange({ columns: next })
  return (
    <Dialog
      open
      title={words.title}
      closeLabel={words.close}
      onClose={onClose}
      actions={
        <>
          <Button disabled={isUsual} onClick={() => onChange({ columns: undefined })}>
            {words.usual}
          </Button>
          <Button look="primary" onClick={onClose}>
            {words.close}
          </Button>
        </>
      }
    >
      <Segmented
        legend={words.density}
        value={density}
        options={DENSITIES.map((each) => ({ value: each, label: words.densities[each] }))}
        onChange={(next) => onChange({ density: next })}
      />
      <ul className="check-box-list">
        {listed.map((column) => (
          <ColumnItem key={column.id} column={column} shown={shown} onChange={set} />
        ))}
      </ul>
    </Dialog>
  )
}

type ColumnItemProps = {
  readonly column: FleetColumn
  readonly shown: readonly ShownColumn[]
  readonly onChange: (shown: readonly ShownColumn[]) => void
}

function ColumnItem({ column: { id, heading }, shown, onChange }: ColumnItemProps) {
  const place = shown.findIndex((each) => each.id === id)
  const one = shown[place]
  const setWidth = (rem: string): void =>
    onChange(shown.map((each) => (each.id !== id ? each : rem === '' ? { id } : withRem(id, Number(rem)))))
  return (
    <li className="row">
      <CheckBox
        label={heading}
        checked={one !== undefined}
        onChange={(checked) => onChange(checked ? [...shown, { id }] : shown.toSpliced(place, 1))}
      />
      {one !== undefined && (
        <>
          <SelectField
            label={words.width(heading)}
            hideLabel
            value={one.rem === undefined ? '' : String(nearest(one.rem))}
            options={[
              { value: '', label: words.automatic },
              ...WIDTHS.map((rem) => ({ value: String(rem), label: words.rem(rem) })),
            ]}
            onChange={setWidth}
          />
          <IconButton
            small
            label={words.up(heading)}
            icon={ArrowUp}
            disabled={place === firstPlace(shown)}
            onClick={() => onChange(moved(shown, place, -1))}
          />
          <IconButton
            small
            label={words.down(heading)}
            icon={ArrowDown}
            disabled={place === shown.length - 1}
            onClick={() => onChange(moved(shown, place, 1))}
          />
        </>
      )}
    </li>
  )
}

const placeOf = (
  { id }: FleetColumn,
  places: ReadonlyMap<string, number>,
  columns: readonly FleetColumn[],
): number => places.get(id) ?? columns.length + columns.findIndex((each) => each.id === id)

const nearest = (rem: number): number =>
  WIDTHS.reduce((best, each) => (Math.abs(each - rem) < Math.abs(best - rem) ? each : best))

/** The name column's width may be stored first; it has no position among the others. */
const firstPlace = (shown: readonly ShownColumn[]): number => (shown[0]?.id === NODE_COLUMN ? 1 : 0)

function moved(shown: readonly ShownColumn[], place: number, by: number): readonly ShownColumn[] {
  const next = shown.toSpliced(place, 1)
  const one = shown[place]
  return one === undefined ? shown : next.toSpliced(place + by, 0, one)
}
