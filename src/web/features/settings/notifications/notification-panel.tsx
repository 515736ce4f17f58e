import { useState } from 'react'
import { askForNotifications, permissionToNotify, showNotification } from '#react/platform.ts'
import type { Notifier } from '#react/notifier.ts'
import { channelTexts } from '#texts/en-channels.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { Properties, property } from '#ui/properties.tsx'
import { levelRow } from './channel-level.ts'

const words = channelTexts.notifications

/** The browser's notifications. Permission is requested only on a click, and its state is shown. */
export function NotificationPanel({ notifier }: { readonly notifier: Notifier }) {
  const [leave, setLeave] = useState(permissionToNotify)
  const [isShown, setShown] = useState(true)
  const ask = async (): Promise<void> => setLeave(await askForNotifications())
  const test = (): void =>
    setShown(
      showNotification({
        title: words.testTitle,
        body: words.testBody,
        tag: 'immune-test',
        stays: false,
        hash: location.hash,
      }),
    )
  return (
    <Panel title={words.title}>
      <Properties
        items={[
          levelRow('notifications', words.level, notifier),
          property(words.state, <output>{words.states[leave]}</output>),
        ]}
      />
      <div className="flow">
        {leave === 'default' && (
          <Button size="small" look="primary" onClick={() => void ask()}>
            {words.ask}
          </Button>
        )}
        {leave === 'granted' && (
          <Button size="small" onClick={test}>
            {words.test}
          </Button>
        )}
        <output className="text-12 ink-3">{isShown ? words.closed : words.failed}</output>
      </div>
    </Panel>
  )
}
