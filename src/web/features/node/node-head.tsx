import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react'
import { copyText } from '#react/copy-text.ts'
import { hrefOf, NODES_PATH } from '#react/routes.ts'
import { shortNodeId } from '#protocol/node-id.ts'
import type { NodeLive } from '#monitor/live.ts'
import { nodeTexts as words } from '#texts/en-node.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Flow, PageHead } from '#ui/page.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { VisibleText } from '#ui/visible-text.tsx'
import { rangeLabel } from './range.ts'
import type { TimeControl } from './use-time-window.ts'

/** The id as asked for, or as the service gave it where it chose the node. */
export const idOf = (node: NodeLive): string | undefined =>
  node.nodeId ?? (node.reading?.record.nodeId.ok === true ? node.reading.record.nodeId.value : undefined)

type NodeHeadProps = { readonly node: NodeLive; readonly time: TimeControl }

export function NodeHead({ node, time }: NodeHeadProps) {
  const id = idOf(node)
  const name = node.name ?? (id === undefined ? undefined : shortNodeId(id))
  return (
    <PageHead
      crumb={
        <>
          <a href={hrefOf(NODES_PATH)}>{words.crumb}</a> /
        </>
      }
      title={name === undefined ? words.ownNode : <VisibleText text={name} />}
      actions={<TimeControls time={time} />}
    >
      {id !== undefined && (
        <CopyButton
          text={id}
          label={words.copyId}
          copiedText={words.copied}
          failedText={words.copyFailed}
          copy={copyText}
        >
          <VisibleText text={midId(id)} />
        </CopyButton>
      )}
    </PageHead>
  )
}

/** Both ends of an id, with more of them than a table shows. */
const midId = (id: string): string => (id.length <= 22 ? id : `${id.slice(0, 10)}…${id.slice(-8)}`)

function TimeControls({ time }: { readonly time: TimeControl }) {
  return (
    <Flow>
      {/* With one range there is nothing to choose. */}
      {time.offered.length > 1 && (
        <Segmented
          legend={words.range.legend}
          value={time.range}
          options={time.offered.map((range) => ({ value: range, label: rangeLabel(range) }))}
          onChange={time.setRange}
        />
      )}
      <Button
        look="subtle"
        aria-pressed={time.live}
        icon={time.live ? <Play className="i s" aria-hidden /> : <Pause className="i s" aria-hidden />}
        onClick={time.toggleLive}
      >
        {words.range.live}
      </Button>
      <IconButton
        label={words.range.earlier}
        icon={<ChevronLeft className="i s" aria-hidden />}
        disabled={time.earlier === undefined}
        onClick={time.earlier}
      />
      <IconButton
        label={words.range.later}
        icon={<ChevronRight className="i s" aria-hidden />}
        disabled={time.later === undefined}
        onClick={time.later}
      />
    </Flow>
  )
}
