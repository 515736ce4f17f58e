import { useEffect, useState } from 'react'
import { useDashboard } from '#react/dashboard.ts'
import { askToPersist, isPersistent } from '#react/persistence.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { useStore } from '#react/use-store.ts'
import { historyTexts as words } from '#texts/en-history.ts'
import { formatMoment } from '#texts/format-time.ts'
import { Button } from '#ui/button.tsx'
import { Flow } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties } from '#ui/properties.tsx'

/** What of the history is kept, how far back, and whether the browser promised not to delete it. */
export function HistoryKept() {
  const { history, fleet } = useDashboard()
  const status = useStore(history, (now) => now)
  const zone = useConfiguration().settings.display.timeZone
  const [promised, setPromised] = useState<boolean>()
  useEffect(() => {
    void isPersistent().then(setPromised)
  }, [])
  if (status === undefined) return null
  const when = (atMs: number | undefined, none: string = words.nothingYet): string =>
    atMs === undefined ? none : words.backTo(formatMoment(atMs, fleet.get().wallMs, zone))
  const { reach, bytes, budgetBytes, damaged, removed } = status
  const items = [
    { id: 'state', label: words.kept.state, value: words.states[status.state] },
    { id: 'samples', label: words.kept.samples, value: when(reach.samples, words.sessionOnly) },
    { id: 'minute', label: words.kept.minute, value: when(reach.minute) },
    { id: 'quarter', label: words.kept.quarter, value: when(reach.quarter) },
    { id: 'hour', label: words.kept.hour, value: when(reach.hour) },
    { id: 'bytes', label: words.kept.bytes, value: words.used(bytes, budgetBytes) },
    { id: 'promise', label: words.kept.promise, value: words.promised(promised) },
    ...(damaged > 0 ? [{ id: 'damaged', label: words.kept.damaged, value: words.damaged(damaged) }] : []),
    ...(removed === undefined
      ? []
      : [
          {
            id: 'removed',
            label: words.kept.removed,
            value: words.removed[removed.reason](formatMoment(removed.toMs, fleet.get().wallMs, zone)),
          },
        ]),
  ]
  return (
    <Panel title={words.kept.title}>
      <Properties items={items} />
      {promised === false && (
        <Flow>
          <Button size="small" onClick={() => void askToPersist().then(setPromised)}>
            {words.ask}
          </Button>
          <span className="t12 ink3">{words.askText}</span>
        </Flow>
      )}
    </Panel>
  )
}
