import { KeyRound } from 'lucide-react'
import { offsetMs, offsetUncertaintyMs } from '#record/clock-offset.ts'
import { needsKey } from '#signing/profile-needs.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { KeyState } from '#react/dashboard.ts'
import { useTick, useWall } from '#react/ticking.tsx'
import { useConfiguration, useFleet, useKeys } from '#react/use-fleet.ts'
import { statusTexts as words } from '#texts/en-status.ts'
import { formatClock, zoneName, type Zone } from '#texts/format-time.ts'
import { formatAge, formatCount, formatSpan } from '#texts/format.ts'
import { formatOffset, formatUncertainty } from '#texts/format-clock.ts'
import { StatusFactList, StatusItem } from '#ui/app-shell.tsx'
import { furthestOffset, intervalsOf, nextPollOf, nodesInView, servicesInView } from './poll-pace.ts'

/** A shorter delay would read as 0 s. */
const BEHIND_FROM_MS = 1_000

export function StatusFacts({ node }: { readonly node: NodeKey | undefined }) {
  const fleet = useFleet((snapshot) => snapshot)
  const keys = useKeys()
  const zone = useConfiguration().settings.display.timeZone
  const offset = furthestOffset(servicesInView(fleet, node))
  return (
    <>
      <StatusFactList>
        <Pace node={node} />
        <StatusItem>
          {words.session}
          <b>{formatCount(fleet.screen.answered)}</b>
          {words.answered}
          <b>{formatCount(fleet.screen.failed)}</b>
          {words.failed}
        </StatusItem>
        {offset && (
          <StatusItem>
            <span title={words.offsetWhy}>
              {words.offset}
              <b>{`${formatOffset(offsetMs(offset))} ± ${formatUncertainty(offsetUncertaintyMs(offset))}`}</b>
            </span>
          </StatusItem>
        )}
        {fleet.screen.behindMs >= BEHIND_FROM_MS && (
          <StatusItem>
            <span title={words.behindWhy}>
              {words.behind}
              <b>{formatAge(fleet.screen.behindMs)}</b>
            </span>
          </StatusItem>
        )}
        <StatusItem end>
          <Key keys={keys} />
        </StatusItem>
      </StatusFactList>
      <StatusItem>
        <WallClock zone={zone} />
      </StatusItem>
    </>
  )
}

function Pace({ node }: { readonly node: NodeKey | undefined }) {
  const fleet = useFleet((snapshot) => snapshot)
  const nodes = nodesInView(fleet, node)
  const intervals = intervalsOf(fleet, nodes)
  if (nodes.length === 0 || intervals === undefined) return null
  const { fromMs, toMs } = intervals
  const nextMs = nextPollOf(nodes)
  const slowed = nodes.length === 1 && nextMs !== undefined && nextMs - fleet.nowMs > toMs * SLOWED_FACTOR
  return (
    <>
      <StatusItem>
        {nodes.length === 1 ? words.poll : words.pollMany(nodes.length)}
        <b>{fromMs === toMs ? formatSpan(fromMs) : words.pollBetween(fromMs, toMs)}</b>
        {slowed && words.slowed}
      </StatusItem>
      <StatusItem>
        <NextPoll nextMs={nextMs} asking={nodes.some((each) => each.inFlight)} />
      </StatusItem>
    </>
  )
}

/** A wait longer than the interval by this factor counts as slowed down, because a shorter excess may be the rest of a slot. */
const SLOWED_FACTOR = 1.1

function NextPoll({ nextMs, asking }: { readonly nextMs: number | undefined; readonly asking: boolean }) {
  const seconds = useTick((nowMs) => nextMs && Math.ceil((nextMs - nowMs) / 1_000))
  if (seconds === undefined) return asking ? words.asking : words.notPlanned
  if (seconds <= 0) return words.asking
  return (
    <>
      {words.next}
      <b>{formatAge(seconds * 1_000)}</b>
    </>
  )
}

function Key({ keys: { keys } }: { readonly keys: KeyState }) {
  const { effective, server } = useConfiguration()
  const { services } = effective
  const ofServer = server.signedByServer?.find(({ service }) =>
    services.some(({ baseUrl }) => baseUrl === service),
  )
  const newest = keys.at(-1)
  // A service without a configured key uses the newest one.
  const named = new Set(services.map((service) => service.key ?? newest?.publicKey))
  const [key = newest, ...others] = keys.filter(({ publicKey }) => named.has(publicKey))
  const needsNone = services.length > 0 && !services.some(needsKey)
  if (needsNone && ofServer !== undefined)
    return (
      <>
        <KeyRound className="icon small" aria-hidden />
        {words.key}
        <ShortKey publicKey={ofServer.publicKey} />
        {words.onServer}
      </>
    )
  return (
    <>
      <KeyRound className="icon small" aria-hidden />
      {key === undefined ? (
        needsNone ? (
          words.noKeyNeeded
        ) : (
          words.noKeyShort
        )
      ) : (
        <>
          {words.key}
          <ShortKey publicKey={key.publicKey} />
          {words.custody[key.locked === true ? 'locked' : key.custody]}
          {others.length > 0 && words.moreKeys(others.length)}
        </>
      )}
    </>
  )
}

const ShortKey = ({ publicKey }: { readonly publicKey: string }) => (
  <b className="mono">
    {publicKey.slice(0, 4)}…{publicKey.slice(-4)}
  </b>
)

function WallClock({ zone }: { readonly zone: Zone }) {
  const time = useWall((wallMs) => formatClock(wallMs, zone))
  const name = useWall((wallMs) => zoneName(zone, wallMs))
  return time === undefined ? null : (
    <>
      <b>{time}</b>
      {` ${name}`}
    </>
  )
}
