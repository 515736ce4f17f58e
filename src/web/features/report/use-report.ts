import { useEffect, useMemo, useRef, useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { readReport, type NodeReport } from '#react/read-report.ts'
import { useDashboard } from '#react/dashboard.ts'
import type { ReportQuery } from '#parts/report-address.ts'

export type ReportState = {
  readonly reports: readonly NodeReport[]
  readonly state: 'reading' | 'done' | 'stopped'
  readonly stop: () => void
}

/** Interval at which a report redraws while it is being read; each redraw costs as much as all of its rows. */
const DRAWN_TIMES = 20

export function useReport(
  nodes: readonly NodeKey[],
  { fromMs, toMs, source }: Pick<ReportQuery, 'fromMs' | 'toMs' | 'source'>,
): ReportState {
  const dashboard = useDashboard()
  const run = useMemo(() => ({ nodes, range: { fromMs, toMs }, source }), [nodes, fromMs, toMs, source])
  const [read, setRead] = useState<Pick<ReportState, 'reports' | 'state'> & { readonly run: object }>()
  const end = useRef(() => {})
  useEffect(() => {
    const reports: NodeReport[] = []
    const every = Math.ceil(run.nodes.length / DRAWN_TIMES)
    let isOn = true
    end.current = () => {
      isOn = false
    }
    const publish = (state: ReportState['state']): void => setRead({ run, state, reports: [...reports] })
    const onRead = (report: NodeReport): boolean => {
      if (!isOn) return false
      reports.push(report)
      if (reports.length % every === 0) publish('reading')
      return true
    }
    void readReport(dashboard, { ...run, onRead }).then(() => isOn && publish('done'))
    return () => end.current()
  }, [dashboard, run])
  const stop = (): void => {
    end.current()
    setRead((last) => ({ run, reports: last?.run === run ? last.reports : [], state: 'stopped' }))
  }
  const isOwn = read?.run === run
  return { reports: isOwn ? read.reports : [], state: isOwn ? read.state : 'reading', stop }
}
