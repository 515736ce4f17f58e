import { useState } from 'react'
import { type NodeKey, nodeKeyOf, type NodeLive } from '#fleet/live.ts'
import { useLastExchange, useWatchedFrom } from '#react/use-history.ts'
import { reportPath } from '#parts/report-address.ts'
import { hrefOf, scopePath, tagPath, PATHS } from '#react/routes.ts'
import { TimeControls } from '#parts/time-controls.tsx'
import { useTimeView } from '#parts/use-time-view.ts'
import { EventsPanel } from './events-panel.tsx'
import { LastExchange } from './last-exchange.tsx'
import { FactsPanel, type FactsPanelProps } from './facts-panel.tsx'
import { PartBoundaries } from '#parts/part-boundary.tsx'
import { LastRecord } from './last-record.tsx'
import { ServicesPanel } from './services-panel.tsx'
import { ExportForm } from '#parts/export-form.tsx'
import type { TimeWindow } from '#parts/time-view.ts'
import { availabilityTexts } from '#texts/en-availability.ts'
import { nodeHistoryTexts } from '#texts/en-node-history.ts'
import { transferTexts } from '#texts/en-transfer.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Panel } from '#ui/panel.tsx'
import { Tabs } from '#ui/tabs.tsx'
import { ruleKey } from '#settings/effective.ts'
import type { Service } from '#settings/schema.ts'
import { serviceIdOf } from '#record/service.ts'
import { useConfiguration } from '#react/use-fleet.ts'
import { nodeOwnTexts as ownWords } from '#texts/en-node-own.ts'
import { Tag } from '#ui/chip.tsx'
import { WrittenText } from '#ui/code-text.tsx'
import { weakenedFor } from '#alarms/built-in-settings.ts'
import { useDashboard } from '#react/dashboard.ts'
import { alarmName } from '#texts/en-alarm-names.ts'
import { builtInTexts, changeText } from '#texts/en-built-in.ts'
import { Glyph } from '#ui/glyph.tsx'
import { SentenceRow } from '#ui/sentence.tsx'

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

type OwnPanelProps = { readonly node: NodeLive; readonly service: Service }

function OwnPanel({ node, service }: OwnPanelProps) {
  const { nodes } = useConfiguration().effective
  const notes = nodes.find((each) => nodeKeyOf(serviceIdOf(each.service), each.id) === node.key)?.notes
  const settings = scopePath(ruleKey({ for: 'node', service: service.baseUrl, node: node.nodeId }))
  return (
    <Panel
      title={ownWords.title}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(settings)}>
          {ownWords.change}
        </LinkButton>
      }
    >
      {notes === undefined ? <p className="ink-3">{ownWords.none}</p> : <WrittenText text={notes} />}
      {node.tags.length > 0 && (
        <div className="flow">
          <span className="text-12 ink-3">{ownWords.tags}</span>
          {node.tags.map((tag) => (
            <Tag key={tag} tag={tag} href={hrefOf(tagPath(tag))} />
          ))}
        </div>
      )}
    </Panel>
  )
}

/** Critical rules that are disabled or downgraded for this node; nothing if there are none. */
function WeakenedRules({ node }: { readonly node: NodeLive }) {
  const { metrics } = useDashboard()
  const { builtIn } = useConfiguration().effective.alarms
  const weakened = weakenedFor(builtIn, node, metrics)
  if (weakened.length === 0) return null
  return (
    <Panel
      title={builtInTexts.onNode}
      actions={
        <LinkButton size="small" look="subtle" href={hrefOf(PATHS.rules)}>
          {builtInTexts.show}
        </LinkButton>
      }
    >
      {weakened.map(({ rule, settings }) => (
        <SentenceRow
          key={rule}
          glyph={<Glyph kind={settings.off ? 'paused' : (settings.severity ?? 'ok')} />}
          text={`${alarmName(rule, metrics)}: ${changeText(settings)}`}
        />
      ))}
    </Panel>
  )
}
