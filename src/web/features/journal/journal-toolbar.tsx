import { SHORTCUTS } from '#parts/key-map.ts'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { EVENT_AREAS } from '#history/event-log.ts'
import { fromFieldText, toFieldText } from '#parts/calendar-time.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { areaNames } from '#texts/en-events.ts'
import { journalTexts as words } from '#texts/en-journal.ts'
import { zoneName } from '#texts/format-time.ts'
import { nodeNameIn } from '#texts/names.ts'
import { Chip } from '#ui/chip.tsx'
import { SearchSelect } from '#parts/search-select.tsx'
import { formFields } from '#ui/form-fields.tsx'
import { SelectField } from '#ui/select-field.tsx'
import { TextField } from '#ui/text-field.tsx'
import { ToolGroup, ToolRow } from '#ui/toolbar.tsx'
import { TIMES, type JournalFilter, type ShowJournal } from './filter.ts'

type ToolbarProps = { readonly filter: JournalFilter; readonly onShow: ShowJournal }

export function Toolbar({ filter, onShow }: ToolbarProps) {
  const { areas, times } = filter
  return (
    <ToolRow>
      <Search search={filter.search} onSearch={(search) => onShow({ search })} />
      <NodeField filter={filter} onShow={onShow} />
      <SelectField
        label={words.time}
        hideLabel
        value={times}
        options={TIMES.map((value) => ({ value, label: words.times[value] }))}
        onChange={(next) => onShow({ times: next, fromMs: undefined, toMs: undefined })}
      />
      {times === 'between' && <Between filter={filter} onShow={onShow} />}
      <ToolGroup label={words.kinds}>
        <Chip on={areas.length === 0} onChange={() => onShow({ areas: [] })}>
          {words.allKinds}
        </Chip>
        {EVENT_AREAS.map((area) => (
          <Chip
            key={area}
            on={areas.includes(area)}
            onChange={() =>
              onShow((now) => ({
                areas: EVENT_AREAS.filter((each) => now.areas.includes(each) !== (each === area)),
              }))
            }
          >
            {areaNames[area]}
          </Chip>
        ))}
      </ToolGroup>
    </ToolRow>
  )
}

type SearchProps = { readonly search: string; readonly onSearch: (search: string) => void }

/**
 * Searches while typing, at most once a second, because each search may read a long history. Enter and leaving the field search
 * at once.
 */
function Search({ search, onSearch }: SearchProps) {
  const [text, setText] = useState(search)
  const given = useRef(search)
  useEffect(() => {
    if (given.current !== search) setText(search)
    given.current = search
  }, [search])
  const look = (): void => {
    given.current = text.trim()
    if (text.trim() !== search) onSearch(text.trim())
  }
  const { seconds } = useDashboard()
  const lookAgain = useEffectEvent(look)
  useEffect(() => seconds.subscribe(() => lookAgain()), [seconds])
  return (
    <form
      data-in-address
      onSubmit={(event) => {
        event.preventDefault()
        look()
      }}
    >
      <TextField
        aria-keyshortcuts={SHORTCUTS.page.search[0]}
        label={words.search}
        hideLabel
        placeholder={words.searchHint}
        value={text}
        onChange={setText}
        onBlur={look}
      />
    </form>
  )
}

/** Nodes beyond this are not listed; their own page shows their journal. */
const NODES_LISTED_MAX = 500

function NodeField({ filter, onShow }: ToolbarProps) {
  const fleet = useFleet((snapshot) => snapshot.nodes)
  const listed: readonly string[] = Array.from(fleet.keys()).slice(0, NODES_LISTED_MAX)
  const { node } = filter
  const isListed = node === undefined || listed.some((key) => key === node)
  const nameOf = (key: string): string => nodeNameIn({ nodes: fleet }, key)
  return (
    <SearchSelect
      label={words.node}
      hideLabel
      value={node ?? ''}
      options={[
        { value: '', label: words.anyNode },
        ...(isListed ? [] : [{ value: node, label: nameOf(node) }]),
        ...listed.map((key) => ({ value: key, label: nameOf(key) })),
      ]}
      onChange={(key) => onShow({ node: key === '' ? undefined : key })}
    />
  )
}

function Between({ filter, onShow }: ToolbarProps) {
  const zone = useConfiguration().settings.display.timeZone
  const { fromMs, toMs } = filter
  const shown = (ms: number | undefined): string => (ms === undefined ? '' : toFieldText(ms, zone))
  const { text } = formFields({ fromMs: shown(fromMs), toMs: shown(toMs) }, (name, next) =>
    onShow({ [name]: fromFieldText(next, zone) }),
  )
  return (
    <>
      {text('fromMs', words.from(zoneName(zone)), { type: 'datetime-local' })}
      {text('toMs', words.to(zoneName(zone)), { type: 'datetime-local' })}
    </>
  )
}
