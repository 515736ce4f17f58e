import { useConfiguration, useNotifier } from '#react/use-fleet.ts'
import { channelTexts as words } from '#texts/en-channels.ts'
import { Panel } from '#ui/panel.tsx'
import { ReceiversPanel } from './receivers-panel.tsx'
import { SoundPanel } from './sound-panel.tsx'
import { useState } from 'react'
import { askForNotifications, permissionToNotify, showNotification } from '#react/platform.ts'
import type { Notifier } from '#react/notifier.ts'
import { Button } from '#ui/button.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { levelRow } from './channel-level.ts'

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

const browserWords = words.notifications

/** The browser's notifications. Permission is requested only on a click, and its state is shown. */
function NotificationPanel({ notifier }: { readonly notifier: Notifier }) {
  const [leave, setLeave] = useState(permissionToNotify)
  const [isShown, setShown] = useState(true)
  const ask = async (): Promise<void> => setLeave(await askForNotifications())
  const test = (): void =>
    setShown(
      showNotification({
        title: browserWords.testTitle,
        body: browserWords.testBody,
        tag: 'immune-test',
        stays: false,
        hash: location.hash,
      }),
    )
  return (
    <Panel title={browserWords.title}>
      <Properties
        items={[
          levelRow('notifications', browserWords.level, notifier),
          property(browserWords.state, <output>{browserWords.states[leave]}</output>),
        ]}
      />
      <div className="flow">
        {leave === 'default' && (
          <Button size="small" look="primary" onClick={() => void ask()}>
            {browserWords.ask}
          </Button>
        )}
        {leave === 'granted' && (
          <Button size="small" onClick={test}>
            {browserWords.test}
          </Button>
        )}
        <output className="text-12 ink-3">{isShown ? browserWords.closed : browserWords.failed}</output>
      </div>
    </Panel>
  )
}
