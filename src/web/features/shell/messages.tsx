import { useEffect } from 'react'
import { createAlarmNews, createAnnouncements } from '#alarms/announcements.ts'
import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { useDashboard } from '#react/dashboard.ts'
import {
  useConfiguration,
  useFleet,
  useKeys,
  useStore,
  useEngineState,
  useNotifier,
} from '#react/use-fleet.ts'
import { screenProblemTexts as words } from '#texts/en-screen-problems.ts'
import { createAlarmFacts } from '#texts/alarm-facts.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { Banner } from '#ui/banner.tsx'
import { useAnnounce } from '#ui/live-region.tsx'
import { MessageStrip } from '#ui/message-strip.tsx'
import { CauseBanner } from './cause-banner.tsx'
import { HistoryMessages } from './history-messages.tsx'
import { LockWarning } from './lock-messages.tsx'
import { Message } from './message.tsx'
import { engineTexts } from '#texts/en-engine.ts'
import { notificationTexts } from '#texts/en-notifications.ts'
import { reloadTexts } from '#texts/en-reload.ts'
import { watchTexts } from '#texts/en-watch.ts'
import { formatSpan } from '#texts/format.ts'
import { useWatchReading, useWatchSilence } from '#react/use-server-watch.ts'

type MessagesProps = {
  readonly path: string
  readonly node: NodeKey | undefined
  /** Shows critical messages only, because the page itself lists the problems. */
  readonly briefly: boolean
}

export function Messages({ path, node, briefly }: MessagesProps) {
  useWatchReading()
  const fleet = useFleet((snapshot) => snapshot)
  const causes = causesInView(fleet, node).filter(({ severity }) => !briefly || severity === 'critical')
  const configuration = useConfiguration()
  const { problem } = configuration
  const { failed, keys } = useKeys()
  const history = useStore(useDashboard().history, (now) => now)
  return (
    <>
      <AlarmAnnouncer />
      <MessageStrip
        label={shellTexts.messages}
        openLabel={shellTexts.allMessages}
        closeLabel={shellTexts.closeMessages}
        page={path}
      >
        {failed && (
          <Banner level="critical" title={words.signerFailed.title}>
            {words.signerFailed.text}
          </Banner>
        )}
        {causes.map((cause) => (
          <CauseBanner key={cause.id} cause={cause} fleet={fleet} node={node} />
        ))}
        {problem !== undefined && (
          <Message title={words.problem[problem].title} acts={[[words.openSettings, 'document']]}>
            {words.problem[problem].text} {problem.startsWith('config-') && words.configReason(configuration)}
          </Message>
        )}
        {keys.some(({ custody }) => custody === 'vault') && <LockWarning />}
        <WatchMessage />
        {history !== undefined && <HistoryMessages status={history} />}
        {node === undefined && <SoundMessage />}
        <EngineMessage />
        <VersionMessage />
      </MessageStrip>
    </>
  )
}

/** On a node's page, the causes that affect the node and those of the whole dashboard. */
const causesInView = (
  { causes, nodes: watched }: FleetSnapshot,
  key: NodeKey | undefined,
): readonly Cause[] => {
  const node = key === undefined ? undefined : watched.get(key)
  if (node === undefined) return causes
  return causes.filter(({ nodes, serviceId }) =>
    nodes.length > 0 ? nodes.includes(node.key) : serviceId === undefined || serviceId === node.serviceId,
  )
}

/** Warns that the server's watch is stalled or unreachable, so that the server sends no notifications. */
function WatchMessage() {
  const silence = useWatchSilence()
  if (silence === undefined) return null
  const { [silence.isStalled ? 'stalled' : 'unreachable']: said, since } = watchTexts.silent
  return (
    <Banner level="warning" title={said.title}>
      {since(said.what, formatSpan(silence.forMs))}
    </Banner>
  )
}

function EngineMessage() {
  const state = useEngineState()
  const isShared = useKeys().report?.worker !== 'dedicated'
  if (state.kind !== 'waiting') return null
  return (
    <Message
      level="info"
      title={isShared ? engineTexts.otherVersion(state.version) : engineTexts.otherTab}
      acts={[isShared && [engineTexts.reload, () => location.reload(), 'primary']]}
    >
      {isShared ? engineTexts.otherVersionText : engineTexts.otherTabText}
    </Message>
  )
}

const messageWords = notificationTexts.blocked

function SoundMessage() {
  const notifier = useNotifier()
  if (notifier?.isSoundMissed !== true) return null
  const isBlocked = notifier.sound === 'blocked'
  return (
    <Message
      title={isBlocked ? messageWords.title : messageWords.unsupportedTitle}
      acts={[
        isBlocked && [messageWords.allow, () => void notifier.unblockSound(), 'primary'],
        [messageWords.settings, 'notifications'],
      ]}
    >
      {isBlocked ? messageWords.text : messageWords.unsupportedText}
    </Message>
  )
}

function VersionMessage() {
  const isOld = useStore(useDashboard().health, ({ isOldVersion }) => isOldVersion === true)
  const losesKey = useKeys().keys.some(
    ({ custody, locked }) => custody === 'session' || (custody === 'vault' && locked !== true),
  )
  return isOld ? (
    <Message
      level="info"
      title={reloadTexts.newVersion}
      acts={[[reloadTexts.reload, () => location.reload(), 'primary']]}
    >
      {losesKey ? reloadTexts.newVersionLocked : reloadTexts.newVersionText}
    </Message>
  ) : null
}

/** Announces new alarms to screen readers: critical ones at once, and at most one sentence every 30 s. */
function AlarmAnnouncer() {
  const { alarms, fleet, metrics, seconds, nowMs } = useDashboard()
  const announce = useAnnounce()
  useEffect(() => {
    const news = createAlarmNews()
    const announcements = createAnnouncements()
    const { describe } = createAlarmFacts(fleet.get, '', metrics)
    const say = (): void => {
      const said = announcements.next(nowMs())
      if (said === undefined) return
      const title = said.only === undefined ? undefined : describe(said.only).title
      announce(notificationTexts.announcement(said, title), said.urgency)
    }
    const hear = (): void => {
      const view = alarms.get()
      if (view === undefined) return
      announcements.add(news(view))
      say()
    }
    hear()
    const ends = [alarms.subscribe(hear), seconds.subscribe(say)]
    return () => ends.forEach((end) => end())
  }, [alarms, fleet, metrics, seconds, nowMs, announce])
  return null
}
