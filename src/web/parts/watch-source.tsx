import { useEffect, useMemo, type ReactNode } from 'react'
import type { AlarmAct } from '#alarms/alarm-act.ts'
import type { AlarmsView } from '#alarms/alarm.ts'
import { createStore } from '#base/store.ts'
import { DashboardContext, useDashboard, type Dashboard } from '#react/dashboard.ts'
import { useSearchParams } from '#react/location.ts'
import { useNow } from '#react/use-fleet.ts'
import { useServerWatch } from '#react/use-server-watch.ts'
import { watchTexts as words } from '#texts/en-watch.ts'
import { formatAge } from '#texts/format.ts'
import { Segmented } from '#ui/choices.tsx'

const SOURCES = ['server', 'browser'] as const
type Source = (typeof SOURCES)[number]

/** The alarm source, held in the URL, so that a link shows the same alarms. */
function useSource(): readonly [Source, (source: Source) => void] {
  const [params, setParams] = useSearchParams()
  return [
    params.get('source') === 'browser' ? 'browser' : 'server',
    (source) =>
      setParams(
        (address) => {
          if (source === 'browser') address.set('source', source)
          else address.delete('source')
          return address
        },
        { replace: true },
      ),
  ]
}

/**
 * Provides alarms and journal of the server's watch to its children, if the server runs one and the URL does not select this
 * browser.
 */
export function WatchSource({ children }: { readonly children: ReactNode }) {
  const watch = useServerWatch()
  return useIsOfServer() ? <OfServer view={watch?.report?.view}>{children}</OfServer> : children
}

/** Whether the page shows the alarms of the server’s watch. */
export function useIsOfServer(): boolean {
  const [source] = useSource()
  return useServerWatch() !== undefined && source === 'server'
}

type OfServerProps = { readonly view: AlarmsView | undefined; readonly children: ReactNode }

function OfServer({ view, children }: OfServerProps) {
  const dashboard = useDashboard()
  const stores = useMemo(
    () => ({ alarms: createStore<AlarmsView | undefined>(undefined), events: createStore(0) }),
    [],
  )
  useEffect(() => {
    // Muting applies to this page only, independent of the server.
    stores.alarms.publish(view && { ...view, mutedUntilWallMs: dashboard.alarms.get()?.mutedUntilWallMs })
    stores.events.publish(stores.events.get() + 1)
  }, [view, stores, dashboard])
  const ofServer = useMemo((): Dashboard => withServer(dashboard, stores), [dashboard, stores])
  return <DashboardContext value={ofServer}>{children}</DashboardContext>
}

function withServer(dashboard: Dashboard, stores: Pick<Dashboard, 'alarms' | 'events'>): Dashboard {
  const { serverWatch, engine, nowMs } = dashboard
  const readAgain = async (): Promise<void> => {
    const report = await serverWatch.read()
    if (report !== undefined) serverWatch.store.publish({ report, heardMs: nowMs() })
  }
  const act = async (done: AlarmAct): Promise<boolean> => {
    if (done.act === 'mute' || done.act === 'unmute') return serverWatch.actHere(done)
    const accepted = await serverWatch.act(done)
    if (!accepted) return false
    void serverWatch.actHere(done)
    void readAgain()
    return true
  }
  return {
    ...dashboard,
    ...stores,
    engine: {
      ...engine,
      alarmAct: act,
      readAlarmMembers: serverWatch.members,
      readEvents: serverWatch.journal,
    },
  }
}

export function SourceChoice() {
  const watch = useServerWatch()
  const [source, choose] = useSource()
  if (watch === undefined) return null
  return (
    <div className="flow">
      <Segmented
        legend={words.source}
        value={source}
        options={SOURCES.map((value) => ({ value, label: words.sources[value] }))}
        onChange={choose}
      />
      <span className="text-12 ink-3">
        {source === 'browser' ? words.here : <Evaluated heardMs={watch.heardMs} report={watch.report} />}
      </span>
    </div>
  )
}

type EvaluatedProps = NonNullable<ReturnType<typeof useServerWatch>>

function Evaluated({ report, heardMs }: EvaluatedProps) {
  const nowMs = useNow()
  if (report === undefined) return words.starting
  return words.evaluated(formatAge(report.wallMs - report.evaluatedWallMs + nowMs - heardMs))
}
