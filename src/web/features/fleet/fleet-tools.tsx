import { Bookmark, Columns3 } from 'lucide-react'
import { useState } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { filterTexts } from '#texts/en-filter.ts'
import { fleetTexts as words } from '#texts/en-fleet.ts'
import { fleetToolTexts } from '#texts/en-fleet-tools.ts'
import { Button } from '#ui/button.tsx'
import { Segmented } from '#ui/choices.tsx'
import { ToolRow } from '#ui/toolbar.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { Disclosure } from '#ui/settings-layout.tsx'
import { PHONE, useMedia } from '#ui/use-media.ts'
import type { FleetColumn } from './fleet-columns.tsx'
import { FilterBox } from './filter-box.tsx'
import { FILTERS } from './order.ts'
import { queryOf } from './saved-views.ts'
import { LAYOUTS, type FleetView, type ShownColumn } from './view.ts'
import { ColumnsDialog } from './columns-dialog.tsx'
import { ViewsDialog } from './views-dialog.tsx'

type FleetToolsProps = {
  readonly view: FleetView
  readonly columns: readonly FleetColumn[]
  readonly shown: readonly ShownColumn[]
  readonly count: number
  /** False if rows are cards; then sorting has its own field here. */
  readonly hasHeadings: boolean
  readonly onChange: (changes: Partial<FleetView>) => void
}

const NO_GROUP = ''

export function FleetTools(props: FleetToolsProps) {
  const { view, count, onChange } = props
  const { condition, tag } = view
  const nodes = useFleet((snapshot) => snapshot.nodes.size)
  const isPhone = useMedia(PHONE)
  const conditions = (
    <Segmented
      legend={fleetToolTexts.filter.legend}
      value={condition}
      options={FILTERS.map((each) => ({ value: each, label: fleetToolTexts.filter[each] }))}
      onChange={(next) => onChange({ condition: next })}
    />
  )
  return (
    <ToolRow>
      <FilterBox text={view.q} onChange={(q) => onChange({ q })} />
      {!isPhone && conditions}
      {tag !== undefined && (
        <Button size="small" onClick={() => onChange({ tag: undefined })}>
          {words.anyTag(toVisibleText(tag))}
        </Button>
      )}
      {count < nodes && <span className="ink-3">{filterTexts.count(count, nodes)}</span>}
      {isPhone ? (
        <Disclosure summary={fleetToolTexts.more(fleetToolTexts.filter[condition])}>
          <ToolRow>
            {conditions}
            <Arrangement {...props} />
          </ToolRow>
        </Disclosure>
      ) : (
        <>
          <span className="grow" />
          <Arrangement {...props} />
        </>
      )}
    </ToolRow>
  )
}

function Arrangement({ view, columns, shown, hasHeadings, onChange }: FleetToolsProps) {
  const { group = NO_GROUP } = view
  const { metrics } = useDashboard()
  const severalServices = useFleet((snapshot) => snapshot.services.size > 1)
  const [isChoosing, setChoosing] = useState(false)
  const groups = [
    { value: NO_GROUP, label: fleetToolTexts.group.none },
    { value: 'tag', label: fleetToolTexts.group.by(fleetToolTexts.group.tag) },
    ...(severalServices || group === 'service'
      ? [{ value: 'service', label: fleetToolTexts.group.by(fleetToolTexts.group.service) }]
      : []),
    ...metrics
      .filter(({ kind }) => kind === 'state')
      .map(({ id, heading }) => ({ value: id, label: fleetToolTexts.group.by(heading.toLowerCase()) })),
  ]
  return (
    <>
      <SelectField
        label={fleetToolTexts.group.label}
        hideLabel
        value={groups.some(({ value }) => value === group) ? group : NO_GROUP}
        options={groups}
        onChange={(next) => onChange({ group: next === NO_GROUP ? undefined : next })}
      />
      <ViewsButton view={view} />
      {hasHeadings ? (
        <Button icon={Columns3} onClick={() => setChoosing(true)}>
          {fleetToolTexts.choose.button}
        </Button>
      ) : (
        <SortField view={view} columns={columns} onChange={onChange} />
      )}
      <Segmented
        legend={fleetToolTexts.layout.label}
        value={view.layout}
        options={LAYOUTS.map((each) => ({ value: each, label: fleetToolTexts.layout[each] }))}
        onChange={(layout) => onChange({ layout })}
      />
      {isChoosing && (
        <ColumnsDialog
          columns={columns}
          shown={view.columns ?? shown.map(({ id }) => ({ id }))}
          isUsual={view.columns === undefined}
          density={view.density}
          onChange={onChange}
          onClose={() => setChoosing(false)}
        />
      )}
    </>
  )
}

function ViewsButton({ view }: Pick<FleetToolsProps, 'view'>) {
  const [isOpen, setOpen] = useState(false)
  const query = queryOf(view)
  const saved = useConfiguration().effective.views.find((each) => each.query === query)
  return (
    <>
      <Button icon={Bookmark} onClick={() => setOpen(true)}>
        {saved === undefined
          ? fleetToolTexts.views.button
          : fleetToolTexts.views.named(toVisibleText(saved.name))}
      </Button>
      {isOpen && <ViewsDialog query={query} onClose={() => setOpen(false)} />}
    </>
  )
}

function SortField({
  view: { sort },
  columns,
  onChange,
}: Pick<FleetToolsProps, 'view' | 'columns' | 'onChange'>) {
  const ways = columns.flatMap(({ id, heading, isText = false, sortBy }) =>
    sortBy === undefined
      ? []
      : [true, false].map((descending) => ({
          value: `${id} ${descending}`,
          label: fleetToolTexts.sort.by(heading, descending, isText),
          sort: { column: id, descending },
        })),
  )
  return (
    <SearchSelect
      label={fleetToolTexts.sort.label}
      hideLabel
      value={sort === undefined ? '' : `${sort.column} ${sort.descending}`}
      options={[{ value: '', label: fleetToolTexts.sort.byName }, ...ways]}
      onChange={(value) => onChange({ sort: ways.find((way) => way.value === value)?.sort })}
    />
  )
}
