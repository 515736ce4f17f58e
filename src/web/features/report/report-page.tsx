import { useMemo, useState } from 'react'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import type { NodeKey } from '#fleet/live.ts'
import { PartBoundary } from '#parts/part-boundary.tsx'
import { reportIn, reportParams, type ReportQuery } from '#parts/report-address.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useSearchParams } from '#react/location.ts'
import { systemClock } from '#react/platform.ts'
import { useConfiguration, useFleet } from '#react/use-fleet.ts'
import { availabilityTexts as words } from '#texts/en-availability.ts'
import { Empty } from '#ui/empty.tsx'
import { PageHead } from '#ui/page.tsx'
import { ReportForm } from './report-form.tsx'
import { ReportResult } from './report-result.tsx'

export function ReportPage() {
  const { fleet } = useDashboard()
  const [params, setParams] = useSearchParams()
  // If the URL has no times, the range ends when the page was opened. Before the engine's first update the fleet has no
  // time.
  const [openedMs] = useState(() => fleet.get().wallMs || systemClock.wallMs())
  const address = params.toString()
  // A query API for all services has data for times when this browser was closed.
  const { queryApis = [] } = useConfiguration().server
  const source = queryApis.some(({ service }) => service === undefined) ? 'query-api' : 'browser'
  const query = useMemo(
    () => reportIn(new URLSearchParams(address), openedMs, source),
    [address, openedMs, source],
  )
  const [ownAddress, setOwnAddress] = useState(address)
  const show = (next: ReportQuery): void => {
    const nextParams = reportParams(next)
    setOwnAddress(nextParams.toString())
    setParams(nextParams)
  }
  const count = useFleet(({ nodes }) => nodes.size)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- The nodes are read again when their number changes.
  const nodes = useMemo(() => nodesOf(query.subject, fleet.get()), [query, fleet, count])
  return (
    <div className="page">
      <PageHead title={words.title} />
      <div className="report-page-form">
        {/* The browser's Back creates a new form with that URL's values. After “Show report” the form stays, so that
           its button keeps the focus. */}
        <ReportForm
          key={`${source} ${address === ownAddress ? 'own' : address}`}
          query={query}
          onShow={show}
        />
      </div>
      {nodes.length === 0 ? (
        <Empty title={words.empty.title}>{words.empty.text}</Empty>
      ) : (
        <PartBoundary key={address}>
          <ReportResult nodes={nodes} query={query} />
        </PartBoundary>
      )}
    </div>
  )
}

function nodesOf(subject: ReportQuery['subject'], { nodes }: FleetSnapshot): readonly NodeKey[] {
  if (subject.kind === 'nodes') return subject.nodes
  return Array.from(nodes.values())
    .filter(({ tags }) => subject.kind === 'all' || tags.includes(subject.tag))
    .map(({ key }) => key)
}
