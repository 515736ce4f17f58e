import type { ReactNode } from 'react'
import { toVisibleText } from '#base/visible-text.ts'
import { DEFAULTS } from '#base/defaults.ts'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import { countedKeys, countedNodes, twinsIn, type FleetSnapshot } from '#fleet/snapshot.ts'
import { useTick } from '#react/ticking.tsx'
import { useConfiguration } from '#react/use-fleet.ts'
import { causeWords, type CauseContext } from '#texts/en-causes.ts'
import { messageTexts as words } from '#texts/en-messages.ts'
import { formatAge } from '#texts/format.ts'
import { Moment } from '#parts/moment.tsx'
import { useCauseSince, useIsAcknowledged } from '#parts/node-alarms.ts'
import { Banner } from '#ui/banner.tsx'
import { causeAt, contextOf, nodeName } from './cause-context.ts'
import { CauseActions } from './cause-actions.tsx'

type CauseBannerProps = {
  readonly cause: Cause
  readonly fleet: FleetSnapshot
  /** The node of the current page, which the message need not name. */
  readonly node: NodeKey | undefined
}

export function CauseBanner({ cause: published, fleet, node }: CauseBannerProps) {
  const cause = { ...causeAt(published, fleet, node), sinceWallMs: useCauseSince(published) }
  const zone = useConfiguration().settings.display.timeZone
  const context = contextOf(cause, fleet, window.location.origin, zone)
  const { title, meaning, next, lines, evidence } = causeWords(cause, context)
  return (
    <Banner
      level={cause.severity}
      title={title}
      facts={factsOf(cause, fleet, context, node)}
      evidence={evidence}
      actions={<CauseActions cause={cause} fleet={fleet} node={node} lines={lines?.text} />}
      quickActions={<CauseActions cause={cause} fleet={fleet} node={node} isQuick />}
      isQuiet={useIsAcknowledged(cause)}
    >
      {meaning} {next}
      {lines !== undefined && <Lines label={lines.label} text={lines.text} />}
    </Banner>
  )
}

const Lines = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <>
    <br />
    {label}:
    {text.split('\n').map((line) => (
      <span key={line} className="mono text-12 wrap-anywhere">
        <br />
        {line}
      </span>
    ))}
  </>
)

type Fact = { readonly id: string; readonly content: ReactNode }

function factsOf(
  cause: Cause,
  fleet: FleetSnapshot,
  context: CauseContext,
  node: NodeKey | undefined,
): readonly Fact[] {
  const { code, sinceWallMs, misses, nodes, nextPollMs, evidence, seenAt } = cause
  const example = seenAt === undefined ? undefined : fleet.nodes.get(seenAt)
  const answer =
    evidence.kind === 'failure' && 'answer' in evidence.failure ? evidence.failure.answer : undefined
  const concerned = concerns(cause, fleet, context, node)
  const facts: (Fact | false)[] = [
    { id: 'code', content: <span className="mono">{code}</span> },
    sinceWallMs !== undefined && { id: 'since', content: <Since wallMs={sinceWallMs} misses={misses} /> },
    concerned !== undefined && { id: 'concerns', content: concerned },
    example !== undefined && { id: 'seen-at', content: words.seenAt(nodeName(example)) },
    answer !== undefined && {
      id: 'answer',
      content: <bdi>{words.answer(toVisibleText(answer, DEFAULTS.answerCharsMax))}</bdi>,
    },
    nextPollMs !== undefined &&
      nodes.length > 0 &&
      misses > 0 && { id: 'next', content: <NextTry atMs={nextPollMs} /> },
  ]
  return facts.filter((fact) => fact !== false)
}

function concerns(
  { scope, nodes, serviceId }: Cause,
  fleet: FleetSnapshot,
  { node: name, service }: CauseContext,
  node: NodeKey | undefined,
): string | undefined {
  const count = countedKeys(nodes, twinsIn(fleet)).length
  if (count === 0 || (count === 1 && node !== undefined && nodes.includes(node))) return undefined
  if (scope === 'screen') return words.nodes(count)
  if (scope === 'node') return count === 1 ? name : words.someNodes(count, service)
  const all = Array.from(countedNodes(fleet).values()).filter((each) => each.serviceId === serviceId).length
  return count === all ? words.allNodes(count, service) : words.someNodes(count, service)
}

const Since = ({ wallMs, misses }: { readonly wallMs: number; readonly misses: number }) => (
  <>
    {words.since}
    <Moment wallMs={wallMs} />
    {misses > 0 && `, ${words.misses(misses)}`}
  </>
)

function NextTry({ atMs }: { readonly atMs: number }) {
  const seconds = useTick((nowMs) => Math.ceil((atMs - nowMs) / 1_000))
  if (seconds <= 0) return words.trying
  return (
    <>
      {words.nextIn}
      <b>{formatAge(seconds * 1_000)}</b>
    </>
  )
}
