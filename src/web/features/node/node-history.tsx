import { useState } from 'react'
import type { NodeKey } from '#fleet/live.ts'
import { useLastExchange, useWatchedFrom } from '#react/use-history.ts'
import { reportPath } from '#parts/report-address.ts'
import { hrefOf } from '#react/routes.ts'
import { TimeControls } from '#parts/time-controls.tsx'
import { useTimeView } from '#parts/use-time-view.ts'
import { EventsPanel } from './events-panel.tsx'
import { LastExchange } from './last-exchange.tsx'
import { FactsPanel, type FactsPanelProps } from './facts-panel.tsx'
import { OwnPanel } from './own-panel.tsx'
import { PartBoundaries } from '#parts/part-boundary.tsx'
import { LastRecord } from './last-record.tsx'
import { ServicesPanel } from './services-panel.tsx'
import { WeakenedRules } from './weakened-rules.tsx'
import { ExportForm } from '#parts/export-form.tsx'
import type { TimeWindow } from '#parts/time-view.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Panel } from '#ui/panel.tsx'
import { Tabs } from '#ui/tabs.tsx'

export function NodeTime({ node }: { readonly node: NodeKey }) {
  const time = useTimeView(useWatchedFrom(node))
  return (
    <TimeControls time={time}>
      <ExportButton node={node} shown={time.window} />
      <LinkButton size="small" href={hrefOf(reportPath([node]))}>
        {availabilityTexts.link}
      </LinkButton>
    </TimeControls>
  )
}

export function NodeSide(props: FactsPanelProps) {
  const { node, service, old } = props
  return (
    <PartBoundaries>
      <WeakenedRules node={node} />
      <EventsPanel node={node} />
      <ServicesPanel node={node} />
      <OwnPanel node={node} service={service} />
      <FactsPanel {...props} />
      <LastAnswer node={node} old={old} />
    </PartBoundaries>
  )
}

function LastAnswer({ node, old }: Pick<FactsPanelProps, 'node' | 'old'>) {
  const exchange = useLastExchange(node.key, node.answered + node.failed)
  const [shown, show] = useState<'record' | 'exchange'>('record')
  return (
    <Tabs
      label={nodeHistoryTexts.exchange.answer}
      value={shown}
      tabs={[
        { value: 'record', label: nodeHistoryTexts.record.title },
        { value: 'exchange', label: nodeHistoryTexts.exchange.title },
      ]}
      onChange={show}
    >
      {(tabs, panel) => (
        <Panel title={nodeHistoryTexts[shown].title} tabs={tabs} flush>
          {panel(
            shown === 'record' ? (
              <LastRecord node={node} exchange={exchange} old={old} />
            ) : (
              <LastExchange exchange={exchange} showBody={node.episode !== undefined} />
            ),
          )}
        </Panel>
      )}
    </Tabs>
  )
}

const buttonWords = transferTexts.export

type ExportButtonProps = { readonly node: NodeKey; readonly shown: TimeWindow }

function ExportButton({ node, shown }: ExportButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {buttonWords.button}
      </Button>
      <Dialog
        open={isOpen}
        title={buttonWords.title}
        closeLabel={buttonWords.close}
        onClose={() => setOpen(false)}
      >
        {isOpen && <ExportForm node={node} shown={shown} />}
      </Dialog>
    </>
  )
}
