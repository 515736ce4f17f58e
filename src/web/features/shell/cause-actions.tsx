import { useState, type ReactNode } from 'react'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { withStatusWord, ruleKey } from '#settings/effective.ts'
import { type Service, STATUS_MEANINGS } from '#settings/schema.ts'
import { needsKey } from '#signing/profile-needs.ts'
import { CopyMade } from '#parts/copy-made.tsx'
import { explainsFailure } from '#parts/node-alarms.ts'
import { useDashboard } from '#react/dashboard.ts'
import { hrefOf, KEY_PATH, nodePath, PATHS, scopePath, SIGN_IN_PATH, signingPath } from '#react/routes.ts'
import { useFleet, useKeys } from '#react/use-fleet.ts'
import { ruleTexts } from '#texts/en-rules.ts'
import { messageTexts as words } from '#texts/en-messages.ts'
import { Button, LinkButton } from '#ui/button.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { UnlockButton } from './lock-messages.tsx'
import { serviceOf } from './cause-context.ts'
import { reportOf } from './copy-report.ts'
import { remediesOf, type Remedy } from './remedies.ts'
import { MessageAlarm, SharedAlarm } from '#parts/alarm-bar.tsx'

type CauseActionsProps = {
  readonly cause: Cause
  readonly fleet: FleetSnapshot
  readonly node: NodeKey | undefined
  /** Shows only what fits into a single line: the most likely remedy and the alarm's actions. */
  readonly isQuick?: boolean
  readonly lines?: string | undefined
}

/** Remedies that currently work, most likely first, and the alarm's actions. */
export function CauseActions({ cause, fleet, node, isQuick = false, lines }: CauseActionsProps) {
  const offered = remediesOf(cause).filter((remedy) => isPossible(remedy, cause, node))
  return (
    <>
      {(isQuick ? offered.slice(0, 1) : offered).map((remedy, place) => (
        <Action key={remedy} remedy={remedy} isFirst={!isQuick && place === 0} cause={cause} fleet={fleet} />
      ))}
      {cause.scope !== 'node' && <SharedAlarm cause={cause} />}
      {node !== undefined && explainsFailure(cause, node) && <MessageAlarm node={node} />}
      {lines !== undefined && <CopyMade text={lines} label={words.copyLines} look="plain" />}
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
  const link = (href: string, label: string, rel?: string) => (
    <LinkButton size="small" look={look} href={href} {...(rel !== undefined && { target: '_blank', rel })}>
      {label}
    </LinkButton>
  )
  switch (remedy) {
    case 'try-now':
      return <TryNow nodes={cause.nodes} look={look} />
    case 'settings':
    case 'signing':
    case 'keys':
    case 'units':
    case 'give-token': {
      const [path, label] = placeOf(remedy, service)
      return link(hrefOf(path), label)
    }
    case 'sign-in':
      // Opens a new tab, because this tab keeps the key and continues on its own.
      return link(SIGN_IN_PATH, words.signIn, 'noopener')
    case 'open-node':
      return first && link(hrefOf(nodePath(first)), words.openNode)
    case 'open-in-tab':
      return service && link(service.baseUrl, words.openInTab, 'noopener noreferrer')
    case 'unlock':
      return <UnlockButton publicKey={service?.key} look={look} />
    case 'copy-report':
      return <CopyReport cause={cause} fleet={fleet} look={look} />
    case 'use-service-time':
      return <UseServiceTime cause={cause} fleet={fleet} look={look} />
    case 'say-meaning':
      return service !== undefined && cause.evidence.kind === 'unknown-status' ? (
        <SayMeaning service={service.baseUrl} word={cause.evidence.status} />
      ) : null
    case 'copy-key':
      return service !== undefined && !needsKey(service) ? null : (
        <CopyKey publicKey={service?.key} look={look} />
      )
  }
}

function placeOf(
  remedy: 'settings' | 'signing' | 'keys' | 'units' | 'give-token',
  service: Service | undefined,
): readonly [string, string] {
  if (remedy === 'keys') return [KEY_PATH, words.openKeys]
  if (remedy === 'settings' || service === undefined) return [PATHS.settings, words.openSettings]
  const { baseUrl } = service
  if (remedy === 'units') return [scopePath(ruleKey({ for: 'service', service: baseUrl })), words.openUnits]
  return [signingPath(baseUrl), remedy === 'signing' ? words.openSigning : words.giveToken]
}

/** Sets the meaning for the whole service; the settings can set it for a tag or a node. */
function SayMeaning({ service, word }: { readonly service: string; readonly word: string }) {
  const { configuration, saveSettings } = useDashboard()
  return STATUS_MEANINGS.map((means) => (
    <Button
      key={means}
      size="small"
      look="plain"
      onClick={() => saveSettings(withStatusWord(configuration.get().settings, service, word, means))}
    >
      {ruleTexts.say[means]}
    </Button>
  ))
}

/** A single answer shows that the service is back; its other nodes then resume automatically. */
const TRIED_AT_ONCE_MAX = 4

function TryNow({ nodes, look }: { readonly nodes: readonly NodeKey[]; readonly look: Look }) {
  const { engine } = useDashboard()
  const tried = nodes.slice(0, TRIED_AT_ONCE_MAX)
  // A node is not polled twice at once.
  const isAsking = useFleet((fleet) => tried.every((key) => fleet.nodes.get(key)?.inFlight === true))
  return (
    <Button
      size="small"
      look={look}
      busy={isAsking}
      onClick={() => tried.forEach((key) => void engine.pollNow(key))}
    >
      {words.tryNow}
    </Button>
  )
}

function CopyKey({ publicKey, look }: { readonly publicKey: string | undefined; readonly look: Look }) {
  const { keys } = useKeys()
  // A service without a configured key uses the newest one.
  const key = publicKey ?? keys.at(-1)?.publicKey
  return key === undefined ? null : <CopyMade text={key} label={words.copyKey} look={look} />
}

type CauseActionProps = { readonly cause: Cause; readonly fleet: FleetSnapshot; readonly look: Look }

/** A report for the service's operator; reads the last exchange on click. */
function CopyReport({ cause, fleet, look }: CauseActionProps) {
  const { engine } = useDashboard()
  const { keys } = useKeys()
  const [first] = cause.nodes
  const publicKey = serviceOf(cause, fleet)?.key ?? keys.at(-1)?.publicKey
  const write = async (): Promise<string> => {
    const exchange = first === undefined ? undefined : await engine.lastExchange(first).catch(() => undefined)
    const around = { fleet, pageOrigin: location.origin, wallMs: fleet.wallMs, publicKey, exchange }
    return reportOf(cause, around) ?? ''
  }
  return <CopyMade text={write} label={words.copyReport} look={look} />
}

/** The operator approves a time that the signer would not sign on its own. */
function UseServiceTime({ cause, fleet, look }: CauseActionProps) {
  const { engine, signer } = useDashboard()
  const announce = useAnnounce()
  const [isTooFar, setTooFar] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { serviceId } = cause
  const correction = serviceId === undefined ? undefined : fleet.services.get(serviceId)?.correction
  if (serviceId === undefined || correction?.state !== 'ask') return null
  const agree = async (): Promise<void> => {
    setBusy(true)
    try {
      const agreed = await signer.agreeToCorrection(serviceId, correction.ms)
      if (agreed.ok) await engine.keyChanged(serviceId)
      else if (agreed.error === 'too-far') {
        setTooFar(true)
        announce(words.tooFar)
      }
    } catch {
      // A missing signer has its own message, and the button stays.
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button size="small" look={look} busy={isBusy} disabled={isTooFar} onClick={() => void agree()}>
      {isTooFar ? words.tooFar : words.signServiceTime}
    </Button>
  )
}
