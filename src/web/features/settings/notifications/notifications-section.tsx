import { useConfiguration, useNotifier } from '#react/use-fleet.ts'
import { channelTexts as words } from '#texts/en-channels.ts'
import { Panel } from '#ui/panel.tsx'
import { NotificationPanel } from './notification-panel.tsx'
import { ReceiversPanel } from './receivers-panel.tsx'
import { SoundPanel } from './sound-panel.tsx'

export function NotificationsSection() {
  const notifier = useNotifier()
  const isWatched = useConfiguration().server.watch !== undefined
  return (
    <>
      {notifier !== undefined && (
        <>
          <SoundPanel notifier={notifier} />
          <NotificationPanel notifier={notifier} />
          <ReceiversPanel notifier={notifier} />
          <output className="text-12 ink-3">{notifier.isKept ? '' : words.notKept}</output>
        </>
      )}
      <Panel title={words.limits.title}>
        <ul className="bullets text-12">
          {(isWatched ? words.limits.withWatch : words.limits.lines).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Panel>
    </>
  )
}
