import type { Cause } from '#fleet/cause.ts'
import type { NodeKey } from '#fleet/live.ts'
import type { FleetSnapshot } from '#fleet/snapshot.ts'
import { hrefOf, SETTINGS_PATH } from '#react/routes.ts'
import { useDashboard } from '#react/dashboard.ts'
import { useConfiguration, useKeys, useStore } from '#react/use-fleet.ts'
import { screenProblemTexts as words } from '#texts/en-screen-problems.ts'
import { shellTexts } from '#texts/en-shell.ts'
import { Banner } from '#ui/banner.tsx'
import { LinkButton } from '#ui/button.tsx'
import { MessageStrip } from '#ui/message-strip.tsx'
import { CauseBanner } from './cause-banner.tsx'
import { EngineMessage } from './engine-message.tsx'
import { HistoryMessages } from './history-messages.tsx'
import { LockWarning } from './lock-messages.tsx'
import { SoundMessage } from './sound-message.tsx'
import { VersionMessage } from './version-message.tsx'

type MessageListProps = {
  readonly path: string
  readonly causes: readonly Cause[]
  readonly fleet: FleetSnapshot
  readonly node: NodeKey | undefined
}

/** One message a cause. With its words, larger than the rest of the bar: fetched after the first status. */
export function MessageList({ path, causes, fleet, node }: MessageListProps) {
  const configuration = useConfiguration()
  const { problem } = configuration
  const { failed, keys } = useKeys()
  const history = useStore(useDashboard().history, (now) => now)
  return (
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
        <Banner
          level="warning"
          title={words.problem[problem].title}
          actions={
            <LinkButton size="small" href={hrefOf(`${SETTINGS_PATH}/document`)}>
              {words.openSettings}
            </LinkButton>
          }
        >
          {words.problem[problem].text} {problem.startsWith('config-') && words.configReason(configuration)}
        </Banner>
      )}
      {keys.some(({ custody }) => custody === 'vault') && <LockWarning />}
      {history !== undefined && <HistoryMessages status={history} />}
      {node === undefined && <SoundMessage />}
      <EngineMessage />
      <VersionMessage />
    </MessageStrip>
  )
}
