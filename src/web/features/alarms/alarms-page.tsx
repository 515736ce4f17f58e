import { useCallback, useMemo } from 'react'
import { useSearchParams } from '#react/location.ts'
import type { AlarmsView, AlarmView } from '#alarms/alarm.ts'
import { isWeakened } from '#alarms/built-in-settings.ts'
import { titleOf } from '#parts/alarm-words.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { useShelvingActs, type AlarmActs } from '#parts/alarm-acts.tsx'
import { SourceChoice, useIsOfServer, WatchSource } from '#parts/watch-source.tsx'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, PATHS } from '#react/routes.ts'
import { useAlarms, useConfiguration, useFleet } from '#react/use-fleet.ts'
import { useToggled } from '#react/use-toggled.ts'
import { alarmTexts as words, alarmTexts } from '#texts/en-alarms.ts'
import { builtInTexts } from '#texts/en-built-in.ts'
import { watchTexts } from '#texts/en-watch.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { PageHead } from '#ui/page.tsx'
import { PlainPanel } from '#ui/panel.tsx'
import { Segmented } from '#ui/choices.tsx'
import { ListTabs, ToolRow } from '#ui/toolbar.tsx'
import { AcknowledgeAll } from './acknowledge-all.tsx'
import { AlarmDetail } from './alarm-detail.tsx'
import { AlarmStats } from './alarm-stats.tsx'
import { columnsFor, type RowsAround } from './alarm-columns.tsx'
import {
  alarmIn,
  countsOf,
  listFromText,
  LISTS,
  rowKey,
  rowsOf,
  SEVERITIES,
  severitiesFromText,
  type AlarmRow,
  type List,
  type Severities,
} from './lists.ts'
import { useAlarmKeys } from './use-alarm-keys.ts'
import { SHORTCUTS } from '#parts/key-map.ts'
import { openOverlay } from '#react/overlay.ts'
import { useKeysOn } from '#react/single-keys.ts'
import { KeyHint } from '#ui/key-hint.tsx'
import { PHONE, useMedia } from '#ui/use-media.ts'

export const AlarmsPage = () => (
  <WatchSource>
    <Alarms />
  </WatchSource>
)

function Alarms() {
  const view = useAlarms((now) => now)
  return (
    <div className="page">
      <PageHead
        title={words.title}
        actions={
          <LinkButton look="subtle" href={hrefOf(PATHS.rules)}>
            {words.rules}
          </LinkButton>
        }
      >
        {view !== undefined && (
          <span className="ink-3">{words.summary(activeIn(view), view.counts.unacknowledged)}</span>
        )}
        <WeakenedCount />
      </PageHead>
      <SourceChoice />
      {view === undefined ? <Empty title={words.notYet} /> : <Lists view={view} />}
    </div>
  )
}

function WeakenedCount() {
  const { metrics } = useDashboard()
  const { builtIn } = useConfiguration().effective.alarms
  const rules = new Set(builtIn.filter((change) => isWeakened(change, metrics)).map(({ rule }) => rule))
  return rules.size === 0 ? null : (
    <LinkButton size="small" look="subtle" href={hrefOf(PATHS.rules)}>
      {builtInTexts.weakened(rules.size)}
    </LinkButton>
  )
}

const activeIn = ({ counts: { critical, warning, info } }: AlarmsView): number => critical + warning + info

function Lists({ view }: { readonly view: AlarmsView }) {
  const { list, severity, openId, show } = useListAddress()
  const isOfServer = useIsOfServer()
  const [unfolded, unfold] = useToggled()
  const rows = useMemo(
    () => rowsOf(view.alarms, list, severity, unfolded),
    [view.alarms, list, severity, unfolded],
  )
  const opened = openId === undefined ? undefined : alarmIn(view.alarms, openId)
  const { acts, dialog } = useShelvingActs()
  const isPhone = useMedia(PHONE)
  useAlarmKeys({ rows, opened, acts, isMuted: view.mutedUntilWallMs !== undefined })
  return (
    <>
      {!isPhone && <Sums view={view} />}
      <div className="stack page-beside">
        <div>
          <PlainPanel flush label={words.tabs[list]}>
            <Tabs view={view} list={list} />
            <Tools rows={rows} acts={acts} />
            <Table view={view} rows={rows} acts={acts} unfolded={unfolded} onUnfold={unfold} />
            <div className="panel-foot">
              <KeyLegend />
              <span>{words.inJournal}</span>
              <span>
                {isOfServer ? watchTexts.forAll : view.persisted ? words.thisBrowser : words.notKept}
              </span>
            </div>
          </PlainPanel>
        </div>
        {openId !== undefined && (
          <AlarmDetail
            key={openId}
            alarm={opened}
            view={view}
            acts={acts}
            onClose={() => show({ alarm: undefined })}
          />
        )}
      </div>
      {isPhone && <Sums view={view} />}
      {dialog}
    </>
  )
}

const Sums = (props: { readonly view: AlarmsView }) => (
  <PartBoundary>
    <AlarmStats {...props} />
  </PartBoundary>
)

function useListAddress() {
  const [params, setParams] = useSearchParams()
  return {
    list: listFromText(params.get('list')),
    severity: severitiesFromText(params.get('severity')),
    openId: params.get('alarm') ?? undefined,
    show: (next: { severity?: Severities; alarm?: string | undefined }): void =>
      setParams(
        (address) => {
          for (const [name, value] of Object.entries(next))
            if (value === undefined || value === 'all') address.delete(name)
            else address.set(name, value)
          return address
        },
        { replace: true },
      ),
  }
}

type ToolsProps = { readonly rows: readonly AlarmRow[]; readonly acts: AlarmActs }

function Tools({ rows, acts }: ToolsProps) {
  const { list, severity, show } = useListAddress()
  const shown = rows.flatMap((row) => (row.alarm === undefined || row.isMember ? [] : [row.alarm]))
  return (
    <ToolRow inside>
      <Segmented
        legend={words.filter.legend}
        value={severity}
        options={SEVERITIES.map((value) => ({ value, label: words.filter[value] }))}
        onChange={(next) => show({ severity: next })}
      />
      {list === 'active' && <AcknowledgeAll alarms={shown} acts={acts} />}
      {list === 'cleared' && shown.length > 0 && (
        <Button size="small" onClick={() => acts.acknowledgeEnd(shown)}>
          {words.act.acknowledgeEnds}
        </Button>
      )}
    </ToolRow>
  )
}

function Tabs({ view, list }: { readonly view: AlarmsView; readonly list: List }) {
  const counts = useMemo(() => countsOf(view.alarms), [view.alarms])
  return (
    <ListTabs
      label={words.lists}
      tabs={LISTS.map((each) => ({
        href: hrefOf(each === 'active' ? '/alarms' : `/alarms?list=${each}`),
        label: words.tabs[each],
        count: counts[each],
        current: each === list,
      }))}
    />
  )
}

type TableProps = Pick<RowsAround, 'acts' | 'unfolded' | 'onUnfold'> & {
  readonly view: AlarmsView
  readonly rows: readonly AlarmRow[]
}

function Table({ view, rows, acts, unfolded, onUnfold }: TableProps) {
  const { list, severity, openId, show } = useListAddress()
  const { metrics } = useDashboard()
  const zone = useConfiguration().settings.display.timeZone
  const fleet = useFleet((snapshot) => snapshot)
  const explains = useCallback(
    ({ inhibitedBy }: AlarmView) => {
      const by = inhibitedBy === undefined ? undefined : view.alarms.find(({ id }) => id === inhibitedBy)
      return by && titleOf(by, metrics)
    },
    [view.alarms, metrics],
  )
  const columns = useMemo(
    () => columnsFor({ zone, fleet, explains, acts, unfolded, onUnfold }),
    [zone, fleet, explains, acts, unfolded, onUnfold],
  )
  return (
    <DataTable<AlarmRow>
      label={words.list}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      heading={headingOf}
      rowLevel={levelOf}
      isSelected={({ alarm }) => alarm !== undefined && alarm.id === openId}
      rowRem={ROW}
      isCards
      onOpen={({ alarm }) => {
        if (alarm !== undefined) show({ alarm: alarm.id })
      }}
      maxHeight="max(24rem, calc(100dvh - 22rem))"
      empty={
        severity === 'all' ? (
          <Empty title={words.empty[list].title}>{words.empty[list].text}</Empty>
        ) : (
          <Empty
            title={words.noMatch}
            actions={<Button onClick={() => show({ severity: 'all' })}>{words.showAll}</Button>}
          />
        )
      }
    />
  )
}

/** Two lines; on a phone three, plus buttons. */
const ROW = { wide: 2.5, narrow: 7.5 } as const

const headingOf = (row: AlarmRow) => (row.alarm === undefined ? row.group : undefined)

const levelOf = ({ alarm }: AlarmRow) => alarm?.severity

const { acknowledge, shelve, mute } = SHORTCUTS.alarms
const legendWords = alarmTexts.keyLegend

function KeyLegend() {
  const [on] = useKeysOn()
  return (
    <>
      {on && (
        <span className="key-legend">
          <KeyHint>{acknowledge[0]}</KeyHint> {legendWords.acknowledge} <KeyHint>{shelve[0]}</KeyHint>{' '}
          {legendWords.shelve} <KeyHint>{mute[0]}</KeyHint> {legendWords.mute}
        </span>
      )}
      <Button size="small" look="quiet" onClick={() => openOverlay('shortcuts')}>
        {alarmTexts.act.keys}
      </Button>
    </>
  )
}
