import { useState, type ReactNode } from 'react'
import type { Cause } from '#monitor/causes.ts'
import type { FleetSnapshot, NodeKey } from '#monitor/live.ts'
import { copyText } from '#react/copy-text.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, nodePath, SETTINGS_PATH } from '#react/routes.ts'
import { useKeys } from '#react/use-fleet.ts'
import { messageTexts as words } from '#texts/en-messages.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { UnlockButton } from './lock-messages.tsx'
import { serviceOf } from './cause-context.ts'
import { remediesOf, type Remedy } from './remedies.ts'

type CauseActionsProps = {
  readonly cause: Cause
  readonly fleet: FleetSnapshot
  readonly node: NodeKey | undefined
  readonly lines: string | undefined
}

/** What can be done about it, the likeliest first. Only what works here and now is offered. */
export function CauseActions({ cause, fleet, node, lines }: CauseActionsProps) {
  const offered = remediesOf(cause).filter((remedy) => isPossible(remedy, cause, node))
  return (
    <>
      {offered.map((remedy, place) => (
        <Action key={remedy} remedy={remedy} isFirst={place === 0} cause={cause} fleet={fleet} />
      ))}
      {lines !== undefined && <Copy text={lines} label={words.copyLines} look="plain" />}
    </>
  )
}

const isPossible = (remedy: Remedy, { nodes }: Cause, node: NodeKey | undefined): boolean =>
  remedy === 'open-node'
    ? nodes[0] !== undefined && nodes[0] !== node
    : remedy !== 'try-now' || nodes.length > 0

type Look = 'primary' | 'plain'

type ActionProps = {
  readonly remedy: Remedy
  readonly isFirst: boolean
  readonly cause: Cause
  readonly fleet: FleetSnapshot
}

function Action({ remedy, isFirst, cause, fleet }: ActionProps): ReactNode {
  const look = isFirst ? 'primary' : 'plain'
  const [first] = cause.nodes
  const service = serviceOf(cause, fleet)
  switch (remedy) {
    case 'try-now':
      return <TryNow nodes={cause.nodes} look={look} />
    case 'settings':
      return (
        <LinkButton size="small" look={look} href={hrefOf(SETTINGS_PATH)}>
          {words.openSettings}
        </LinkButton>
      )
    case 'open-node':
      return first === undefined ? null : (
        <LinkButton size="small" look={look} href={hrefOf(nodePath(first))}>
          {words.openNode}
        </LinkButton>
      )
    case 'open-in-tab':
      return service === undefined ? null : (
        <LinkButton size="small" look={look} href={service.baseUrl} target="_blank" rel="noopener noreferrer">
          {words.openInTab}
        </LinkButton>
      )
    case 'unlock':
      return <UnlockButton publicKey={service?.key} look={look} />
    case 'copy-key':
      return <CopyKey publicKey={service?.key} look={look} />
  }
}

/** One answer tells whether the service is back; its other nodes then follow by themselves. */
const TRIED_AT_ONCE_MAX = 4

function TryNow({ nodes, look }: { readonly nodes: readonly NodeKey[]; readonly look: Look }) {
  const { engine } = useDashboard()
  return (
    <Button
      size="small"
      look={look}
      onClick={() => nodes.slice(0, TRIED_AT_ONCE_MAX).forEach((key) => void engine.pollNow(key))}
    >
      {words.tryNow}
    </Button>
  )
}

function CopyKey({ publicKey, look }: { readonly publicKey: string | undefined; readonly look: Look }) {
  const { keys } = useKeys()
  const key = publicKey ?? keys[0]?.publicKey
  return key === undefined ? null : <Copy text={key} label={words.copyKey} look={look} />
}

/** Says what became of it in its own words, and aloud. */
function Copy({ text, label, look }: { readonly text: string; readonly label: string; readonly look: Look }) {
  const announce = useAnnounce()
  const [said, setSaid] = useState<string>()
  const copy = async (): Promise<void> => {
    const result = (await copyText(text)) ? words.copied : words.copyFailed
    setSaid(result)
    announce(result)
  }
  return (
    <Button size="small" look={look} onClick={() => void copy()} onBlur={() => setSaid(undefined)}>
      {said ?? label}
    </Button>
  )
}
